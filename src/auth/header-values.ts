/**
 * Request headers by lower-case name, each with its values in order. Node joins repeated headers with commas, which would let one group named
 * "a, b" pass for two; identity is read from this form only.
 */
export type HeaderValues = ReadonlyMap<string, readonly string[]>;

/** From the flat list of names and values that Node calls `rawHeaders`. */
export function headerValues(rawHeaders: readonly string[]): HeaderValues {
  const values = new Map<string, string[]>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase();
    const value = latin1ToUtf8(rawHeaders[i + 1] ?? '');
    const present = values.get(name);
    if (present) present.push(value);
    else values.set(name, [value]);
  }
  return values;
}

/** The first value, or '' as in Go. */
export function firstValue(headers: HeaderValues, name: string): string {
  return headers.get(name)?.[0] ?? '';
}

/** Headers that begin with a prefix, as a map from the unescaped rest of the name to all values. */
export function prefixedValues(headers: HeaderValues, prefix: string): Record<string, readonly string[]> | undefined {
  const found = new Map<string, string[]>();
  for (const [name, values] of headers) {
    if (!name.startsWith(prefix)) continue;
    const key = unescapeKey(name.slice(prefix.length));
    const present = found.get(key);
    if (present) present.push(...values);
    else found.set(key, [...values]);
  }
  return found.size === 0 ? undefined : Object.fromEntries(found);
}

// A malformed escape is kept as it is, as the real server does.
function unescapeKey(text: string): string {
  if (!/^(?:[^%]|%[0-9a-f]{2})*$/i.test(text)) return text;
  const bytes = Buffer.from(
    text.replace(/%([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
  return bytes.toString('utf8');
}

/** The rest of a header name that stands for a key: bytes that a name may not hold are percent-encoded, as is the sign itself. */
export function escapeHeaderKey(key: string): string {
  return [...Buffer.from(key)]
    .map(byte => {
      const char = String.fromCharCode(byte);
      return /[A-Za-z0-9!#$&'*+.^_`|~-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

// Node decodes header bytes as latin-1, Go treats them as UTF-8.
function latin1ToUtf8(value: string): string {
  return /^[\x00-\x7f]*$/.test(value) || /[^\x00-\xff]/.test(value) ? value : Buffer.from(value, 'latin1').toString('utf8');
}
