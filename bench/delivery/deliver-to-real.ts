import { setTimeout as sleep } from 'node:timers/promises';
import { newObject } from '../../src/api/define-kind.ts';
import { Work } from '../../src/api/work.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { mapBounded } from '../../src/util/map-bounded.ts';
import { configMaps } from './config-maps.ts';
import type { HubWithMembers, JoinedMember } from './real-members.ts';

export interface DeliveryTime {
  /** Until the last object is on the last member. */
  readonly onMembersSeconds: number;
  /** Until the hub says of every Work that it is ready: all is there and healthy. */
  readonly toldSeconds: number;
}

export interface DeliverOptions {
  readonly count: number;
  readonly namespace: string;
  /** All objects in one Work for each member, or a Work for each object. */
  readonly form: 'one Work' | 'a Work for each';
  readonly timeoutMs: number;
}

/** Asking costs the members, too, which have all the machine to share. */
const memberPollMs = 500;
const hubPollMs = 200;
const labelOf = (namespace: string) => ({ 'bench-run': namespace });

export const workName = (namespace: string, i = 0): string => `${namespace}-${i}`;

/** Writes the Works and waits until their objects are there. */
export async function deliver(rig: HubWithMembers, { count, namespace, form, timeoutMs }: DeliverOptions): Promise<DeliveryTime> {
  const { hubClient, members } = rig;
  const objects = configMaps(count, namespace);
  const sets = form === 'one Work' ? [objects] : objects.map(obj => [obj]);
  const works = sets.flatMap((manifests, i) =>
    members.map(({ id }) =>
      newObject(
        Work,
        { name: workName(namespace, i), namespace: id, labels: labelOf(namespace) },
        { release: { name: workName(namespace, i), namespace }, manifests: manifests as unknown as JsonObject[], options: { wait: false } },
      ),
    ),
  );
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  const there = Promise.all(members.map(member => untilThere(member, namespace, count, timeoutMs))).then(seconds);
  await mapBounded(works, 32, work => hubClient.create(Work, work, { timeoutMs: 60_000 }));
  const onMembersSeconds = await there;
  await untilReady(rig, namespace, works.length, timeoutMs);
  return { toldSeconds: seconds(), onMembersSeconds };
}

interface Table {
  readonly columnDefinitions: readonly { name: string }[];
  readonly rows?: readonly { cells: unknown[] }[];
}

/** A table is a small answer, also about large Works, and asking for one now and then keeps nobody from working. */
async function untilReady({ hub }: HubWithMembers, namespace: string, count: number, timeoutMs: number): Promise<void> {
  const path = `/apis/drover.io/v1alpha1/works?labelSelector=bench-run%3D${namespace}`;
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  for (const deadline = performance.now() + timeoutMs; performance.now() < deadline; await sleep(hubPollMs)) {
    const { columnDefinitions, rows = [] } = (await hub.request('GET', path, undefined, { accept })).json<Table>();
    const ready = columnDefinitions.findIndex(({ name }) => name === 'Ready');
    if (rows.length === count && rows.every(({ cells }) => cells[ready] === 'True')) return;
  }
  throw new Error(`not every Work was ready within ${timeoutMs} ms`);
}

/** A page with one object tells how many more there are, and costs the member next to nothing. */
async function untilThere({ cluster }: JoinedMember, namespace: string, count: number, timeoutMs: number): Promise<void> {
  const query = 'labelSelector=app%3Dbench&limit=1000';
  for (const deadline = performance.now() + timeoutMs; performance.now() < deadline; await sleep(memberPollMs)) {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const page = (await cluster.request('GET', `${path}?limit=1`)).json<{ items?: unknown[]; metadata: { remainingItemCount?: number } }>();
    // The cluster puts one of its own into every namespace.
    if ((page.items?.length ?? 0) + (page.metadata.remainingItemCount ?? 0) < count) continue;
    const all = (await cluster.request('GET', `${path}?${query}`)).json<{ items: unknown[] }>();
    if (all.items.length >= count) return;
  }
  throw new Error(`not everything was on ${cluster.server} within ${timeoutMs} ms`);
}
