import type { IncomingMessage, ServerResponse } from 'node:http';
import { noSuchResource } from '../api/status.ts';
import type { WebHandler } from '../apiserver/http/https-server.ts';
import type { HubAccess } from '../auth/hub-access.ts';
import { forbiddenRequest } from '../auth/rbac.ts';
import { sendError, sendText } from '../gateway/answer.ts';
import { describeMetrics } from '../runtime/metric-text.ts';

export interface HealthDeps {
  readonly access: HubAccess;
  isReady(): boolean;
  metrics(): string;
}

const memory = { name: 'process_resident_memory_bytes', type: 'gauge', help: 'Resident memory size in bytes.' } as const;
const ownMemory = () => describeMetrics([memory], [`${memory.name} ${process.memoryUsage.rss()}`]);

/** What a hub without an API of its own answers besides its gateway: how it is. */
export function healthHandler({ access, isReady, metrics }: HealthDeps): WebHandler {
  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = (req.url ?? '').split('?', 1)[0]!;
    if (path === '/livez' || path === '/healthz') return sendText(res, 200, 'ok');
    if (path === '/readyz') return isReady() ? sendText(res, 200, 'ok') : sendText(res, 503, 'not ready');
    if (path !== '/metrics') throw noSuchResource();
    const wanted = { isResource: false, verb: 'get', path } as const;
    const user = await access.identify(req, wanted);
    const { allowed, reason } = await access.authorize(user, wanted);
    if (!allowed) throw forbiddenRequest(user, wanted, reason);
    sendText(res, 200, metrics() + ownMemory());
  }
  return {
    handle: (req, res) => void answer(req, res).catch((error: unknown) => sendError(req, res, error)),
    wantsUpgrade: () => false,
    upgrade: (_req, socket) => void socket.destroy(),
  };
}
