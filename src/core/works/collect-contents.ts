import { Content, contentName, heldContentPrefix, storedChartLabel } from '../../api/content.ts';
import type { ObjectMeta } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import type { Work } from '../../api/work.ts';
import type { KubeClient } from '../../client/kube-client.ts';
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
import { lastPut } from '../contents/last-put.ts';
import { listContentMetadata } from '../contents/list-content-metadata.ts';
import type { RevisionInformer } from './keep-history.ts';
import { digestsOf } from './work-indexes.ts';

export interface ContentCollectorDeps {
  readonly hub: KubeClient;
  /** With `workIndexes`. */
  readonly works: Informer<Work>;
  readonly revisions: RevisionInformer;
  readonly signal: AbortSignal;
  /** Younger ones stay: whoever stored them may be about to name them. Default an hour. */
  readonly graceMs?: number;
  /** How long to gather reasons to look. Default a minute. */
  readonly delayMs?: number;
}

const key = 'contents';

/** Deletes Contents that no Work names, and none of the specs that Works had. Looks when something that named one has gone. */
export function runContentCollector(deps: ContentCollectorDeps): RunningController {
  const { hub, works, revisions, signal, graceMs = 3_600_000, delayMs = 60_000 } = deps;
  /** The parts of Contents that are named. They never change. */
  const parts = new Map<string, readonly string[]>();
  let lookAt: number | undefined;
  return runController({ name: 'contents', reconcile }, { triggers: [trigger()], signal, concurrency: 1, firstDelayMs: 5_000 });

  function trigger(): Trigger {
    return {
      synced: Promise.all([works.synced, revisions.synced]).then(() => {}),
      start(add) {
        add(key);
        const later = (had: readonly string[], has: readonly string[]) => {
          if (had.some(digest => !has.includes(digest))) add(key);
        };
        const subscriptions = [
          works.subscribe(({ type, object, old }) => later(old ? digestsOf(old) : [], type === 'DELETED' ? [] : digestsOf(object))),
          revisions.subscribe(({ type }) => type === 'DELETED' && add(key)),
        ];
        return { [Symbol.dispose]: () => subscriptions.forEach(one => one[Symbol.dispose]()) };
      },
    };
  }

  async function reconcile(_key: string, ctx: Context): Promise<Outcome> {
    const now = ctx.now.getTime();
    // Many Works go together: one look serves them all.
    lookAt ??= now + delayMs;
    if (now < lookAt) return requeue(lookAt - now);
    lookAt = undefined;
    const contents = await listContentMetadata(hub, { signal: ctx.signal });
    const named = await namedContents(contents, ctx.signal);
    let nextMs: number | undefined;
    for (const metadata of contents) {
      if (named.has(metadata.name!) || isKept(metadata)) continue;
      const restMs = lastPut({ metadata } as Content).getTime() + graceMs - now;
      if (restMs <= 0) await remove(metadata, ctx.signal);
      else nextMs = Math.min(nextMs ?? Infinity, restMs);
    }
    return nextMs === undefined ? settled : requeue(nextMs + 1000);
  }

  async function namedContents(contents: readonly ObjectMeta[], signal: AbortSignal): Promise<Set<string>> {
    const digests = new Set([
      ...works.list().flatMap(digestsOf),
      ...revisions.list().flatMap(one => (one.data as unknown as { digests: string[] }).digests),
    ]);
    for (const metadata of contents) if (isKept(metadata)) digests.add((metadata.name ?? '').replace('-', ':'));
    const names = new Set<string>();
    for (const digest of digests) {
      names.add(contentName(digest));
      for (const part of await partsOf(digest, signal)) names.add(part);
    }
    for (const digest of parts.keys()) if (!digests.has(digest)) parts.delete(digest);
    return names;
  }

  async function partsOf(digest: string, signal: AbortSignal): Promise<readonly string[]> {
    const known = parts.get(digest);
    if (known) return known;
    const found = await hub.get(Content, { name: contentName(digest) }, { signal });
    if (found) parts.set(digest, found.spec.parts ?? []);
    return found?.spec.parts ?? [];
  }

  /** Whoever has stored it again in the meantime has changed it. */
  async function remove({ name, uid, resourceVersion }: ObjectMeta, signal: AbortSignal): Promise<void> {
    const preconditions = { ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) };
    try {
      await hub.delete(Content, { name: name! }, { signal, preconditions });
    } catch (error) {
      if (!(error instanceof StatusError && error.code === 409)) throw error;
    }
  }
}

/** Kept by somebody, whether Works name it or not. */
const isKept = ({ labels = {} }: ObjectMeta): boolean =>
  Object.keys(labels).some(label => label === storedChartLabel || label.startsWith(heldContentPrefix));
