import { Content, contentName } from '../../api/content.ts';
import { findCondition, withConditions, type ConditionReport } from '../../api/conditions.ts';
import { sourcesManager, Work, workAnnotations, workConditions, workReasons } from '../../api/work.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { isMissing } from '../../client/missing-object.ts';
import {
  changesOf,
  requeue,
  runController,
  settled,
  type Context,
  type Outcome,
  type RunningController,
} from '../../runtime/controller.ts';
import { eventRecorder } from '../../runtime/event-recorder.ts';
import type { Informer } from '../../runtime/informer.ts';
import type { Key } from '../../runtime/key.ts';
import type { Egress } from '../../sources/egress.ts';
import { createSourceCaches } from '../../sources/source-caches.ts';
import { cacheKey, type SourceContext } from '../../sources/source-context.ts';
import { SourceError } from '../../sources/source-error.ts';
import { errorText } from '../../util/error-text.ts';
import { jsonEqual } from '../../util/json.ts';
import { timestamp } from '../../util/timestamp.ts';
import { failsForGood } from '../works/fails-for-good.ts';
import { fetchContent, hubRepository } from './fetch-content.ts';
import { readCredentials } from './read-credentials.ts';
import { SourceResults, type SourceResult, type SourceResultsOptions } from './source-results.ts';
import { sourceDigest, sourceOf, wantedContent, type WorkSource } from './wanted-content.ts';

export interface ContentPinnerDeps extends SourceResultsOptions {
  readonly hub: KubeClient;
  readonly works: Informer<Work>;
  readonly egress: Egress;
  /** The name of the cluster that a namespace belongs to. */
  clusterName(namespace: string): string;
  readonly signal: AbortSignal;
}

/** Owns `content` of Works that name a repository, and what their status says while it cannot be had. */
const fieldManager = sourcesManager;

const secretLookMs = 15_000;

/** Looking into our own store costs little, and somebody may have pushed the chart. */
const storeRetry = { firstDelayMs: 1000, maxDelayMs: 8000 };

/** Fetches what Works name a source for, once for all that name the same, and pins each Work to the bytes. */
export function runContentPinner(deps: ContentPinnerDeps): RunningController {
  const { hub, works, egress, clusterName, signal } = deps;
  const caches = createSourceCaches();
  const results = new SourceResults(deps);
  const events = eventRecorder(hub, { controller: 'sources', signal });
  return runController({ name: 'sources', reconcile }, { triggers: [changesOf(works)], signal, concurrency: 16, firstDelayMs: 1000 });

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const work = works.get(key);
    const source = work && sourceOf(work);
    if (!work || work.metadata.deletionTimestamp !== undefined) return settled;
    const wanted = wantedContent(work);
    const isThere = wanted !== 'waiting' && !(source && wanted && (await isGone(work, wanted.digest, ctx.signal)));
    if (!source || isThere) return cleared(work, ctx);

    const result = await resultFor(work, source, ctx);
    if ('error' in result) {
      await reportFailure(work, result, ctx);
      const restMs = Math.max(result.nextTry.getTime() - ctx.now.getTime(), 0) + 10;
      // Whoever has corrected the Secret does not wait until the source would be asked again.
      return requeue(source.secretName === undefined ? restMs : Math.min(restMs, secretLookMs));
    }
    await pin(work, source, result.digest, ctx);
    return cleared(work, ctx);
  }

  /** Asked only when somebody says so: the bytes of Works that are delivered are of no interest. */
  async function isGone(work: Work, digest: string, stop: AbortSignal): Promise<boolean> {
    if (findCondition(work, workConditions.ready)?.reason !== workReasons.waitingForContent) return false;
    if (work.metadata.annotations?.[workAnnotations.contentOf] === undefined) return false;
    return (await hub.get(Content, { name: contentName(digest) }, { signal: stop })) === undefined;
  }

  async function resultFor(work: Work, source: WorkSource, { signal: stop }: Context): Promise<SourceResult> {
    const { namespace = '' } = work.metadata;
    let context: SourceContext;
    try {
      context = { egress, caches, credentials: await readCredentials(hub, { namespace, ...source }, stop), signal: stop };
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      // Of this namespace alone: others may have such a Secret.
      const missing = error;
      return results.get(JSON.stringify([namespace, source.secretName]), stop, () => Promise.reject(missing));
    }
    const key = cacheKey(context, sourceDigest(source));
    if (wantedContent(work) !== 'waiting') results.forget(key);
    const retry = source.repository === hubRepository ? storeRetry : undefined;
    return results.get(key, stop, signal => fetchContent(hub, source, { ...context, signal }), retry);
  }

  async function pin({ metadata }: Work, source: WorkSource, digest: string, { signal: stop }: Context): Promise<void> {
    const { namespace = '', name = '', uid } = metadata;
    const annotations = { [workAnnotations.contentOf]: sourceDigest(source) };
    const pinned = {
      metadata: { namespace, name, ...(uid !== undefined && { uid }), annotations },
      spec: { [source.form]: { content: digest } },
    };
    try {
      await hub.apply(Work, pinned as unknown as Work, { fieldManager, signal: stop });
    } catch (error) {
      if (!isMissing(error, { name })) throw error;
    }
  }

  async function reportFailure(
    work: Work,
    { error, failures, nextTry }: Extract<SourceResult, { error: SourceError }>,
    ctx: Context,
  ): Promise<void> {
    const { release } = work.spec;
    const place = `Release "${release.namespace}/${release.name}" on cluster "${clusterName(work.metadata.namespace ?? '')}"`;
    const message = `${place} cannot be had from its source: ${errorText(error)}`;
    const said = { reason: workReasons.sourceFailed, message };
    const reports: ConditionReport[] = [
      { type: workConditions.applied, status: 'False', ...said },
      { type: workConditions.ready, status: 'False', ...said },
      ...(error.isFinal ? [{ type: workConditions.stalled, status: 'True' as const, ...said }] : []),
    ];
    const types = new Set(reports.map(({ type }) => type));
    const present = work.status?.conditions?.filter(one => types.has(one.type));
    const conditions = withConditions(present, reports, { now: ctx.now, generation: work.metadata.generation });
    events.record(work, { type: 'Warning', reason: workReasons.sourceFailed, action: 'Fetch', note: message });
    const trouble = failsForGood(error, failures) ? { trouble: said.reason } : {};
    const isSaid =
      jsonEqual(
        conditions,
        present?.toSorted((a, b) => (a.type < b.type ? -1 : 1)),
      ) && work.status?.nextTry === timestamp(nextTry);
    if (!isSaid) await applyStatus(work, { conditions, failures, nextTry: timestamp(nextTry), ...trouble }, ctx);
  }

  /** Gives up what was said of a failure that is over. */
  async function cleared(work: Work, ctx: Context): Promise<Outcome> {
    const isSaid = work.status?.conditions?.some(one => one.reason === workReasons.sourceFailed) === true;
    if (isSaid) await applyStatus(work, { conditions: [] }, ctx);
    return settled;
  }

  async function applyStatus({ metadata }: Work, status: NonNullable<Work['status']>, ctx: Context): Promise<void> {
    const { namespace = '', name = '', uid } = metadata;
    const target = { namespace, name, ...(uid !== undefined && { uid }) };
    try {
      await hub.apply(Work, { metadata: target, status }, { fieldManager, subresource: 'status', signal: ctx.signal });
    } catch (error) {
      if (!isMissing(error, { name })) throw error;
    }
  }
}
