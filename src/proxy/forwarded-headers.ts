import type { Headers } from '../client/transport.ts';
import { bearerProtocolPrefix } from '../auth/web-socket-token.ts';

/** What concerns one connection only. */
const hopByHop = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'host',
  'expect',
]);

/** What says, or is believed by somebody to say, who sends a request or on whose behalf. */
const identityNames = new Set(['authorization', 'cookie', 'cookie2', 'forwarded', 'x-real-ip', 'x-client-ip', 'true-client-ip']);
const identityPrefixes = ['impersonate-', 'x-remote-', 'x-forwarded-', 'proxy-', 'x-api-', 'x-drover-', 'x-original-', 'x-ssl-', 'ssl-'];

/** What an answer of a member could do to other pages of the hub in a browser. */
const siteWide = new Set(['set-cookie', 'set-cookie2', 'strict-transport-security', 'clear-site-data', 'alt-svc', 'refresh']);

type Grouped = Map<string, string[]>;

/**
 * The headers of a client that may go on to a member, and after them, so that nothing can take their place, those that say who the client is.
 * Takes the flat list that Node calls `rawHeaders`: every header as often as it was sent.
 */
export function forwardedHeaders(rawHeaders: readonly string[], identity: Headers): Record<string, string | string[]> {
  const headers = group(rawHeaders);
  const named = namedInConnection(headers.get('connection'));
  const result: Record<string, string | string[]> = {};
  for (const [name, values] of headers) {
    if (hopByHop.has(name) || named.has(name) || name.startsWith(':') || isIdentity(name)) continue;
    const kept = name === 'sec-websocket-protocol' ? withoutTokens(values) : values;
    if (kept.length > 0) result[name] = kept.length === 1 ? kept[0]! : kept;
  }
  for (const [name, value] of Object.entries(identity))
    if (value !== undefined) result[name] = typeof value === 'string' ? value : [...value];
  return result;
}

/** The headers of a member's answer that may go on to the client. */
export function answerHeaders(headers: Headers, clusterPath: string): Record<string, string | string[]> {
  const named = namedInConnection(listOf(headers['connection']));
  const result: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || hopByHop.has(name) || named.has(name) || name.startsWith(':')) continue;
    if (siteWide.has(name) || name.startsWith('access-control-')) continue;
    result[name] = typeof value === 'string' ? value : [...value];
  }
  const location = result['location'];
  if (typeof location === 'string' && /^\/(?!\/)/.test(location)) result['location'] = clusterPath + location;
  // A page that a member serves must not act as a page of the hub.
  result['content-security-policy'] = 'sandbox allow-forms allow-scripts';
  result['x-content-type-options'] = 'nosniff';
  return result;
}

// Some servers take an underscore in a name for a hyphen.
function isIdentity(name: string): boolean {
  const plain = name.replaceAll('_', '-');
  return identityNames.has(plain) || identityPrefixes.some(prefix => plain.startsWith(prefix));
}

function group(rawHeaders: readonly string[]): Grouped {
  const headers: Grouped = new Map();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    const present = headers.get(name);
    if (present) present.push(rawHeaders[i + 1]!);
    else headers.set(name, [rawHeaders[i + 1]!]);
  }
  return headers;
}

function namedInConnection(values: readonly string[] | undefined): Set<string> {
  return new Set((values ?? []).flatMap(value => value.split(',')).map(name => name.trim().toLowerCase()));
}

function withoutTokens(values: readonly string[]): string[] {
  const protocols = values.flatMap(value => value.split(',')).map(protocol => protocol.trim());
  const kept = protocols.filter(protocol => protocol !== '' && !protocol.startsWith(bearerProtocolPrefix));
  return kept.length === 0 ? [] : [kept.join(', ')];
}

function listOf(value: Headers[string]): readonly string[] | undefined {
  return typeof value === 'string' ? [value] : value;
}
