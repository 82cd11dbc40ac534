import { isJsonObject, type Json } from '../util/json.ts';
import { readYaml } from '../yaml/read-yaml.ts';

/** One version of a chart in the index of a repository. */
export interface IndexEntry {
  readonly version: string;
  readonly urls: readonly string[];
  /** Hex, with or without "sha256:". Empty when the index has none. */
  readonly digest: string;
}

/** Beyond this an index has to have the form that Helm writes, so that the part about one chart can be found. */
const maxWholeBytes = 8 * 1024 * 1024;
const maxPartBytes = 16 * 1024 * 1024;

/**
 * What an index.yaml says about one chart; undefined when it does not know the chart. Indexes have tens of megabytes and are read for one chart at a time,
 * so the lines about it are looked for and only they are parsed, where the index has the form that Helm writes.
 */
export function entriesOf(index: string, chart: string): IndexEntry[] | undefined {
  const part = partAbout(index, chart);
  if (part === 'unknown form') return entriesIn(readWhole(index), chart);
  if (part === undefined) return undefined;
  return entriesIn({ entries: readPart(part) }, chart);
}

function readWhole(index: string): Json {
  const isJson = /^\s*\{/.test(index);
  if (!isJson && index.length > maxWholeBytes) throw new Error('the index is too long for its form');
  try {
    return isJson ? (JSON.parse(index) as Json) : readYaml(index).value;
  } catch (cause) {
    throw new Error('the index cannot be read', { cause });
  }
}

function readPart(part: string): Json {
  if (part.length > maxPartBytes) throw new Error('the index says too much about the chart');
  try {
    return readYaml(part).value;
  } catch (cause) {
    throw new Error('the index cannot be read', { cause });
  }
}

/** The lines `<chart>:` and all that is indented below it. */
function partAbout(index: string, chart: string): string | undefined | 'unknown form' {
  const head = /^entries:[ \t]*(?:#.*)?\r?\n(?:[ \t]*(?:#.*)?\r?\n)*( +)(?![ \r\n\-{[&*!])/m.exec(index);
  if (!head || !/^[A-Za-z0-9._-]+$/.test(chart)) return 'unknown form';
  const indent = head[1]!;
  const name = chart.replaceAll('.', '\\.');
  const start = new RegExp(`^${indent}(?:${name}|"${name}"|'${name}'):[ \\t]*(?:#.*)?\\r?$`, 'mg');
  start.lastIndex = head.index + head[0].length - indent.length;
  const found = start.exec(index);
  if (!found) return undefined;
  // The next key of the same depth, or one of the outermost, ends it. Items of a list may stand as deep as their key.
  const end = new RegExp(`^(?: {0,${indent.length - 1}}[^ \\r\\n#]|${indent}[^ \\r\\n#-])`, 'mg');
  end.lastIndex = found.index + found[0].length;
  return index.slice(found.index, end.exec(index)?.index ?? index.length);
}

function entriesIn(index: Json, chart: string): IndexEntry[] | undefined {
  const entries = isJsonObject(index) ? index['entries'] : undefined;
  if (!isJsonObject(entries)) throw new Error('the index has no "entries"');
  if (!Object.hasOwn(entries, chart)) return undefined;
  const listed = entries[chart];
  return Array.isArray(listed) ? listed.flatMap(entryOf) : [];
}

/** What Helm would not take is passed over. */
function entryOf(item: Json): IndexEntry[] {
  if (!isJsonObject(item)) return [];
  const { version, urls, digest } = item;
  if (typeof version !== 'string' || !Array.isArray(urls)) return [];
  const places = urls.filter(url => typeof url === 'string');
  return places.length === 0 ? [] : [{ version, urls: places, digest: typeof digest === 'string' ? digest : '' }];
}
