import type { IncomingMessage } from 'node:http';
import type { KindRef } from '../../../api/define-kind.ts';
import type { DialectRoutes, UpgradeConnection } from '../../../gateway/dialect-routes.ts';
import { belowMember } from '../../../gateway/routes-by-root.ts';
import { informer, type Informer } from '../../../runtime/informer.ts';
import type { SteveApis } from '../v1/steve.ts';
import { parseSteveTarget } from '../v1/steve-target.ts';
import type { NormanContext } from '../v3/norman-context.ts';
import { NormanError } from '../v3/norman-error.ts';
import { parseNormanTarget } from '../v3/norman-target.ts';
import type { NormanType, TypeTable } from '../v3/norman-type.ts';
import { contextFor, type ContextDeps } from '../v3/open-context.ts';
import type { MemberApis } from '../v3/member/member-apis.ts';
import { memberRoots } from '../v3/member/member-roots.ts';
import { eventSockets, type EventSocket } from './event-socket.ts';
import { followTypes } from './follow-types.ts';
import { namesOf } from './shared-sources.ts';
import { steveWatches } from './steve-watches.ts';

export interface SubscriptionsDeps extends ContextDeps {
  readonly steve: SteveApis;
  readonly members: MemberApis;
  /** The types of `/v3`. */
  readonly table: TypeTable;
  /** Says when objects of the hub have changed. */
  sourceOf(kind: KindRef): Informer;
  readonly version: string;
  /** How often it is looked at again whether somebody is still known, and may still hear of what he hears. Default 2.5 s: what is revoked ends within five. */
  readonly recheckMs?: number;
  onError?(error: unknown): void;
}

const hubPath = /^\/v3\/subscribe\/?$/;
const memberPath = /^\/v3\/clusters?\/[^/]+\/subscribe\/?$/;
const stevePath = /^(?:\/v1|\/k8s\/clusters\/[^/]+\/v1(?:\/harvester)?)\/subscribe\/?$/;

const pingMs = { v3: 5000, v1: 30_000 };

/** Where clients hear of changes: `/v3/subscribe`, `/v3/cluster/<id>/subscribe`, and `/v1/subscribe` of the hub and of members. */
export function subscriptions(deps: SubscriptionsDeps): DialectRoutes {
  const { recheckMs = 2500 } = deps;
  const sockets = eventSockets({ identify: deps.steve.identify, recheckMs });
  const roots = memberRoots(deps.members);
  return {
    roots: ['v3', 'v1', `${belowMember}v1`],
    handles: path => hubPath.test(path) || memberPath.test(path) || stevePath.test(path),
    handle: () => Promise.reject(new NormanError(400, 'BadRequest', 'changes are told on a WebSocket only')),
    wantsUpgrade: req => req.headers.upgrade?.toLowerCase() === 'websocket',
    upgrade: (req, connection) => (stevePath.test(pathOf(req)) ? openSteve(req, connection) : openTypes(req, connection)),
  };

  async function openSteve(req: IncomingMessage, connection: UpgradeConnection): Promise<void> {
    const caller = await deps.steve.identify(req);
    const { cluster } = parseSteveTarget(req.url ?? '');
    // Whoever may not know the cluster hears it before the connection leaves HTTP.
    await deps.steve.open(req, caller, cluster, AbortSignal.timeout(10_000));
    let watches: ReturnType<typeof steveWatches> | undefined;
    await sockets.open(req, connection, caller, {
      ping: { name: 'ping', data: { version: deps.version } },
      pingMs: pingMs.v1,
      onMessage(text, socket) {
        watches ??= steveWatches({ openApi: signal => deps.steve.open(req, caller, cluster, signal), recheckMs }, socket);
        watches.hear(text);
      },
    });
  }

  async function openTypes(req: IncomingMessage, connection: UpgradeConnection): Promise<void> {
    const caller = await deps.steve.identify(req);
    const ended = new AbortController();
    const hub = contextFor(deps, req, caller, ended.signal);
    const { segments, query } = parseNormanTarget(req.url ?? '');
    const isHub = hubPath.test(pathOf(req));
    const root = isHub ? { ctx: hub, table: deps.table } : await roots.open(hub, [...segments.slice(1, 3), 'schemas']);
    if (!root) throw new NormanError(404, 'NotFound', 'no resources types matched');
    const types = wantedTypes(root.table, query.getAll('resourceTypes'));
    if (types.length === 0) throw new NormanError(404, 'NotFound', 'no resources types matched');
    const socket = await sockets.open(req, connection, caller, { ping: { name: 'ping', data: {} }, pingMs: pingMs.v3 });
    socket.signal.addEventListener('abort', () => ended.abort(), { once: true });
    const sourceOf = isHub ? deps.sourceOf : ownSources(root.ctx, socket);
    followTypes(root.ctx, { sourceOf, table: root.table, types }, socket).catch((error: unknown) => {
      if (socket.signal.aborted) return;
      deps.onError?.(error);
      socket.fail();
    });
  }
}

/** Those that were asked for, all when none was, as far as changes of them are known. */
function wantedTypes(table: TypeTable, names: readonly string[]): NormanType[] {
  const wanted = new Set(names.map(name => name.toLowerCase()));
  return table.types.filter(({ id, kind, store }) => kind && store && (wanted.size === 0 || wanted.has(id.toLowerCase())));
}

/** Of a member a caller hears only what he may watch there himself. */
function ownSources({ hub }: NormanContext, { signal }: EventSocket): (kind: KindRef) => Informer {
  return kind => informer(hub, kind, { signal, keep: namesOf });
}

const pathOf = (req: IncomingMessage) => (req.url ?? '').split('?', 1)[0]!;
