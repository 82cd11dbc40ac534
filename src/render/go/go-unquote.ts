import { fromBytes } from './go-bytes.ts';

const shorts: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, '\\': 92, "'": 39, '"': 34 };

/** strconv.Unquote: the text of a Go string in double quotes or backquotes; undefined when it is not one. */
export function goUnquote(quoted: string): string | undefined {
  const quote = quoted[0];
  if (quoted.length < 2 || quote !== quoted.at(-1)) return undefined;
  const inside = quoted.slice(1, -1);
  if (quote === '`') return inside.includes('`') ? undefined : inside.replaceAll('\r', '');
  if (quote !== '"') return undefined;
  return inside.includes('\\') || inside.includes('"') || inside.includes('\n') ? unescape(inside, '"') : inside;
}

/** The one character of a Go character constant such as `'x'` or `'\n'`; undefined when it is not one. */
export function goUnquoteChar(quoted: string): number | undefined {
  if (quoted.length < 3 || !quoted.startsWith("'") || !quoted.endsWith("'")) return undefined;
  const inside = quoted.slice(1, -1);
  if (inside.startsWith('\\x') || /^\\[0-7]/.test(inside)) {
    const match = /^\\(?:x([0-9a-fA-F]{2})|([0-7]{3}))$/.exec(inside);
    return match ? (match[1] !== undefined ? Number.parseInt(match[1], 16) : Number.parseInt(match[2]!, 8)) : undefined;
  }
  const text = unescape(inside, "'");
  return text !== undefined && [...text].length === 1 ? text.codePointAt(0) : undefined;
}

function unescape(text: string, quote: string): string | undefined {
  const bytes: Buffer[] = [];
  let from = 0;
  for (let i = 0; i < text.length;) {
    const char = text[i]!;
    if (char === quote || char === '\n') return undefined;
    if (char !== '\\') {
      i++;
      continue;
    }
    bytes.push(Buffer.from(text.slice(from, i)));
    const escape = /^\\(?:([abfnrtv\\'"])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3}))/.exec(text.slice(i, i + 10));
    if (!escape) return undefined;
    const decoded = decode(escape, quote);
    if (!decoded) return undefined;
    bytes.push(decoded);
    i += escape[0].length;
    from = i;
  }
  bytes.push(Buffer.from(text.slice(from)));
  return fromBytes(Buffer.concat(bytes));
}

function decode([, short, hex, four, eight, octal]: RegExpExecArray, quote: string): Buffer | undefined {
  if (short !== undefined) {
    if ((short === "'" || short === '"') && short !== quote) return undefined;
    return Buffer.from([shorts[short]!]);
  }
  if (hex !== undefined) return Buffer.from([Number.parseInt(hex, 16)]);
  if (octal !== undefined) {
    const value = Number.parseInt(octal, 8);
    return value > 255 ? undefined : Buffer.from([value]);
  }
  const code = Number.parseInt((four ?? eight)!, 16);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
  return Buffer.from(String.fromCodePoint(code));
}
