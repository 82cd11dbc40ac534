/** The target of a request as Go's server reads it. */
export interface RequestTarget {
  /** Escapes are resolved before the path is cut into segments, so `%2f` is a slash. */
  readonly path: string;
  readonly query: URLSearchParams;
}

const absoluteForm = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;
const badEscape = /%(?![0-9a-fA-F]{2})/;

/** Answers undefined for a target that no Go server accepts. */
export function parseTarget(target: string): RequestTarget | undefined {
  const local = target.replace(absoluteForm, '');
  const mark = local.indexOf('?');
  const rawPath = mark < 0 ? local : local.slice(0, mark);
  if (badEscape.test(rawPath)) return undefined;
  if (rawPath !== '' && !rawPath.startsWith('/') && target !== '*') return undefined;
  return { path: unescape(rawPath), query: parseQuery(mark < 0 ? '' : local.slice(mark + 1)) };
}

/** Pairs that hold a semicolon or a broken escape are dropped, not reported. */
function parseQuery(text: string): URLSearchParams {
  const query = new URLSearchParams();
  if (text === '') return query;
  for (const pair of text.split('&')) {
    if (pair === '' || pair.includes(';') || badEscape.test(pair)) continue;
    const equals = pair.indexOf('=');
    const key = equals < 0 ? pair : pair.slice(0, equals);
    const value = equals < 0 ? '' : pair.slice(equals + 1);
    query.append(unescape(key.replaceAll('+', ' ')), unescape(value.replaceAll('+', ' ')));
  }
  return query;
}

function unescape(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return decodeBytes(text);
  }
}

/** Escapes that are not UTF-8 become replacement characters, as they do when Go prints them. */
function decodeBytes(text: string): string {
  const bytes: number[] = [];
  const source = Buffer.from(text);
  for (let i = 0; i < source.length; i++) {
    if (source[i] !== 0x25) bytes.push(source[i]!);
    else {
      bytes.push(Number.parseInt(source.toString('latin1', i + 1, i + 3), 16));
      i += 2;
    }
  }
  return Buffer.from(bytes).toString('utf8');
}
