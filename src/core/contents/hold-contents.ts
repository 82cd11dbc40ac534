import { Content, contentName, heldContentLabel } from '../../api/content.ts';
import type { KubeObject } from '../../api/object.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { isMissing } from '../../client/missing-object.ts';
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
import { lastPut } from './last-put.ts';
import { listContentMetadata } from './list-content-metadata.ts';

/** Keeps a Content from being collected though no Work names it. False when there is none. */
export async function holdContent(hub: KubeClient, holder: string, digest: string, signal: AbortSignal): Promise<boolean> {
  const name = contentName(digest);
  const present = await hub.get(Content, { name }, { signal });
  if (!present) return false;
  if (present.metadata.labels?.[heldContentLabel(holder)] !== undefined) return true;
  return mark(hub, name, { [heldContentLabel(holder)]: 'true' }, signal);
}

async function mark(hub: KubeClient, name: string, labels: Record<string, string | null>, signal: AbortSignal): Promise<boolean> {
  try {
    await hub.patch(Content, { name }, { type: 'merge', body: { metadata: { labels } } }, { signal });
    return true;
  } catch (error) {
    if (!isMissing(error, { name })) throw error;
    return false;
  }
}

export interface HeldContentsDeps {
  readonly hub: KubeClient;
  /** Under which name they are held. */
  readonly holder: string;
  /** Whose objects name Contents. */
  readonly holders: readonly Informer[];
  /** What an object names. */
  digestsOf(obj: KubeObject): readonly string[];
  readonly signal: AbortSignal;
  /** Younger ones stay: whoever stored them may be about to name them. Default ten minutes. */
  readonly graceMs?: number;
}

const key = 'held contents';

/** Lets Contents go that no object names any more. */
export function runHeldContents({ hub, holder, holders, digestsOf, signal, graceMs = 600_000 }: HeldContentsDeps): RunningController {
  const label = heldContentLabel(holder);
  return runController({ name: `${holder}-contents`, reconcile }, { triggers: [trigger()], signal, concurrency: 1, firstDelayMs: 5_000 });

  function trigger(): Trigger {
    return {
      synced: Promise.all(holders.map(one => one.synced)).then(() => {}),
      start(add) {
        add(key);
        const subscriptions = holders.map(informer =>
          informer.subscribe(({ type, object, old }) => {
            const has = type === 'DELETED' ? [] : digestsOf(object);
            if (digestsOf(old ?? object).some(digest => !has.includes(digest))) add(key);
          }),
        );
        return { [Symbol.dispose]: () => subscriptions.forEach(one => one[Symbol.dispose]()) };
      },
    };
  }

  async function reconcile(_key: string, ctx: Context): Promise<Outcome> {
    const contents = await listContentMetadata(hub, { labelSelector: label, signal: ctx.signal });
    const named = new Set(holders.flatMap(informer => informer.list().flatMap(digestsOf)).map(contentName));
    let nextMs: number | undefined;
    for (const metadata of contents) {
      if (named.has(metadata.name!)) continue;
      const restMs = lastPut({ metadata } as Content).getTime() + graceMs - ctx.now.getTime();
      if (restMs <= 0) await mark(hub, metadata.name!, { [label]: null }, ctx.signal);
      else nextMs = Math.min(nextMs ?? Infinity, restMs);
    }
    return nextMs === undefined ? settled : requeue(nextMs + 1000);
  }
}
