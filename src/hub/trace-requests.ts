import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WebHandler } from '../apiserver/http/https-server.ts';
import { redactedUri } from '../gateway/audit/redacted-uri.ts';
import { beginSpan, isTracing, parseTraceparent } from '../util/trace.ts';

const changing = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Makes requests steps of a trace: those that bring one along, and those that change something, which begin one. Others would only be many. Watches
 * never end.
 */
export function tracedRequests(handler: WebHandler): WebHandler {
  return {
    wantsUpgrade: req => handler.wantsUpgrade(req),
    upgrade: (req, socket, head) => handler.upgrade(req, socket, head),
    handle: (req, res) => (isTracing() ? handle(req, res) : handler.handle(req, res)),
  };

  function handle(req: IncomingMessage, res: ServerResponse): void {
    const { method = 'GET', url = '', headers } = req;
    const parent = parseTraceparent(typeof headers['traceparent'] === 'string' ? headers['traceparent'] : undefined);
    const [asked = '', query = ''] = url.split('?', 2);
    const isWatch = /(?:^|&)watch=(?:true|1)(?:&|$)/.test(query);
    if (isWatch || (!parent && !changing.has(method))) return handler.handle(req, res);
    const path = redactedUri(asked);
    const span = beginSpan(`${method} ${routeOf(path)}`, {
      kind: 'server',
      parent,
      attributes: { 'http.request.method': method, 'url.path': path, 'user_agent.original': headers['user-agent'] ?? '' },
    });
    res.once('close', () => {
      const { statusCode } = res;
      span.end({ 'http.response.status_code': statusCode }, statusCode >= 500 ? `answered ${statusCode}` : undefined);
    });
    span.run(() => handler.handle(req, res));
  }
}

/** A path without the names in it: `/apis/apps/v1/namespaces/shop/deployments/web` is `apps/v1 deployments`. Their number has no end. */
export function routeOf(path: string): string {
  const match = /^\/(?:api|apis\/([^/]+))\/([^/]+)\/(?:namespaces\/[^/]+\/)?([^/]+)/.exec(path);
  if (!match) return `/${path.split('/')[1] ?? ''}`;
  return `${match[1] === undefined ? '' : `${match[1]}/`}${match[2]} ${match[3]}`;
}
