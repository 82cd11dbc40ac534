import type { KindRef } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import { mapBounded } from '../../../util/map-bounded.ts';
import type { NormanContext } from '../v3/norman-context.ts';
import type { Entry, NormanType, TypeTable } from '../v3/norman-type.ts';
import { collectionUrl, pathPart, printResource } from '../v3/print-resource.ts';
import type { EventSocket } from './event-socket.ts';

/** Says when objects of a kind have changed, as an Informer does. */
export interface ChangeSource {
  readonly synced: Promise<void>;
  subscribe(listener: (change: { readonly object: KubeObject }) => void): Disposable;
}

export interface Following {
  /** What has changed, the caller reads himself, with his own rights. */
  sourceOf(kind: KindRef): ChangeSource;
  readonly table: TypeTable;
  readonly types: readonly NormanType[];
}

const atATime = 8;
const everything = { equals: () => undefined };

/** Tells a client of all resources of some types that it may see, and then of every change, until the connection ends. */
export async function followTypes(ctx: NormanContext, { sourceOf, table, types }: Following, socket: EventSocket): Promise<void> {
  const ended = new Promise<void>(resolve => socket.signal.addEventListener('abort', () => resolve(), { once: true }));
  await Promise.all(types.map(type => follow(type)));

  async function follow(type: NormanType): Promise<void> {
    const { kinds, idOf } = type.follows!;
    const shown = new Set<string>();
    const changed = new Set<string>();
    let wake = () => {};
    void ended.then(() => wake());
    using subscriptions = new DisposableStack();
    for (const kind of kinds)
      subscriptions.use(
        sourceOf(kind).subscribe(({ object }) => {
          changed.add(idOf(object, kind));
          wake();
        }),
      );
    await Promise.race([Promise.all(kinds.map(kind => sourceOf(kind).synced)), ended]);
    if (socket.signal.aborted) return;
    for (const entry of await type.store!.list(ctx, everything)) await tell(entry, type, shown);
    while (!socket.signal.aborted) {
      if (changed.size === 0) await new Promise<void>(resolve => (wake = resolve));
      const ids = [...changed];
      changed.clear();
      await mapBounded(ids, atATime, id => look(id, type, shown));
    }
  }

  async function look(id: string, type: NormanType, shown: Set<string>): Promise<void> {
    const entry = await type.store!.get(ctx, id);
    if (entry) return tell(entry, type, shown);
    if (!shown.delete(id)) return;
    const self = `${collectionUrl(ctx, type)}/${pathPart(id)}`;
    socket.send({ name: 'resource.remove', data: { id, type: type.id, baseType: type.id, links: { self }, actions: {} } });
  }

  async function tell(entry: Entry, type: NormanType, shown: Set<string>): Promise<void> {
    shown.add(entry.id);
    socket.send({ name: 'resource.change', data: await printResource(ctx, table, type, entry) });
    await socket.ready();
  }
}
