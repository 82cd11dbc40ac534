import type { Headers } from '../client/transport.ts';

/** Names and values in turn, as they go on the wire: what is repeated stays repeated. */
export type RawHeaders = readonly string[];

// These speak about one connection, or are said differently in HTTP/2.
const connectionHeaders = new Set([
  'connection',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The headers that may pass from one connection to the next, without those the `Connection` header names. */
export function passingHeaders(headers: Headers): string[] {
  const named = new Set(valuesOf(headers['connection']).flatMap(value => value.split(',').map(name => name.trim().toLowerCase())));
  const raw: string[] = [];
  for (const [name, values] of Object.entries(headers)) {
    const key = name.toLowerCase();
    if (key.startsWith(':') || connectionHeaders.has(key) || named.has(key)) continue;
    for (const value of valuesOf(values)) raw.push(key, value);
  }
  return raw;
}

/** By name, without the pseudo headers of HTTP/2. */
export function headersOf(raw: RawHeaders): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = Object.create(null) as Record<string, never>;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]!;
    const value = raw[i + 1]!;
    if (name.startsWith(':')) continue;
    const present = headers[name];
    if (present === undefined) headers[name] = value;
    else if (typeof present === 'string') headers[name] = [present, value];
    else present.push(value);
  }
  return headers;
}

export function firstHeader(headers: Headers, name: string): string | undefined {
  return valuesOf(headers[name])[0];
}

export function sizeOf(raw: RawHeaders): number {
  // HPACK counts 32 bytes for every entry besides its text.
  return raw.reduce((sum, text) => sum + Buffer.byteLength(text) + 16, 0);
}

function valuesOf(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
