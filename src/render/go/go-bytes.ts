/**
 * Go's strings are bytes. Ours are JavaScript strings in which a byte that is not part of valid UTF-8 stands as the lone surrogate U+DC80 to U+DCFF,
 * so that cutting a text in the middle of a letter and putting it together again loses nothing.
 */
export function toBytes(text: string): Buffer {
  if (!/[\udc80-\udcff]/.test(text)) return Buffer.from(text, 'utf8');
  const parts: Buffer[] = [];
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0xd800 && code <= 0xdbff) {
      const next = text.charCodeAt(i + 1);
      if (next >= 0xdc00 && next <= 0xdfff) i++;
      continue;
    }
    if (code < 0xdc80 || code > 0xdcff) continue;
    parts.push(Buffer.from(text.slice(from, i), 'utf8'), Buffer.from([code - 0xdc00]));
    from = i + 1;
  }
  parts.push(Buffer.from(text.slice(from), 'utf8'));
  return Buffer.concat(parts);
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function fromBytes(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return decodeBroken(bytes);
  }
}

function decodeBroken(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length;) {
    const length = validLength(bytes, i);
    text += length === 0 ? String.fromCharCode(0xdc00 + bytes[i]!) : strict.decode(bytes.subarray(i, i + length));
    i += length || 1;
  }
  return text;
}

/** How many bytes the character has that starts here; 0 when none does. */
function validLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  const length =
    first < 0x80 ? 1 : first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  try {
    strict.decode(bytes.subarray(at, at + length));
    return length;
  } catch {
    return 0;
  }
}

const ascii = /^[\x00-\x7f]*$/;

export const isAscii = (text: string): boolean => ascii.test(text);

export const byteLength = (text: string): number => (isAscii(text) ? text.length : toBytes(text).length);

/** `text[from:to]` of Go, in bytes. */
export function sliceBytes(text: string, from: number, to: number): string {
  return isAscii(text) ? text.slice(from, to) : fromBytes(toBytes(text).subarray(from, to));
}

/** Go's order of strings: by bytes. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  for (let i = 0; i < a.length && i < b.length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // Surrogates sort below the characters they stand before.
    if ((x >= 0xd800 && x <= 0xdfff) || (y >= 0xd800 && y <= 0xdfff)) return Buffer.compare(toBytes(a), toBytes(b));
    return x < y ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
}
