import type { KindRef } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import { informer, type Informer } from '../../../runtime/informer.ts';
import type { NormanContext } from '../v3/norman-context.ts';
import type { ChangeSource } from './follow-types.ts';
import { namesOf } from './shared-sources.ts';

export interface CallerSourcesOptions {
  readonly signal: AbortSignal;
  /** The namespaces that matter. All when absent. */
  places?(): Promise<readonly string[]>;
}

/** What says that something on a member has changed, watched with the rights that a caller has there. */
export interface CallerSources {
  sourceOf(kind: KindRef): ChangeSource;
  /** Looks again what the caller may watch. What he may not any more, or what does not matter any more, is told as changed. */
  renew(): Promise<void>;
}

interface Running {
  readonly objects: Informer;
  readonly stop: AbortController;
}

/** One thing to watch: everything, a namespace, or one name. */
interface Wish {
  readonly namespace?: string;
  readonly fieldSelector?: string;
}

/** Who has rights in single places, or to single names, is watched for in so many of them. */
const mostWishes = 32;
/** Of all kinds together, for one connection. */
const mostWatches = 128;

export function callerSources(ctx: NormanContext, { signal, places }: CallerSourcesOptions): CallerSources {
  const sources = new Map<string, ReturnType<typeof kindSource>>();
  let watches = 0;
  return {
    sourceOf(kind) {
      const key = `${kind.resource}.${kind.group}`;
      let source = sources.get(key);
      if (!source) sources.set(key, (source = kindSource(kind)));
      return source;
    },
    async renew() {
      await Promise.all([...sources.values()].map(source => source.renew()));
    },
  };

  function kindSource(kind: KindRef): ChangeSource & { renew(): Promise<void> } {
    const running = new Map<string, Running>();
    const listeners = new Set<(change: { readonly object: KubeObject }) => void>();
    /** Undefined: all namespaces. */
    let near: ReadonlySet<string> | undefined;
    const synced = renew().then(async () => {
      // One that is not wanted any more is waited for by nobody.
      await Promise.all([...running.values()].map(({ objects }) => objects.synced.catch(() => {})));
    });
    synced.catch(() => {});
    return {
      synced,
      renew,
      subscribe(listener) {
        listeners.add(listener);
        return { [Symbol.dispose]: () => void listeners.delete(listener) };
      },
    };

    async function renew(): Promise<void> {
      const before = near;
      near = kind.scope === 'Namespaced' && places ? new Set(await places()) : undefined;
      const wanted = new Map((await wishesFor(kind, near)).map(wish => [JSON.stringify(wish), wish]));
      if (signal.aborted) return;
      for (const [key, { objects, stop }] of running)
        if (!wanted.has(key)) {
          running.delete(key);
          watches--;
          stop.abort();
          tell(objects.list(), () => true);
        }
      const hasMoved = (namespace: string) => before?.has(namespace) !== near?.has(namespace);
      for (const { objects } of running.values()) tell(objects.list(), hasMoved);
      for (const [key, wish] of wanted) if (!running.has(key) && watches < mostWatches) running.set(key, start(wish));
    }

    function start(wish: Wish): Running {
      const stop = new AbortController();
      watches++;
      const objects = informer(ctx.hub, kind, { ...wish, signal: AbortSignal.any([signal, stop.signal]), keep: namesOf });
      objects.subscribe(({ object }) => tell([object], namespace => near?.has(namespace) ?? true));
      return { objects, stop };
    }

    function tell(objects: readonly KubeObject[], isMeant: (namespace: string) => boolean): void {
      for (const object of objects) if (isMeant(object.metadata.namespace ?? '')) for (const listener of listeners) listener({ object });
    }
  }

  async function wishesFor(kind: KindRef, near: ReadonlySet<string> | undefined): Promise<Wish[]> {
    const everywhere = await reach(kind, '');
    if (everywhere.isEverything) return [{}];
    if (kind.scope === 'Cluster') return everywhere.names.slice(0, mostWishes).map(name => ({ fieldSelector: `metadata.name=${name}` }));
    const namespaces = [...(near ?? [])].slice(0, mostWishes);
    const open = await Promise.all(namespaces.map(async namespace => ((await reach(kind, namespace)).isEverything ? [{ namespace }] : [])));
    return open.flat();
  }

  async function reach(kind: KindRef, namespace: string): Promise<{ isEverything: boolean; names: string[] }> {
    const [list, watch] = await Promise.all([ctx.rights.reach('list', kind, namespace), ctx.rights.reach('watch', kind, namespace)]);
    return {
      isEverything: list.isEverything && watch.isEverything,
      names: [...watch.names].filter(name => list.covers(name)),
    };
  }
}
