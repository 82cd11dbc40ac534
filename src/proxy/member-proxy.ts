import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Cluster, clusterConditions } from '../api/cluster.ts';
import { findCondition } from '../api/conditions.ts';
import { notFoundError, serviceUnavailable, StatusError } from '../api/status.ts';
import type { HubAccess } from '../auth/hub-access.ts';
import { forbiddenRequest } from '../auth/rbac.ts';
import { notesOf } from '../auth/request-notes.ts';
import type { ResourceAttributes, UserInfo } from '../auth/user.ts';
import { UnreachableError, type Transport } from '../client/transport.ts';
import { errorText } from '../util/error-text.ts';
import { carryAnswer, carryRequest, type Carried } from './carry-request.ts';
import { carryUpgrade } from './carry-upgrade.ts';
import { forwardedHeaders } from './forwarded-headers.ts';
import { impersonationHeaders } from './member-identity.ts';
import { isStream, memberLimits, type MemberLimits } from './member-limits.ts';
import { memberPrefix, parseMemberTarget } from './member-target.ts';

export interface MemberProxyDeps {
  readonly access: Pick<HubAccess, 'identify' | 'authorize'>;
  /** By name, or else by id. */
  findCluster(ref: string): Cluster | undefined;
  /** The way to the member for somebody who may take it. Throws when there is none. */
  transportOf(cluster: Cluster, user: UserInfo): Transport | Promise<Transport>;
  readonly limits?: MemberLimits;
  /** How often the right to an open stream is looked at again. Default 2.5 s: what is revoked ends within five, also where answers are believed for a while. */
  readonly recheckMs?: number;
}

/** The API of the members, below `/k8s/clusters/<name or id>/`. */
export interface MemberProxy {
  /** Errors are thrown as long as they can be answered. */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  upgrade(req: IncomingMessage, connection: { socket: Duplex; head: Buffer; respond(): ServerResponse }): Promise<void>;
}

/** Longer than an API server works on a request before it gives up by itself. */
const longestAnswerMs = 75_000;
/** Nobody is kept waiting for a member that is known to be lost; one that has just returned answers in time. */
const lostAnswerMs = 4_000;

function answerTimeoutMs(cluster: Cluster, stays: boolean): number {
  if (findCondition(cluster, clusterConditions.connected)?.status === 'False') return lostAnswerMs;
  return stays ? Infinity : longestAnswerMs;
}

export function memberProxy(deps: MemberProxyDeps): MemberProxy {
  const limits = memberLimits(deps.limits);
  const { recheckMs = 2500 } = deps;

  return {
    handle: (req, res) => {
      const gone = endingTogether(res);
      return carry(req, gone, false, carried => carryRequest(carried, req, res));
    },
    upgrade: (req, { socket, head, respond }) => {
      const gone = endingTogether(socket);
      return carry(req, gone, true, async carried => {
        const declined = await carryUpgrade(carried, req, { socket, head });
        if (declined) await carryAnswer(declined, carried, respond());
      });
    },
  };

  async function carry(req: IncomingMessage, gone: AbortController, isUpgrade: boolean, deed: (carried: Carried) => Promise<void>) {
    const target = parseMemberTarget(req.url ?? '');
    const { cluster, user } = await open(req, target.cluster);
    const name = cluster.metadata.name ?? '';
    const stays = isStream(target.path, isUpgrade);
    using _place = limits.enter(name, stays ? 'streams' : 'requests');
    using _watched = stays ? recheck(req, cluster, gone) : undefined;
    const transport = await transportTo(cluster, user);
    try {
      await deed({
        transport,
        request: {
          method: req.method ?? 'GET',
          path: target.path,
          headers: { ...forwardedHeaders(req.rawHeaders, impersonationHeaders(user)), ...auditHeader(req) },
          answerTimeoutMs: answerTimeoutMs(cluster, stays),
          signal: gone.signal,
        },
        clusterPath: memberPrefix + target.cluster,
        isStream: stays,
      });
    } catch (error) {
      if (gone.signal.aborted) return;
      throw error instanceof UnreachableError ? unreachable(error, name) : error;
    }
  }

  async function transportTo(cluster: Cluster, user: UserInfo): Promise<Transport> {
    try {
      return await deps.transportOf(cluster, user);
    } catch (error) {
      throw error instanceof Error ? unreachable(error, cluster.metadata.name ?? '') : error;
    }
  }

  /** Who may read a Cluster on the hub may knock at its door; the member's own rules decide about everything behind it. */
  async function open(req: IncomingMessage, ref: string): Promise<{ cluster: Cluster; user: UserInfo }> {
    const cluster = deps.findCluster(ref);
    const wanted = doorOf(cluster?.metadata.name ?? ref);
    const user = await deps.access.identify(req, wanted);
    const { allowed, reason } = await deps.access.authorize(user, wanted);
    if (!allowed) throw forbiddenRequest(user, wanted, reason);
    if (!cluster) throw notFoundError(Cluster, ref);
    return { cluster, user };
  }

  /** A stream outlives neither the right to it nor its cluster. */
  function recheck(req: IncomingMessage, cluster: Cluster, gone: AbortController): Disposable {
    const look = setInterval(() => {
      open(req, cluster.metadata.name ?? '').then(
        now => {
          if (now.cluster.metadata.uid !== cluster.metadata.uid) gone.abort();
        },
        (error: unknown) => {
          if (error instanceof StatusError && error.code < 500 && error.code !== 429) gone.abort();
        },
      );
    }, recheckMs).unref();
    return { [Symbol.dispose]: () => clearInterval(look) };
  }
}

/** Aborted when the client has gone; aborting it sends the client away. */
function endingTogether(client: ServerResponse | Duplex): AbortController {
  const gone = new AbortController();
  client.once('close', () => gone.abort());
  gone.signal.addEventListener('abort', () => client.destroy(), { once: true });
  return gone;
}

/** The member's audit log and the hub's call a request by the same id. */
function auditHeader(req: IncomingMessage): { 'audit-id'?: string } {
  const { auditId } = notesOf(req);
  return auditId === undefined ? {} : { 'audit-id': auditId };
}

function doorOf(name: string): ResourceAttributes {
  const { group, version, resource } = Cluster;
  return { isResource: true, verb: 'get', group, version, resource, subresource: '', namespace: '', name };
}

function unreachable(error: Error, cluster: string): StatusError {
  return serviceUnavailable(`cluster "${cluster}" cannot be reached: ${errorText(error)}`);
}
