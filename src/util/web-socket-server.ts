import type { ServerOptions, WebSocketServer } from 'ws';

/** WebSockets are loaded with the first who wants one: most hubs never see any. */
export function webSocketServer(
  options: Pick<ServerOptions, 'maxPayload' | 'perMessageDeflate' | 'handleProtocols'>,
): () => Promise<WebSocketServer> {
  let loading: Promise<WebSocketServer> | undefined;
  return () =>
    (loading ??= import('ws').then(
      ws => new ws.WebSocketServer({ noServer: true, clientTracking: false, perMessageDeflate: false, ...options }),
    ));
}
