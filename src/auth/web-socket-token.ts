import type { HeaderValues } from './header-values.ts';

/** Begins the WebSocket sub-protocol in which browsers send a bearer token. */
export const bearerProtocolPrefix = 'base64url.bearer.authorization.k8s.io.';
const utf8 = new TextDecoder('utf-8', { fatal: true });

export function isWebSocketRequest(headers: HeaderValues): boolean {
  return (
    headers.get('upgrade')?.[0]?.toLowerCase() === 'websocket' &&
    /(?:^|,\s*)upgrade(?:$|\s*,)/.test((headers.get('connection')?.[0] ?? '').toLowerCase())
  );
}

/**
 * Browsers cannot set headers on WebSockets, so a token may come as a sub-protocol. Returns the token and the other protocols, undefined when
 * there is none; throws when it is malformed, repeated, or alone.
 */
export function tokenProtocol(headers: HeaderValues): { token: string; protocols: string[] } | undefined {
  const protocols: string[] = [];
  let encoded: string | undefined;
  for (const protocol of (headers.get('sec-websocket-protocol') ?? []).flatMap(value => value.split(',')).map(value => value.trim())) {
    if (!protocol.startsWith(bearerProtocolPrefix)) {
      protocols.push(protocol);
      continue;
    }
    if (encoded !== undefined) throw new Error('multiple base64.bearer.authorization tokens specified');
    encoded = protocol.slice(bearerProtocolPrefix.length);
  }
  if (encoded === undefined || encoded === '') return undefined;
  if (!/^[A-Za-z0-9_-]+$/.test(encoded) || encoded.length % 4 === 1) throw new Error('invalid base64.bearer.authorization token encoding');
  const token = utf8.decode(Buffer.from(encoded, 'base64url'));
  if (protocols.length === 0) throw new Error('missing additional subprotocol');
  return { token, protocols };
}
