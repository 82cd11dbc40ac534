/** An element, and what is in it. Attributes and prefixes of names are left out. */
export interface XmlElement {
  readonly name: string;
  readonly children: readonly XmlElement[];
  /** Its own text, without that of its children. */
  readonly text: string;
}

interface Open {
  readonly name: string;
  readonly fullName: string;
  readonly children: XmlElement[];
  text: string;
}

const maxDepth = 16;
const maxElements = 200_000;
const token = /<(\/?)([A-Za-z_][\w.:-]*)((?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|<\?[^>]*\?>|[^<]+/y;
const named = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }));

/** Reads the XML that servers answer with: elements and text. There are no document types, and so no entities but the five that XML has itself. Throws. */
export function readPlainXml(source: string): XmlElement {
  const text = source.replace(/^\ufeff/, '');
  const top: Open = { name: '', fullName: '', children: [], text: '' };
  const open: Open[] = [top];
  let count = 0;
  for (let at = 0; at < text.length; at = token.lastIndex) {
    token.lastIndex = at;
    const found = token.exec(text);
    if (!found) throw new Error('it is no XML that is understood here');
    const [whole, isEnd, fullName, , isEmpty] = found;
    const inner = open.at(-1)!;
    if (fullName === undefined) {
      if (!whole.startsWith('<')) inner.text += unescaped(whole);
      continue;
    }
    if (isEnd === '/') {
      if (open.length === 1 || inner.fullName !== fullName) throw new Error('its elements do not end as they begin');
      open.pop();
      continue;
    }
    if (++count > maxElements || open.length > maxDepth) throw new Error('it has too many elements');
    const element: Open = { name: fullName.replace(/^.*:/, ''), fullName, children: [], text: '' };
    inner.children.push(element);
    if (isEmpty === '') open.push(element);
  }
  const [root] = top.children;
  if (open.length !== 1 || top.children.length !== 1 || !root || top.text.trim() !== '') throw new Error('it is not one element');
  return root;
}

function unescaped(text: string): string {
  return text.replace(/&(#x?)?([^;&]{0,16});?/g, (whole, number: string | undefined, name: string) => {
    const char = number === undefined ? named.get(name) : charOf(number === '#x' ? 16 : 10, name);
    if (char === undefined || !whole.endsWith(';')) throw new Error('it has an entity that XML does not have itself');
    return char;
  });
}

function charOf(base: 10 | 16, digits: string): string | undefined {
  if (!(base === 16 ? /^[0-9a-f]{1,6}$/i : /^[0-9]{1,7}$/).test(digits)) return undefined;
  const code = Number.parseInt(digits, base);
  return code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? undefined : String.fromCodePoint(code);
}
