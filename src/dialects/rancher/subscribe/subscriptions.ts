import type { IncomingMessage } from 'node:http';
import type { KindRef } from '../../../api/define-kind.ts';
import type { DialectRoutes, UpgradeConnection } from '../../../gateway/dialect-routes.ts';
import { belowMember } from '../../../gateway/routes-by-root.ts';
import type { SteveApis } from '../v1/steve.ts';
import { parseSteveTarget } from '../v1/steve-target.ts';
import { NormanError, normanErrorOf } from '../v3/norman-error.ts';
import { parseNormanTarget } from '../v3/norman-target.ts';
import type { NormanType, TypeTable } from '../v3/norman-type.ts';
import { contextFor, type ContextDeps } from '../v3/open-context.ts';
import type { MemberApis } from '../v3/member/member-apis.ts';
import { memberRoots, type MemberRoot } from '../v3/member/member-roots.ts';
import { callerSources } from './caller-sources.ts';
import { eventSockets, type EventSocket } from './event-socket.ts';
import { followTypes, type ChangeSource } from './follow-types.ts';
import { steveWatches } from './steve-watches.ts';

export interface SubscriptionsDeps extends ContextDeps {
  readonly steve: SteveApis;
  readonly members: MemberApis;
  /** The types of `/v3`. */
  readonly table: TypeTable;
  /** Says when objects of the hub have changed. */
  sourceOf(kind: KindRef): ChangeSource;
  readonly version: string;
  /** How often it is looked at again whether somebody is still known, and may still hear of what he hears. Default 2.5 s: what is revoked ends within five. */
  readonly recheckMs?: number;
  onError?(error: unknown): void;
}

const hubPath = /^\/v3\/subscribe\/?$/i;
const memberPath = /^\/v3\/(?:clusters?|projects?)\/[^/]+\/subscribe\/?$/i;
const stevePath = /^(?:\/v1|\/k8s\/clusters\/[^/]+\/v1(?:\/harvester)?)\/subscribe\/?$/;

const pingMs = { v3: 5000, v1: 30_000 };
/** The hub's door is looked at in every round. What is behind it every few: whatever is told is read as the caller anyway. */
const roundsApart = 2;

/** Where clients hear of changes: `/v3/subscribe`, the same below `/v3/cluster/<id>` and `/v3/project/<id>`, and `/v1/subscribe` of the hub and of members. */
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
    const openRoot = () => roots.open(hub, [...segments.slice(1, 3), 'schemas']);
    const root: Pick<MemberRoot, 'ctx' | 'table' | 'place'> | undefined = isHub ? { ctx: hub, table: deps.table } : await openRoot();
    const types = root ? wantedTypes(root.table, query.getAll('resourceTypes')) : [];
    if (!root || types.length === 0) throw new NormanError(404, 'NotFound', 'no resources types matched');
    const socket = await sockets.open(req, connection, caller, { ping: { name: 'ping', data: {} }, pingMs: pingMs.v3 });
    socket.signal.addEventListener('abort', () => ended.abort(), { once: true });
    const { ctx, table, place } = root;
    const sources = isHub
      ? undefined
      : callerSources(ctx, { signal: socket.signal, ...(place && { places: () => place.namespaces(ctx) }) });
    const fail = (error: unknown) => {
      if (socket.signal.aborted) return;
      deps.onError?.(error);
      socket.fail();
    };
    followTypes(ctx, { sourceOf: sources?.sourceOf ?? deps.sourceOf, table, types }, socket).catch(fail);
    if (sources)
      void lookAgain(socket, async isThorough => {
        await openRoot();
        if (!isThorough) return;
        await place?.renew(ctx);
        await sources.renew();
      });
  }

  /** Rights on the hub and on the member may change, and so may what belongs to a project. A member that is away changes nothing. */
  async function lookAgain(socket: EventSocket, look: (isThorough: boolean) => Promise<void>): Promise<void> {
    for (let round = 1; !socket.signal.aborted; round++) {
      await new Promise(resolve => setTimeout(resolve, recheckMs).unref());
      try {
        await look(round % roundsApart === 0);
      } catch (error) {
        const { status } = normanErrorOf(error);
        if (status === 403 || status === 404) socket.refuse();
      }
    }
  }
}

/** Those that were asked for, all when none was, as far as changes of them are known. */
function wantedTypes(table: TypeTable, names: readonly string[]): NormanType[] {
  const wanted = new Set(names.map(name => name.toLowerCase()));
  return table.types.filter(({ id, follows, store }) => follows && store && (wanted.size === 0 || wanted.has(id.toLowerCase())));
}

const pathOf = (req: IncomingMessage) => (req.url ?? '').split('?', 1)[0]!;
