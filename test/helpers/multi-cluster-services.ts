import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from '../../src/api/cluster.ts';
import { newObject, type Kind, type KindRef } from '../../src/api/define-kind.ts';
import { Work } from '../../src/api/work.ts';
import type { KubeClient } from '../../src/client/kube-client.ts';
import { accessGrants } from '../../src/dialects/k0rdent/access-grants.ts';
import { accessInformers } from '../../src/dialects/k0rdent/access-informers.ts';
import { clusterDeploymentIndex, clusterDeploymentsOf } from '../../src/dialects/k0rdent/cluster-of.ts';
import { ClusterDeployment } from '../../src/dialects/k0rdent/kinds/cluster-deployment.ts';
import { Credential, Management } from '../../src/dialects/k0rdent/kinds/management.ts';
import { MultiClusterService } from '../../src/dialects/k0rdent/kinds/multi-cluster-service.ts';
import { ServiceSet } from '../../src/dialects/k0rdent/kinds/service-set.ts';
import type { ServiceState } from '../../src/dialects/k0rdent/kinds/service-spec.ts';
import { ServiceTemplate } from '../../src/dialects/k0rdent/kinds/template.ts';
import { runMultiClusterServices } from '../../src/dialects/k0rdent/mcs-controller.ts';
import { ownedSetIndexes } from '../../src/dialects/k0rdent/owned-sets.ts';
import { rolloutRevisions } from '../../src/dialects/k0rdent/rollout-revisions.ts';
import { k0rdentSettings } from '../../src/dialects/k0rdent/settings.ts';
import { templateInformers } from '../../src/dialects/k0rdent/template-informers.ts';
import { informer } from '../../src/runtime/informer.ts';

interface StartOptions {
  /** Which of the two kinds are served, which are of one type. */
  readonly kinds?: readonly (typeof MultiClusterService)[];
  /** Whether they can go in waves, for which the hub must know Clusters and Works. */
  readonly hasRollouts?: boolean;
  /** Kinds that are known later than all others. */
  readonly late?: readonly KindRef[];
  readonly signal: AbortSignal;
}

/** Longer than anything else takes to be known. */
const lateMs = 300;
const when = '2026-01-01T00:00:00Z';

/** Runs what compiles MultiClusterServices to ServiceSets, and nothing that delivers these. */
export function startMultiClusterServices(client: KubeClient, options: StartOptions): void {
  const { kinds = [MultiClusterService], hasRollouts = false, late = [], signal } = options;
  const hub = late.length > 0 ? hearingLate(client, late) : client;
  const settings = { signal, onError: () => () => {} };
  const of = <Spec, Status>(kind: Kind<Spec, Status>) => informer(hub, kind, { signal });
  const templates = templateInformers(hub, settings);
  const rollouts = () => ({
    works: of(Work),
    revisions: rolloutRevisions(hub, { signal, onError: () => {} }),
  });
  const shared = {
    hub,
    deployments: of(ClusterDeployment),
    clusters: informer(hub, Cluster, { signal, indexes: { [clusterDeploymentIndex]: clusterDeploymentsOf } }),
    sets: informer(hub, ServiceSet, { signal, indexes: ownedSetIndexes }),
    templates: templates.serviceTemplates,
    chains: templates.serviceChains,
    grants: accessGrants({ templates, access: accessInformers(hub, settings) }),
    settings: k0rdentSettings(hub, settings),
    credentials: of(Credential),
    managements: of(Management),
    ...(hasRollouts && { rollouts: rollouts() }),
    signal,
  };
  for (const kind of kinds) runMultiClusterServices({ ...shared, kind, multiClusterServices: of(kind) });
}

function hearingLate(hub: KubeClient, late: readonly KindRef[]): KubeClient {
  return {
    ...hub,
    async *watch(kind, options) {
      if (late.some(one => one.kind === kind.kind)) await sleep(lateMs);
      yield* hub.watch(kind, options);
    },
  };
}

/** A template that is as good as one whose chart was read. */
export async function createValidTemplate(hub: KubeClient, metadata: { namespace: string; name: string }, version = '1'): Promise<void> {
  await hub.create(ServiceTemplate, newObject(ServiceTemplate, metadata, { helm: { chartSpec: { chart: 'web', version } } }));
  await hub.apply(ServiceTemplate, { metadata, status: { valid: true } }, { subresource: 'status' });
}

/** Says whether the Cluster of a ClusterDeployment is ready, as whoever watches over it would. */
export async function reportReadiness(hub: KubeClient, name: string, status: 'True' | 'False'): Promise<void> {
  const conditions = [{ type: 'Ready', status, reason: 'Test', message: '', lastTransitionTime: when }];
  await hub.apply(Cluster, { metadata: { name }, status: { conditions, lastSeen: when } }, { subresource: 'status' });
}

export type Failing = (cluster: string, template: string) => boolean;

/** Says of ServiceSets that were not delivered yet how it went, as whoever delivers would. */
export async function reportDelivery(hub: KubeClient, sets: readonly ServiceSet[], failing: Failing = () => false): Promise<void> {
  for (const { metadata, spec, status } of sets) {
    const { namespace = '', name = '', generation = 0 } = metadata;
    if (status?.observedGeneration === generation) continue;
    const isFailing = failing(spec.cluster, spec.services?.[0]?.template ?? '');
    const services = (spec.services ?? []).map(({ name: service, namespace: ns, template, version = '' }): ServiceState => ({
      ...{ type: 'Helm', name: service, namespace: ns, template, version, lastStateTransitionTime: when },
      ...(isFailing ? { state: 'Failed', failureMessage: 'pods do not start' } : { state: 'Deployed' }),
    }));
    const provider = { ready: true, suspended: false };
    const cluster = { apiVersion: 'k0rdent.mirantis.com/v1beta1', kind: 'ClusterDeployment', namespace, name: spec.cluster };
    const made = { deployed: !isFailing, services, cluster, provider, observedGeneration: generation };
    await hub.apply(ServiceSet, { metadata: { namespace, name }, status: made }, { subresource: 'status' });
  }
}
