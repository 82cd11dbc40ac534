import type { IncomingMessage, ServerResponse } from 'node:http';
import { noSuchResource, serviceUnavailable } from '../api/status.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { UnreachableError, type Transport } from '../client/transport.ts';
import { carryRequest } from '../proxy/carry-request.ts';
import { forwardedHeaders } from '../proxy/forwarded-headers.ts';
import { isStream, memberLimits } from '../proxy/member-limits.ts';
import { agentGroup, agentUser, hubApiPath, tracePath } from '../tunnel/protocol.ts';
import { printTraceparent, soughtCause } from '../util/trace.ts';
import { sendJson } from './answer.ts';
import type { VerifiedAgent } from './verify-agent.ts';

export interface AgentApiDeps {
  /** As the hub itself, who may speak for others. */
  readonly hub: Pick<KubeClient, 'request'>;
  verifyAgent(req: IncomingMessage): Promise<VerifiedAgent>;
}

/** Below `/v3/connect/hub/`. */
export interface AgentApi {
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Ends what the agent of a cluster has open. */
  end(clusterId: string): void;
}

/** An agent follows its Works, reports, and reads a few Contents at a time. */
const limits = { requests: 64, streams: 8 };
const longestAnswerMs = 75_000;
const apiPath = /^\/apis?\/[^?]*(?:\?.*)?$/;

/**
 * The Kubernetes API of the hub for agents, which prove who they are as for the tunnel: so it works behind proxies that end TLS, and with a hub whose API
 * server knows nothing of agents. What they may do there is up to the rules of the hub, as for every user.
 */
export function agentApi({ hub, verifyAgent }: AgentApiDeps): AgentApi {
  const open = new Map<string, Set<AbortController>>();
  const places = memberLimits(limits);
  const transport: Transport = {
    request: req => hub.request(req),
    upgrade: () => Promise.reject(noSuchResource()),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return { handle, end: id => open.get(id)?.forEach(one => one.abort()) };

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { clusterId } = await verifyAgent(req);
    const path = (req.url ?? '').slice(hubApiPath.length);
    if (path.startsWith(tracePath)) return tellCause(path.slice(tracePath.length), res);
    if (!apiPath.test(path)) throw noSuchResource();
    const stays = isStream(path, false);
    using _place = places.enter(clusterId, stays ? 'streams' : 'requests');
    using request = enter(clusterId, res);
    try {
      await carryRequest(
        {
          transport,
          request: {
            method: req.method ?? 'GET',
            path,
            headers: forwardedHeaders(req.rawHeaders, { 'impersonate-user': agentUser(clusterId), 'impersonate-group': agentGroup }),
            answerTimeoutMs: stays ? Infinity : longestAnswerMs,
            signal: request.signal,
          },
          clusterPath: hubApiPath,
          isStream: stays,
        },
        req,
        res,
      );
    } catch (error) {
      if (request.signal.aborted) return;
      throw error instanceof UnreachableError ? serviceUnavailable('the API of the hub cannot be reached') : error;
    }
  }

  /** An agent sees Works and not who wrote them, so it asks. Without a trace there is nothing to tell. */
  async function tellCause(version: string, res: ServerResponse): Promise<void> {
    const cause = await soughtCause(version);
    sendJson(res, 200, cause ? { traceparent: printTraceparent(cause) } : {});
  }

  /** A request that ends when the agent goes away or is sent away. */
  function enter(clusterId: string, res: ServerResponse): Disposable & { readonly signal: AbortSignal } {
    const gone = new AbortController();
    let present = open.get(clusterId);
    if (!present) open.set(clusterId, (present = new Set()));
    present.add(gone);
    res.once('close', () => gone.abort());
    gone.signal.addEventListener('abort', () => res.destroy(), { once: true });
    return {
      signal: gone.signal,
      [Symbol.dispose]() {
        present.delete(gone);
        if (present.size === 0 && open.get(clusterId) === present) open.delete(clusterId);
      },
    };
  }
}
