import { withConditions, type ConditionReport } from '../../api/conditions.ts';
import { Content, contentName, contentTypes } from '../../api/content.ts';
import type { Kind } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import { workAnnotations } from '../../api/work.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { putContent } from '../../core/contents/put-content.ts';
import { readContent } from '../../core/contents/read-content.ts';
import { fetchContent, hubRepository } from '../../core/sources/fetch-content.ts';
import { readCredentials } from '../../core/sources/read-credentials.ts';
import { SourceResults, type SourceResult, type SourceResultsOptions } from '../../core/sources/source-results.ts';
import {
  changesOf,
  requeue,
  runController,
  settled,
  type Context,
  type Outcome,
  type RunningController,
  type Trigger,
} from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import { keyOf, type Key } from '../../runtime/key.ts';
import { digestOf } from '../../sources/digest.ts';
import type { Egress } from '../../sources/egress.ts';
import { createSourceCaches } from '../../sources/source-caches.ts';
import { cacheKey, type SourceContext } from '../../sources/source-context.ts';
import { SourceError } from '../../sources/source-error.ts';
import { errorText } from '../../util/error-text.ts';
import { timestamp } from '../../util/timestamp.ts';
import { bySource, sourceKey, type FluxInformers } from './flux-informers.ts';
import { holdContent } from './hold-contents.ts';
import { Bucket, GitRepository, HelmChart, HelmRepository, OCIRepository } from './kinds/flux-source.ts';
import { markObject, reportStatus } from './report-status.ts';
import { contentAnnotation } from './template-content.ts';
import {
  addressOfBucket,
  addressOfChart,
  addressOfGit,
  addressOfOci,
  intervalMs,
  type ChartHolder,
  type FluxAddress,
} from './template-source.ts';
import { withValuesFiles } from './values-files.ts';

export interface FluxDeps extends SourceResultsOptions {
  readonly hub: KubeClient;
  readonly egress: Egress;
  readonly flux: FluxInformers;
  readonly signal: AbortSignal;
}

type Status = NonNullable<HelmChart['status']>;
type Source = KubeObject & { spec: { suspend?: boolean; interval?: string }; status?: Status };

const fieldManager = 'drover-k0rdent-sources';
/** Flux's own controller puts this on what it looks after; the status is then its business. */
const fluxFinalizer = 'finalizers.fluxcd.io';
const secretLookMs = 15_000;
/** Looking into our own store costs little, and somebody may have pushed the chart. */
const storeRetry = { firstDelayMs: 1000, maxDelayMs: 8000 };

/** Fetches what sources of Flux name, keeps it as a Content that the annotation `drover.io/content` names, and says how it went. */
export function runFlux(deps: FluxDeps): RunningController[] {
  const { hub, egress, flux, signal } = deps;
  const caches = createSourceCaches();
  const results = new SourceResults(deps);
  const chartsOf = (kind: string) => (obj: KubeObject) => flux.helmCharts.by(bySource, sourceKey(kind, obj)).map(keyOf);
  return [
    run(HelmChart, flux.helmCharts, chart => addressOfChart(chart, holderOf(chart)), [
      changesOf(flux.helmRepositories, chartsOf('HelmRepository')),
      changesOf(flux.gitRepositories, chartsOf('GitRepository')),
      changesOf(flux.buckets, chartsOf('Bucket')),
    ]),
    run(GitRepository, flux.gitRepositories, addressOfGit),
    run(OCIRepository, flux.ociRepositories, addressOfOci),
    run(HelmRepository, flux.helmRepositories, () => 'nothing to fetch'),
    run(Bucket, flux.buckets, addressOfBucket),
  ];

  function holderOf({ metadata, spec: { sourceRef } }: HelmChart): ChartHolder {
    const key = `${metadata.namespace}/${sourceRef.name}`;
    if (sourceRef.kind === 'Bucket') return { kind: 'Bucket', object: flux.buckets.get(key) };
    return sourceRef.kind === 'GitRepository'
      ? { kind: 'GitRepository', object: flux.gitRepositories.get(key) }
      : { kind: 'HelmRepository', object: flux.helmRepositories.get(key) };
  }

  function run<T extends Source>(
    kind: Kind<T['spec'], Status>,
    objects: Informer<T>,
    addressOf: (obj: T) => FluxAddress | 'nothing to fetch',
    triggers: readonly Trigger[] = [],
  ): RunningController {
    const lookAt = new Map<Key, number>();
    return runController(
      { name: `k0rdent-${kind.resource}`, reconcile },
      { triggers: [changesOf(objects), ...triggers], signal, concurrency: 8, firstDelayMs: 1000 },
    );

    async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
      const obj = objects.get(key);
      if (!obj || obj.metadata.deletionTimestamp !== undefined) return (lookAt.delete(key), settled);
      try {
        const address = addressOf(obj);
        if (address === 'nothing to fetch')
          return (await report(obj, ready('its charts are fetched when they are needed'), {}, ctx), settled);
        return await keepFetched(key, obj, address, ctx);
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        await report(obj, failed(error), keptArtifact(obj), ctx);
        return settled;
      }
    }

    async function keepFetched(key: Key, obj: T, address: FluxAddress, ctx: Context): Promise<Outcome> {
      const now = ctx.now.getTime();
      const fetchedOf = digestOf(JSON.stringify([address, obj.metadata.namespace]));
      const annotations = obj.metadata.annotations ?? {};
      const digest = annotations[workAnnotations.contentOf] === fetchedOf ? annotations[contentAnnotation] : undefined;
      const isThere = digest !== undefined && (await holdContent(hub, digest, ctx.signal));
      const everyMs = address.isMoving && obj.spec.suspend !== true ? intervalMs(obj.spec.interval) : undefined;
      if (everyMs !== undefined && !lookAt.has(key)) lookAt.set(key, isThere ? now + everyMs : now);
      const isDue = everyMs !== undefined && now >= lookAt.get(key)!;
      if (isThere && !isDue) {
        await reportFetched(obj, address, digest, ctx);
        return everyMs === undefined ? settled : requeue(lookAt.get(key)! - now);
      }
      const result = await resultFor(obj, address, !isThere, ctx);
      if ('error' in result) {
        await report(obj, failed(result.error), keptArtifact(obj), ctx);
        const restMs = Math.max(result.nextTry.getTime() - now, 0) + 10;
        const hasSecret = address.secretName !== undefined || address.certSecretName !== undefined;
        return requeue(hasSecret ? Math.min(restMs, secretLookMs) : restMs);
      }
      if (everyMs !== undefined) lookAt.set(key, now + everyMs);
      await holdContent(hub, result.digest, ctx.signal);
      const marks = { annotations: { [contentAnnotation]: result.digest, [workAnnotations.contentOf]: fetchedOf } };
      await markObject(hub, kind, obj, marks, { fieldManager, signal: ctx.signal });
      await reportFetched(obj, address, result.digest, ctx);
      return everyMs === undefined ? settled : requeue(everyMs);
    }

    async function reportFetched(obj: T, address: FluxAddress, digest: string, ctx: Context): Promise<void> {
      const chart = (await hub.get(Content, { name: contentName(digest) }, { signal: ctx.signal }))?.spec.chart;
      const revision = chart?.version ?? (address.version === undefined ? digest : `${address.version}@${digest}`);
      const present = obj.status?.artifact;
      const lastUpdateTime = present?.digest === digest && present.lastUpdateTime ? present.lastUpdateTime : timestamp(ctx.now);
      await report(obj, ready(`stored artifact: revision '${revision}'`), { artifact: { digest, revision, lastUpdateTime } }, ctx);
    }

    async function report(obj: T, said: ConditionReport, more: Pick<Status, 'artifact'>, ctx: Context): Promise<void> {
      if (obj.metadata.finalizers?.includes(fluxFinalizer)) return;
      const { generation } = obj.metadata;
      const status: Status = {
        ...more,
        conditions: withConditions(obj.status?.conditions, [said], { now: ctx.now, generation }),
        ...(generation !== undefined && { observedGeneration: generation }),
      };
      await reportStatus(hub, kind, obj, status, { fieldManager, signal: ctx.signal });
    }
  }

  async function resultFor(obj: Source, address: FluxAddress, isGone: boolean, { signal: stop }: Context): Promise<SourceResult> {
    const namespace = obj.metadata.namespace ?? '';
    let context: SourceContext;
    try {
      context = { egress, caches, credentials: await credentialsFor(namespace, address, stop), signal: stop };
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      // Of this namespace alone: others may have such a Secret.
      return { error, failures: 1, nextTry: new Date(Date.now() + secretLookMs) };
    }
    const key = cacheKey(context, JSON.stringify(address));
    if (isGone) results.forget(key);
    const retry = address.repository === hubRepository ? storeRetry : undefined;
    return results.get(key, stop, signal => fetchAddress(address, { ...context, signal }), retry);
  }

  async function fetchAddress({ valuesFiles, ...address }: FluxAddress, context: SourceContext): Promise<string> {
    const digest = await fetchContent(hub, address, context);
    if (!valuesFiles) return digest;
    const { signal: stop } = context;
    const { bytes, name, version, description } = withValuesFiles(await readContent(hub, digest, { signal: stop }), valuesFiles);
    const chart = { name, version, ...(description !== '' && { description: description.slice(0, 1024) }) };
    return putContent(hub, bytes, { type: contentTypes.chart, chart }, { signal: stop });
  }

  async function credentialsFor(namespace: string, { secretName, certSecretName, repository }: FluxAddress, stop: AbortSignal) {
    const login = await readCredentials(hub, { namespace, secretName, repository }, stop);
    if (repository.startsWith('s3+') && secretName && !(login.username && login.password))
      throw new SourceError(`the Secret "${secretName}" in namespace "${namespace}" needs "accesskey" and "secretkey"`, { isFinal: true });
    if (certSecretName === undefined) return login;
    const { tls } = await readCredentials(hub, { namespace, secretName: certSecretName, repository }, stop);
    return { ...login, tls };
  }
}

const ready = (message: string): ConditionReport => ({ type: 'Ready', status: 'True', reason: 'Succeeded', message });
const failed = (error: SourceError): ConditionReport => ({
  type: 'Ready',
  status: 'False',
  reason: 'FetchFailed',
  message: errorText(error),
});

function keptArtifact({ status }: Source): Pick<Status, 'artifact'> {
  return status?.artifact ? { artifact: status.artifact } : {};
}
