import type { Cluster } from '../../../api/cluster.ts';
import { withReadiness, type ConditionReport } from '../../../api/conditions.ts';
import { addFinalizer, removeFinalizer } from '../../../client/finalizers.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { isMissing } from '../../../client/missing-object.ts';
import {
  changesOf,
  knownFirst,
  requeue,
  runController,
  settled,
  type Context,
  type Outcome,
  type RunningController,
} from '../../../runtime/controller.ts';
import { eventRecorder } from '../../../runtime/event-recorder.ts';
import type { Informer } from '../../../runtime/informer.ts';
import type { Key } from '../../../runtime/key.ts';
import { durationMs } from '../../../util/duration.ts';
import { timestamp } from '../../../util/timestamp.ts';
import { CloudProvider } from '../kinds/cloud-provider.ts';
import { deliveryAnnotations, deliveryLabels } from '../names.ts';
import { hubClusters } from './hub-clusters.ts';
import { isRefused } from './plan-credential.ts';
import { isOfProvider } from './plan-projection.ts';
import { generatedToken, removeProjected } from './project-cluster.ts';
import { courseOf, providerConditions, reportConnected, reportFailure } from './provider-conditions.ts';
import { providerReasons, RancherError } from './rancher-error.ts';
import type { RancherSessions } from './rancher-sessions.ts';
import type { Synced } from './sync-provider.ts';

export interface ProviderControllerDeps {
  readonly hub: KubeClient;
  readonly providers: Informer<CloudProvider>;
  readonly clusters: Informer<Cluster>;
  readonly sessions: RancherSessions;
  sync(provider: CloudProvider, signal: AbortSignal): Promise<Synced>;
  readonly signal: AbortSignal;
}

type Status = NonNullable<CloudProvider['status']>;

const fieldManager = 'drover-provider-status';
const finalizer = 'delivery.drover.io/provider';
/** After a failure: somebody may have put it right. */
const retryMs = 30_000;
const minResyncMs = 1_000;
/** A cluster that refuses its token is looked at again after so long. */
const refusedMs = 60_000;
const leavingPollMs = 1_000;

/** Tests the connections of CloudProviders, keeps their clusters members of this hub, and cleans up after them. */
export function runProviderController({ hub, providers, clusters, sessions, sync, signal }: ProviderControllerDeps): RunningController {
  const events = eventRecorder(hub, { controller: 'providers', signal });
  /** What was last looked at, and when: other changes of the object need no look. */
  const looks = new Map<Key, { readonly asked: string; readonly at: number }>();
  const ownKeys = ({ metadata }: Cluster): Key[] => {
    const name = metadata.labels?.[deliveryLabels.provider];
    return name === undefined ? providers.list().flatMap(one => (one.spec.type === 'Drover' ? [one.metadata.name!] : [])) : [name];
  };
  return runController(
    { name: 'cloud-providers', reconcile },
    {
      triggers: [
        changesOf(providers, undefined, ({ metadata, spec }) => [spec, metadata.deletionTimestamp, requestOf(metadata)]),
        changesOf(clusters, ownKeys, one => [one.metadata.deletionTimestamp, isRefused(one)]),
        knownFirst(clusters),
      ],
      signal,
      firstDelayMs: 1_000,
    },
  );

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const provider = providers.get(key);
    if (!provider) {
      looks.delete(key);
      await sessions.close(key);
      return settled;
    }
    if (provider.metadata.deletionTimestamp !== undefined) return depart(provider, ctx);
    if (provider.spec.type === 'Drover') return reportOwn(provider, ctx);
    await addFinalizer(hub, CloudProvider, provider, finalizer, { signal: ctx.signal });
    const resyncMs = Math.max(durationMs(provider.spec.rancher?.resyncInterval ?? '5m'), minResyncMs);
    const restMs = restUntilDue(key, provider, resyncMs, ctx.now);
    if (restMs > 0) return requeue(Math.min(restMs, refusedMs));
    return lookAt(key, provider, resyncMs, ctx);
  }

  /** A cluster that refuses its token makes a look due at once, unless there was one just now. */
  function restUntilDue(key: Key, provider: CloudProvider, resyncMs: number, now: Date): number {
    const last = looks.get(key);
    // Also when the clock was put back.
    if (last?.asked !== askedOf(provider) || now.getTime() < last.at) return 0;
    const isUrgent = clusters.list().some(one => isOfProvider(one, key) && isRefused(one));
    return last.at + (isUrgent ? Math.min(resyncMs, refusedMs) : resyncMs) - now.getTime();
  }

  async function lookAt(key: Key, provider: CloudProvider, resyncMs: number, ctx: Context): Promise<Outcome> {
    looks.set(key, { asked: askedOf(provider), at: ctx.now.getTime() });
    try {
      const { clusters: found, serverVersion, faults } = await sync(provider, ctx.signal);
      const facts = { clusters: found.length, ...(serverVersion !== undefined && { serverVersion }), lastSync: timestamp(ctx.now) };
      await report(provider, reportConnected({ serverVersion, faults }), facts, ctx);
      return requeue(faults.size > 0 ? Math.min(resyncMs, retryMs) : resyncMs);
    } catch (error) {
      looks.delete(key);
      if (!(error instanceof RancherError)) throw error;
      const { clusters: known, serverVersion, lastSync } = provider.status ?? {};
      const facts = {
        ...(known !== undefined && { clusters: known }),
        ...(serverVersion !== undefined && { serverVersion }),
        ...(lastSync !== undefined && { lastSync }),
      };
      await report(provider, reportFailure(error), facts, ctx);
      return requeue(Math.min(resyncMs, retryMs));
    }
  }

  async function reportOwn(provider: CloudProvider, ctx: Context): Promise<Outcome> {
    const message = 'The clusters are those of this hub';
    const fine = { type: providerConditions.ready, status: 'True', reason: providerReasons.connected, message } as const;
    await report(provider, [fine], { clusters: hubClusters(clusters).length }, ctx);
    return settled;
  }

  async function report(provider: CloudProvider, reports: readonly ConditionReport[], facts: Partial<Status>, ctx: Context): Promise<void> {
    const { name = '', uid, generation } = provider.metadata;
    const tested = requestOf(provider.metadata);
    const ready = reports.find(one => one.type === providerConditions.ready)!;
    const status: Status = {
      ...facts,
      ...(tested !== undefined && { tested }),
      conditions: withReadiness(provider.status?.conditions, reports, { course: courseOf(ready), now: ctx.now, generation }),
      ...(generation !== undefined && { observedGeneration: generation }),
    };
    const isFine = ready.status === 'True' && ready.reason === providerReasons.connected;
    events.record(provider, { type: isFine ? 'Normal' : 'Warning', reason: ready.reason, action: 'Connect', note: ready.message });
    try {
      await hub.apply(
        CloudProvider,
        { metadata: { name, ...(uid !== undefined && { uid }) }, status },
        { fieldManager, subresource: 'status', signal: ctx.signal },
      );
    } catch (error) {
      if (!isMissing(error, { name })) throw error;
    }
  }

  /** Deletes the tokens that were made for its clusters, then the clusters from the hub. What runs on them stays. */
  async function depart(provider: CloudProvider, ctx: Context): Promise<Outcome> {
    const name = provider.metadata.name!;
    if (!provider.metadata.finalizers?.includes(finalizer)) return settled;
    const own = clusters.list().filter(one => isOfProvider(one, name));
    const staying = own.filter(one => one.metadata.deletionTimestamp === undefined);
    if (staying.length > 0) await deleteTokens(provider, staying, ctx.signal);
    for (const cluster of staying) await removeProjected(hub, cluster, ctx.signal);
    if (own.length > 0) return requeue(leavingPollMs);
    await sessions.close(name);
    await removeFinalizer(hub, CloudProvider, provider, finalizer, { signal: ctx.signal });
    return settled;
  }

  async function deleteTokens(provider: CloudProvider, own: readonly Cluster[], stop: AbortSignal): Promise<void> {
    if (provider.spec.rancher?.access === 'Proxy') return;
    try {
      const { client } = await sessions.open(provider, stop);
      for (const cluster of own) {
        const token = await generatedToken(hub, cluster, stop);
        if (token !== undefined) await client.deleteToken(token, stop);
      }
    } catch (error) {
      if (!(error instanceof RancherError)) throw error;
      const note = `Tokens that were made for its clusters are left on the server: ${error.message}`;
      events.record(provider, { type: 'Warning', reason: 'TokensLeft', action: 'Delete', note });
    }
  }
}

const requestOf = ({ annotations }: CloudProvider['metadata']): string | undefined => annotations?.[deliveryAnnotations.testRequested];
const askedOf = ({ metadata }: CloudProvider): string => JSON.stringify([metadata.uid, metadata.generation, requestOf(metadata)]);
