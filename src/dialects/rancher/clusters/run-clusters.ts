import { Namespace } from '../../../api/builtin-kinds.ts';
import type { Cluster } from '../../../api/cluster.ts';
import { createMissing } from '../../../client/create-missing.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import type { Agents } from '../../../core/clusters/ask-member.ts';
import { runController, settled, type Context, type Outcome, type RunningController } from '../../../runtime/controller.ts';
import { informer, type Informer } from '../../../runtime/informer.ts';
import type { Key } from '../../../runtime/key.ts';
import { ClusterRegistrationToken, ProvisioningCluster } from '../kinds/cluster.ts';
import { rancherNamespaces } from '../names.ts';
import { withoutManagedFields, type RancherObjects } from '../rancher-objects.ts';
import { fixedKeys } from './fixed-keys.ts';
import { runManagementClusters } from './management-controller.ts';
import { runProvisioningClusters } from './provisioning-controller.ts';
import { runRegistrationTokens } from './registration-token-controller.ts';
import { runSettings } from './settings-controller.ts';

export interface RancherClustersDeps {
  readonly hub: KubeClient;
  readonly objects: RancherObjects;
  /** With `clusterIndexes`. */
  readonly clusters: Informer<Cluster>;
  /** The agents of clusters that are reached through a tunnel. */
  readonly agents?: Agents | undefined;
  readonly signal: AbortSignal;
  onError(what: string): (error: unknown) => void;
}

/** Everything about clusters, their registration and settings that Rancher's users know. */
export function runRancherClusters({ hub, objects, clusters, agents, signal, onError }: RancherClustersDeps): RunningController[] {
  const { settings, managementClusters, projects } = objects;
  const keep = withoutManagedFields;
  const provisioningClusters = informer(hub, ProvisioningCluster, { signal, keep, onError: onError('provisioning.cattle.io Cluster') });
  const tokens = informer(hub, ClusterRegistrationToken, {
    signal,
    keep: withoutManagedFields,
    indexes: { namespace: ({ metadata }) => [metadata.namespace ?? ''] },
    onError: onError('ClusterRegistrationToken'),
  });
  return [
    runNamespaces(hub, signal),
    runSettings({ hub, settings, signal }),
    runManagementClusters({ hub, clusters, managementClusters, provisioningClusters, projects, tokens, settings, agents, signal }),
    runProvisioningClusters({ hub, provisioningClusters, managementClusters, signal }),
    runRegistrationTokens({ hub, clusters, tokens, settings, signal, onError }),
  ];
}

/** The namespaces that people write into before anything else is there. */
function runNamespaces(hub: KubeClient, signal: AbortSignal): RunningController {
  const { fleetDefault, fleetLocal } = rancherNamespaces;
  return runController({ name: 'rancher-namespace', reconcile }, { triggers: [fixedKeys([fleetDefault, fleetLocal])], signal });

  async function reconcile(name: Key, { signal }: Context): Promise<Outcome> {
    await createMissing(hub, Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, { signal });
    return settled;
  }
}
