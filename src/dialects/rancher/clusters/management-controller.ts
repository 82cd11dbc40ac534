import { Namespace } from '../../../api/builtin-kinds.ts';
import { Cluster } from '../../../api/cluster.ts';
import { addFinalizer } from '../../../client/finalizers.ts';
import { createMissing } from '../../../client/create-missing.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import type { Agents } from '../../../core/clusters/ask-member.ts';
import { clusterId } from '../../../core/clusters/cluster-id.ts';
import { readVersion } from '../../../core/clusters/member-facts.ts';
import { findLocalCluster } from '../../../core/clusters/local-cluster.ts';
import { changesOf, runController, settled, type Context, type Outcome, type RunningController } from '../../../runtime/controller.ts';
import type { Informer } from '../../../runtime/informer.ts';
import type { Key } from '../../../runtime/key.ts';
import { ManagementCluster, ProvisioningCluster, type ClusterRegistrationToken } from '../kinds/cluster.ts';
import type { Project } from '../kinds/project.ts';
import { localId, managementClusterFinalizer, pairingAnnotations, rancherNamespaces } from '../names.ts';
import { ensureBelongings } from './cluster-belongings.ts';
import {
  clusterOfManagement,
  managementOfCluster,
  managementOfHub,
  provisioningKeyOf,
  provisioningOfManagement,
} from './compile-clusters.ts';
import { departManagement } from './depart-clusters.ts';
import { fixedKeys } from './fixed-keys.ts';
import { fieldManager } from './field-manager.ts';
import { passingConditions } from './management-conditions.ts';
import { managementStatus } from './management-status.ts';
import { isReported } from './rancher-condition.ts';
import type { Settings } from './settings.ts';
import { shareFacts } from './share-facts.ts';

export interface ManagementDeps {
  readonly hub: KubeClient;
  /** With `clusterIndexes`. */
  readonly clusters: Informer<Cluster>;
  readonly managementClusters: Informer<ManagementCluster>;
  readonly provisioningClusters: Informer<ProvisioningCluster>;
  readonly projects: Informer<Project>;
  readonly tokens: Informer<ClusterRegistrationToken>;
  readonly settings: Settings;
  /** The agents of clusters that are reached through a tunnel. */
  readonly agents?: Agents | undefined;
  readonly signal: AbortSignal;
}

/** Gives every Cluster of the hub its face in Rancher, makes Clusters of those that people made there, and takes both away together. */
export function runManagementClusters(deps: ManagementDeps): RunningController {
  const { hub, clusters, managementClusters, provisioningClusters, projects, tokens, settings, agents, signal } = deps;
  const ofProvisioning = ({ status }: ProvisioningCluster) => (status?.clusterName ? [status.clusterName] : []);
  const ofNamespace = ({ metadata }: Project | ClusterRegistrationToken) => [metadata.namespace ?? ''];
  const triggers = [
    fixedKeys([localId]),
    changesOf(managementClusters),
    changesOf(clusters, one => [clusterId(one)], told),
    changesOf(provisioningClusters, ofProvisioning),
    changesOf(projects, ofNamespace, ({ metadata }) => metadata.uid),
    changesOf(tokens, ofNamespace, ({ metadata }) => metadata.uid),
  ];
  const running = runController({ name: 'rancher-cluster', reconcile }, { triggers, signal, concurrency: 8 });
  const subscription = agents?.subscribe(id => running.add(id));
  signal.addEventListener('abort', () => subscription?.[Symbol.dispose](), { once: true });
  return running;

  async function reconcile(id: Key, ctx: Context): Promise<Outcome> {
    const management = managementClusters.get(id);
    if (!management) return await meet(id, ctx);
    if (management.metadata.deletionTimestamp !== undefined)
      return await departManagement(hub, management, { findCluster: () => findCluster(management, ctx) }, ctx);

    const known = clusters.by('id', id)[0];
    const cluster = id === localId ? findLocalCluster(clusters) : (known ?? (await findCluster(management, ctx)));
    if (id !== localId && !cluster) return await makeCluster(management, ctx);
    // One goes, all go.
    if (id !== localId && cluster?.metadata.deletionTimestamp !== undefined) return await remove(management, ctx);
    return await keep(management, cluster, ctx);
  }

  /** A Cluster without a face gets one, unless it is on its way out and its face has gone before it. */
  async function meet(id: Key, { signal }: Context): Promise<Outcome> {
    if (id === localId) await createMissing(hub, ManagementCluster, managementOfHub(), { signal });
    const [known] = clusters.by('id', id);
    if (!known || id === localId) return settled;
    const cluster = await hub.get(Cluster, { name: known.metadata.name! }, { signal });
    if (cluster?.metadata.uid !== known.metadata.uid || cluster?.metadata.deletionTimestamp !== undefined) return settled;
    await createMissing(hub, ManagementCluster, managementOfCluster(known), { signal });
    return settled;
  }

  /** Memory can be a moment behind. */
  async function findCluster({ metadata }: ManagementCluster, { signal }: Context): Promise<Cluster | undefined> {
    const id = metadata.name!;
    const name = metadata.annotations?.[pairingAnnotations.cluster] ?? clusters.by('id', id)[0]?.metadata.name;
    const cluster = name === undefined ? undefined : await hub.get(Cluster, { name }, { signal });
    return cluster && clusterId(cluster) === id ? cluster : undefined;
  }

  async function makeCluster(management: ManagementCluster, ctx: Context): Promise<Outcome> {
    const { signal } = ctx;
    // It had one, and somebody has removed that.
    if (management.metadata.annotations?.[pairingAnnotations.cluster] !== undefined) return await remove(management, ctx);
    await addFinalizer(hub, ManagementCluster, management, managementClusterFinalizer, { signal });
    const wanted = clusterOfManagement(management);
    const made = await createMissing(hub, Cluster, wanted, { signal });
    const isOurs = made.spec.id === management.metadata.name;
    const cluster = isOurs ? made : await createMissing(hub, Cluster, clusterOfManagement(management, { isNameTaken: true }), { signal });
    await mark(management, cluster, ctx);
    return settled;
  }

  /** Remembers on the management Cluster which Cluster it is the face of. */
  async function mark({ metadata: { name = '' } }: ManagementCluster, cluster: Cluster, { signal }: Context): Promise<void> {
    const body = { metadata: { annotations: { [pairingAnnotations.cluster]: cluster.metadata.name! } } };
    await hub.patch(ManagementCluster, { name }, { type: 'merge', body }, { signal, fieldManager });
  }

  async function remove({ metadata: { name = '', uid = '' } }: ManagementCluster, { signal }: Context): Promise<Outcome> {
    await hub.delete(ManagementCluster, { name }, { signal, preconditions: { uid } });
    return settled;
  }

  async function keep(management: ManagementCluster, cluster: Cluster | undefined, ctx: Context): Promise<Outcome> {
    const call = { signal: ctx.signal };
    const id = management.metadata.name!;
    await addFinalizer(hub, ManagementCluster, management, managementClusterFinalizer, call);
    if (cluster && management.metadata.annotations?.[pairingAnnotations.cluster] === undefined) await mark(management, cluster, ctx);
    const key = provisioningKeyOf(management);
    const provisioning = key === undefined ? undefined : (provisioningClusters.get(key) ?? (await makeProvisioning(management, ctx)));
    await shareFacts(hub, { management, cluster, provisioning }, call);
    const belongings = await ensureBelongings({ hub, projects, tokens }, { management, cluster }, call);
    const status = managementStatus(management, {
      cluster,
      belongings,
      provisioning: key,
      agentImage: settings.value('agent-image'),
      agent: { isStrict: agents?.state(id)?.agent.isStrict },
      ...(id === localId && !cluster && { hubVersion: (await readVersion(hub, ctx.signal)).gitVersion }),
      now: ctx.now,
    });
    if (isReported(management.status, status, passingConditions)) return settled;
    const { uid = '' } = management.metadata;
    await hub.apply(ManagementCluster, { metadata: { name: id, uid }, status }, { ...call, fieldManager, subresource: 'status' });
    return settled;
  }

  async function makeProvisioning(management: ManagementCluster, { signal }: Context): Promise<ProvisioningCluster | undefined> {
    const wanted = provisioningOfManagement(management);
    if (!wanted) return undefined;
    const { namespace: name = '' } = wanted.metadata;
    const isOurs = name === rancherNamespaces.fleetDefault || name === rancherNamespaces.fleetLocal;
    if (isOurs) await createMissing(hub, Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, { signal });
    else if (!(await hub.get(Namespace, { name }, { signal }))) return undefined;
    return await createMissing(hub, ProvisioningCluster, wanted, { signal });
  }
}

/** What a management Cluster tells of a Cluster. Most changes are about when it was last seen. */
function told({ metadata, spec, status }: Cluster): unknown {
  const { lastSeen, apiResources: _, observedGeneration: __, ...seen } = status ?? {};
  const { labels, annotations, deletionTimestamp, uid } = metadata;
  return { labels, annotations, deletionTimestamp, uid, spec, seen, wasSeen: lastSeen !== undefined };
}
