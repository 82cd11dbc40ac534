/** What sorting needs to know of a manifest. */
export interface Head {
  readonly kind: string;
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
}

const strange = /[^\n\x20-\x7e]/;
/** A whole line: dash, key and value. Keys are words, as in all of Kubernetes. */
const line = /( *)(- )?(?:([A-Za-z_$][A-Za-z0-9_.$/-]*|"[A-Za-z0-9_.$/ -]+"|'[A-Za-z0-9_.$/ -]+'):(?: +(\S.*?)| *)|(\S.*?)|) *(?:\n|$)/y;
const blank = / *(?:#.*)?(?:\n|$)/y;
/** Values that are whole on their line and mean the same in every version of YAML, or at least something. */
const word = /^(?:[A-Za-z0-9_/]|-(?=[A-Za-z0-9_-])|:(?=[A-Za-z0-9]))(?:[^ :#]|:(?=[^ ])|(?<! )#| (?=[^ #]))*$/;
const quotedDouble = /^"(?:[^"\\]|\\["\\/nrt])*"$/;
const quotedSingle = /^'(?:[^']|'')*'$/;
const flowList = /^\[(?:(?:"[^"\\]*"|'[^']*'|[A-Za-z_/][A-Za-z0-9_./-]*|[0-9]{1,9})(?:, ?(?=[^\]])|(?=\])))*\]$/;
const blockHeader = /^[|>][+-]?$/;
const notText = /^(?:true|false|yes|no|on|off|y|n|null)$/i;
const plainText = /^[A-Za-z](?:[A-Za-z0-9_./,-]|:(?=[A-Za-z0-9]))*$/;
const mayOverflow = /^-?[0-9.]+[eE]\+?[0-9]{3}/;

/** Go takes fields by their names in any case. */
const oddCase = /^(?:kind|metadata|name|annotations|apiversion)$/i;

interface Level {
  readonly indent: number;
  readonly isList: boolean;
}

/**
 * The head of a manifest that is written plainly, which nearly all are: one pass over its lines, of which each must be of a form whose meaning is
 * beyond doubt. Undefined when one is not: then only a real reader of YAML can tell, or say what is wrong.
 */
export function quickHead(text: string): Head | undefined {
  if (strange.test(text)) return undefined;
  const levels: Level[] = [];
  /** Whether the last entry may still get its value on lines further in. */
  let isOpen = false;
  let hasBegun = false;
  /** Where in the head the reader is: at the top, under metadata, under its annotations. */
  let inMetadata = false;
  let inAnnotations = -1;
  let kind: string | undefined;
  let name: string | undefined;
  let hasMetadata = false;
  let metadataIndent = -1;
  const annotations: Record<string, string> = {};
  let hasAnnotations = false;

  for (let at = 0; at < text.length;) {
    blank.lastIndex = at;
    const skipped = blank.exec(text);
    if (skipped) {
      at += skipped[0].length;
      continue;
    }
    line.lastIndex = at;
    const match = line.exec(text);
    if (!match) return undefined;
    at += match[0].length;
    const indent = match[1]!.length;
    const isItem = match[2] !== undefined;
    const key = match[3];
    const value = key === undefined ? match[5] : match[4];
    const bareItem = !isItem && key === undefined && value === '-';
    if (!isItem && key === undefined && !bareItem) {
      // An empty value may stand on a line of its own, further in than its key.
      if (
        !isOpen ||
        (value !== '{}' && value !== '[]') ||
        indent <= levels.at(-1)!.indent ||
        (inMetadata && (metadataIndent < 0 || inAnnotations === Infinity) && value === '[]')
      )
        return undefined;
      isOpen = false;
      continue;
    }

    // Leave what ends here.
    const isEntry = isItem || bareItem;
    let top = levels.at(-1);
    while (top && (top.indent > indent || (top.indent === indent && top.isList && !isEntry))) {
      levels.pop();
      top = levels.at(-1);
      isOpen = false;
    }
    if (!top) {
      // A manifest is one mapping, and begins at the margin.
      if (hasBegun || indent !== 0 || isEntry) return undefined;
      hasBegun = true;
      levels.push({ indent, isList: false });
    } else if (top.indent < indent || (top.indent === indent && isEntry && !top.isList)) {
      if (!isOpen) return undefined;
      levels.push({ indent, isList: isEntry });
    } else if (top.isList !== isEntry) return undefined;
    isOpen = false;

    // A mapping that begins behind a dash has its own column.
    let column = indent;
    if (isItem && key !== undefined) {
      column = indent + 2;
      levels.push({ indent: column, isList: false });
    }
    if (bareItem) isOpen = true;
    else if (value === undefined) {
      if (key === undefined) return undefined;
      isOpen = true;
    } else if (blockHeader.test(value)) {
      const end = endOfBlock(text, at, column);
      if (end === undefined) return undefined;
      at = end;
    } else if (!isPlainValue(value)) return undefined;

    if (isEntry && inMetadata && (metadataIndent < 0 || inAnnotations >= 0)) return undefined;
    if (key === undefined) continue;
    if (key.length < 5 && notText.test(key)) return undefined;
    // The head is read only where it is written in the usual way.
    if (key !== 'apiVersion' && key !== key.toLowerCase() && oddCase.test(key)) return undefined;
    if (!isItem && indent === 0) {
      inMetadata = false;
      inAnnotations = -1;
      if (key === 'kind') {
        if (kind !== undefined || value === undefined) return undefined;
        kind = textOf(value);
        if (kind === undefined) return undefined;
      } else if (key === 'metadata') {
        if (hasMetadata) return undefined;
        hasMetadata = inMetadata = true;
        metadataIndent = -1;
        if (value !== undefined && value !== '{}') return undefined;
      } else if (key === 'apiVersion') {
        if (value === undefined || (!word.test(value) && textOf(value) === undefined)) return undefined;
      } else if (/^["']/.test(key)) return undefined;
      continue;
    }
    if (!inMetadata) continue;
    if (metadataIndent < 0) metadataIndent = indent;
    if (indent === metadataIndent && !isItem) {
      inAnnotations = -1;
      if (key === 'name') {
        if (name !== undefined || value === undefined) return undefined;
        name = textOf(value);
        if (name === undefined) return undefined;
      } else if (key === 'annotations') {
        if (hasAnnotations || (value !== undefined && value !== '{}')) return undefined;
        hasAnnotations = true;
        inAnnotations = Infinity;
      } else if (/^["']/.test(key)) return undefined;
      continue;
    }
    if (inAnnotations < 0) continue;
    if (inAnnotations === Infinity) inAnnotations = indent;
    if (indent !== inAnnotations) return undefined;
    const plainKey = /^["']/.test(key) ? key.slice(1, -1) : key;
    // Only what Helm itself reads matters; the rest must still be texts.
    const found = value === undefined || blockHeader.test(value) ? undefined : textOf(value);
    if (found === undefined && (value === undefined || !blockHeader.test(value))) return undefined;
    if (plainKey.startsWith('helm.sh/')) {
      if (found === undefined || Object.hasOwn(annotations, plainKey)) return undefined;
      annotations[plainKey] = found;
    } else if (!Object.hasOwn(annotations, plainKey)) annotations[plainKey] = found ?? '';
  }
  return { kind: kind ?? '', name: name ?? '', annotations };
}

function isPlainValue(value: string): boolean {
  const first = value.charCodeAt(0);
  if (first === 0x22) return quotedDouble.test(value);
  if (first === 0x27) return quotedSingle.test(value);
  if (first === 0x5b) return value === '[]' || flowList.test(value);
  if (first === 0x7b) return value === '{}';
  return word.test(value) && !mayOverflow.test(value);
}

/** A value that is text beyond doubt. */
function textOf(value: string): string | undefined {
  if (plainText.test(value)) return notText.test(value) ? undefined : value;
  if (quotedDouble.test(value) && !value.includes('\\')) return value.slice(1, -1);
  return quotedSingle.test(value) && !value.slice(1, -1).includes("'") ? value.slice(1, -1) : undefined;
}

/** Where a literal or folded text ends that belongs to an entry of a column; undefined when its indents are unusual. */
function endOfBlock(text: string, from: number, column: number): number | undefined {
  let at = from;
  let wanted = -1;
  while (at < text.length) {
    let first = at;
    while (text.charCodeAt(first) === 32) first++;
    let end = text.indexOf('\n', first);
    if (end < 0) end = text.length;
    const indent = first - at;
    if (first < end) {
      if (wanted < 0) {
        if (indent <= column) return at;
        wanted = indent;
      } else if (indent < wanted) return indent <= column ? at : undefined;
    } else if (wanted < 0 && indent > column) {
      // Spaces before the first line could ask for a deeper indent than it has.
      return undefined;
    }
    at = end + 1;
  }
  return Math.min(at, text.length);
}
