import { Content, contentName, heldContentLabel } from '../../api/content.ts';
import type { KubeObject } from '../../api/object.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { isMissing } from '../../client/missing-object.ts';
import { lastPut } from '../../core/contents/last-put.ts';
import { listContentMetadata } from '../../core/contents/list-content-metadata.ts';
import {
  requeue,
  runController,
  settled,
  type Context,
  type Outcome,
  type RunningController,
  type Trigger,
} from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import { contentAnnotation } from './template-content.ts';

export const holderValue = 'k0rdent';

/** Keeps a Content from being collected though no Work names it. False when there is none. */
export async function holdContent(hub: KubeClient, digest: string, signal: AbortSignal): Promise<boolean> {
  const name = contentName(digest);
  const present = await hub.get(Content, { name }, { signal });
  if (!present) return false;
  if (present.metadata.labels?.[heldContentLabel] === holderValue) return true;
  return label(hub, name, holderValue, signal);
}

async function label(hub: KubeClient, name: string, value: string | null, signal: AbortSignal): Promise<boolean> {
  try {
    await hub.patch(Content, { name }, { type: 'merge', body: { metadata: { labels: { [heldContentLabel]: value } } } }, { signal });
    return true;
  } catch (error) {
    if (!isMissing(error, { name })) throw error;
    return false;
  }
}

export interface HeldContentsDeps {
  readonly hub: KubeClient;
  /** Whose objects name Contents. */
  readonly holders: readonly Informer[];
  readonly signal: AbortSignal;
  /** Younger ones stay: whoever stored them may be about to name them. Default ten minutes. */
  readonly graceMs?: number;
}

const key = 'held contents';
const digestOf = ({ metadata }: KubeObject): string | undefined => metadata.annotations?.[contentAnnotation];

/** Lets Contents go that no template and no source names any more. */
export function runHeldContents({ hub, holders, signal, graceMs = 600_000 }: HeldContentsDeps): RunningController {
  return runController({ name: 'k0rdent-contents', reconcile }, { triggers: [trigger()], signal, concurrency: 1, firstDelayMs: 5_000 });

  function trigger(): Trigger {
    return {
      synced: Promise.all(holders.map(one => one.synced)).then(() => {}),
      start(add) {
        add(key);
        const subscriptions = holders.map(holder =>
          holder.subscribe(({ type, object, old }) => {
            const had = digestOf(old ?? object);
            if (had !== undefined && (type === 'DELETED' || had !== digestOf(object))) add(key);
          }),
        );
        return { [Symbol.dispose]: () => subscriptions.forEach(one => one[Symbol.dispose]()) };
      },
    };
  }

  async function reconcile(_key: string, ctx: Context): Promise<Outcome> {
    const contents = await listContentMetadata(hub, { labelSelector: `${heldContentLabel}=${holderValue}`, signal: ctx.signal });
    const named = new Set(holders.flatMap(holder => holder.list().flatMap(obj => digestOf(obj) ?? [])).map(contentName));
    let nextMs: number | undefined;
    for (const metadata of contents) {
      if (named.has(metadata.name!)) continue;
      const restMs = lastPut({ metadata } as Content).getTime() + graceMs - ctx.now.getTime();
      if (restMs <= 0) await label(hub, metadata.name!, null, ctx.signal);
      else nextMs = Math.min(nextMs ?? Infinity, restMs);
    }
    return nextMs === undefined ? settled : requeue(nextMs + 1000);
  }
}
