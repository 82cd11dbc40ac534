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
import { SignatureError } from '../../sources/cosign.ts';
import { digestOf } from '../../sources/digest.ts';
import type { Egress } from '../../sources/egress.ts';
import { createSourceCaches } from '../../sources/source-caches.ts';
import { cacheKey, type SourceContext } from '../../sources/source-context.ts';
import { SourceError } from '../../sources/source-error.ts';
import { errorText } from '../../util/error-text.ts';
import { timestamp } from '../../util/timestamp.ts';
import { bySource, sourceKey, type FluxInformers } from './flux-informers.ts';
import { holdContent } from './hold-contents.ts';
import { Bucket, GitRepository, HelmChart, HelmRepository, OCIRepository, verifiedCondition } from './kinds/flux-source.ts';
import { readSigners } from './read-signers.ts';
import { markObject, reportStatus } from './report-status.ts';
import { contentAnnotation } from './template-content.ts';
import {
  addressOfBucket,
  addressOfChart,
  addressOfGit,
  addressOfOci,
  checkHelmRepository,
  countsAsSame,
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
/** As `flux reconcile source` asks for a look at once; which of these was the last is told by `lastHandledReconcileAt`. */
const requestAnnotation = 'reconcile.fluxcd.io/requestedAt';
const secretLookMs = 15_000;
const signersLookMs = 60_000;
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
    run(HelmRepository, flux.helmRepositories, repository => (checkHelmRepository(repository), 'nothing to fetch')),
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
          return (await report(obj, [ready('its charts are fetched when they are needed')], {}, ctx), settled);
        return await keepFetched(key, obj, address, ctx);
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        await refuse(obj, error, false, ctx);
        // Nobody tells when a Secret changes.
        return error instanceof SignatureError ? requeue(secretLookMs) : settled;
      }
    }

    async function keepFetched(key: Key, obj: T, address: FluxAddress, ctx: Context): Promise<Outcome> {
      const now = ctx.now.getTime();
      const signers = await signersOf(obj, address, ctx);
      const { isMoving, isSuspended = false, ...what } = address;
      const fetchedOf = digestOf(JSON.stringify([what, obj.metadata.namespace, signers]));
      const annotations = obj.metadata.annotations ?? {};
      const digest = annotations[workAnnotations.contentOf] === fetchedOf ? annotations[contentAnnotation] : undefined;
      const isThere = digest !== undefined && (await holdContent(hub, digest, ctx.signal));
      const everyMs = isMoving && !isSuspended && obj.spec.suspend !== true ? intervalMs(obj.spec.interval) : undefined;
      if (everyMs !== undefined && !lookAt.has(key)) lookAt.set(key, isThere ? now + everyMs : now);
      const isAsked = isLookWanted(obj);
      const isDue = isAsked || (everyMs !== undefined && now >= lookAt.get(key)!);
      if (isThere && !isDue) {
        await reportFetched(obj, address, digest, ctx);
        return nextLook(everyMs === undefined ? undefined : lookAt.get(key)! - now, address);
      }
      const result = await resultFor(obj, { ...address, signers }, { isGone: !isThere, isAsked }, ctx);
      if ('error' in result) {
        await refuse(obj, result.error, isThere, ctx);
        const restMs = Math.max(result.nextTry.getTime() - now, 0) + 10;
        const hasSecret = address.secretName !== undefined || address.certSecretName !== undefined;
        return requeue(hasSecret ? Math.min(restMs, secretLookMs) : restMs);
      }
      if (everyMs !== undefined) lookAt.set(key, now + everyMs);
      const isSame = isThere && countsAsSame(address, await versionOf(digest, ctx), await versionOf(result.digest, ctx));
      const fetched = isSame ? digest : result.digest;
      await holdContent(hub, fetched, ctx.signal);
      const marks = { annotations: { [contentAnnotation]: fetched, [workAnnotations.contentOf]: fetchedOf } };
      await markObject(hub, kind, obj, marks, { fieldManager, signal: ctx.signal });
      await reportFetched(obj, address, fetched, ctx);
      return nextLook(everyMs, address);
    }

    async function reportFetched(obj: T, address: FluxAddress, digest: string, ctx: Context): Promise<void> {
      const revision = (await versionOf(digest, ctx)) ?? (address.label === undefined ? digest : `${address.label}@${digest}`);
      const present = obj.status?.artifact;
      const lastUpdateTime = present?.digest === digest && present.lastUpdateTime ? present.lastUpdateTime : timestamp(ctx.now);
      const said = ready(`stored artifact: revision '${revision}'`);
      await report(
        obj,
        address.signersSecretName === undefined ? [said] : [said, verified],
        { artifact: { digest, revision, lastUpdateTime } },
        ctx,
      );
    }

    /** What was fetched before stays in use, unless it is not what must be signed. */
    async function refuse(obj: T, error: SourceError, isThere: boolean, ctx: Context): Promise<void> {
      const isUnsigned = error instanceof SignatureError;
      const isWithdrawn = isUnsigned && !isThere;
      const marks = { annotations: { [contentAnnotation]: undefined, [workAnnotations.contentOf]: undefined } };
      if (isWithdrawn) await markObject(hub, kind, obj, marks, { fieldManager, signal: ctx.signal });
      const said = isUnsigned ? [failed(error), unverified(error)] : [failed(error)];
      await report(obj, said, isWithdrawn ? {} : keptArtifact(obj), ctx);
    }

    async function report(obj: T, said: readonly ConditionReport[], more: Pick<Status, 'artifact'>, ctx: Context): Promise<void> {
      if (obj.metadata.finalizers?.includes(fluxFinalizer)) return;
      const { generation, annotations: { [requestAnnotation]: requested } = {} } = obj.metadata;
      const status: Status = {
        ...more,
        ...(requested !== undefined && { lastHandledReconcileAt: requested }),
        conditions: withConditions(stillTold(obj, said), said, { now: ctx.now, generation }),
        ...(generation !== undefined && { observedGeneration: generation }),
      };
      await reportStatus(hub, kind, obj, status, { fieldManager, signal: ctx.signal });
    }
  }

  async function signersOf({ metadata }: Source, { signersSecretName: name }: FluxAddress, { signal: stop }: Context) {
    return name === undefined ? undefined : readSigners(hub, { namespace: metadata.namespace ?? '', name }, stop);
  }

  async function versionOf(digest: string, { signal: stop }: Context): Promise<string | undefined> {
    return (await hub.get(Content, { name: contentName(digest) }, { signal: stop }))?.spec.chart?.version;
  }

  async function resultFor(
    obj: Source,
    address: SignedAddress,
    { isGone, isAsked }: { isGone: boolean; isAsked: boolean },
    { signal: stop }: Context,
  ): Promise<SourceResult> {
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
    if (isAsked) results.lookAgain(key);
    const retry = address.repository === hubRepository ? storeRetry : undefined;
    return results.get(key, stop, signal => fetchAddress(address, { ...context, signal }), retry);
  }

  async function fetchAddress({ valuesFiles, ...address }: SignedAddress, context: SourceContext): Promise<string> {
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

/** Where something is, and whose signature it must have. */
type SignedAddress = FluxAddress & { readonly signers: readonly string[] | undefined };

/** Whether the keys are still the same is looked at even where nothing moves: nobody tells. */
function nextLook(afterMs: number | undefined, { signersSecretName }: FluxAddress): Outcome {
  if (signersSecretName !== undefined) return requeue(Math.min(afterMs ?? signersLookMs, signersLookMs));
  return afterMs === undefined ? settled : requeue(afterMs);
}

const ready = (message: string): ConditionReport => ({ type: 'Ready', status: 'True', reason: 'Succeeded', message });
const failed = (error: SourceError): ConditionReport => ({
  type: 'Ready',
  status: 'False',
  reason: 'FetchFailed',
  message: errorText(error),
});

const verified: ConditionReport = {
  type: verifiedCondition,
  status: 'True',
  reason: 'Succeeded',
  message: 'signed by a key that is trusted',
};
const unverified = (error: SourceError): ConditionReport => ({
  type: verifiedCondition,
  status: 'False',
  reason: 'VerificationError',
  message: errorText(error),
});

/** Nothing is said of signatures that nobody asks for any more. */
const stillTold = ({ status }: Source, said: readonly ConditionReport[]) =>
  status?.conditions?.filter(({ type }) => type !== verifiedCondition || said.some(one => one.type === type));

function keptArtifact({ status }: Source): Pick<Status, 'artifact'> {
  return status?.artifact ? { artifact: status.artifact } : {};
}

/** Whether somebody has asked for a look at once, and none was taken since. */
function isLookWanted({ metadata, status }: Source): boolean {
  const requested = metadata.annotations?.[requestAnnotation];
  return requested !== undefined && requested !== status?.lastHandledReconcileAt;
}
