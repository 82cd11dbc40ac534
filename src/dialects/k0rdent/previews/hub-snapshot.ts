import { Cluster } from '../../../api/cluster.ts';
import { ConfigMap, Namespace } from '../../../api/builtin-kinds.ts';
import type { KindRef } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import { StatusError } from '../../../api/status.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { accessGrants, lookupOf } from '../access-grants.ts';
import { clusterDeploymentIndex, clusterDeploymentsOf } from '../cluster-of.ts';
import { ClusterDeployment } from '../kinds/cluster-deployment.ts';
import { systemNamespace } from '../kinds/group.ts';
import { AccessManagement } from '../kinds/management.ts';
import { ServiceSet } from '../kinds/service-set.ts';
import { ClusterTemplate, ClusterTemplateChain, ServiceTemplate, ServiceTemplateChain } from '../kinds/template.ts';
import { ownedSetIndexes } from '../owned-sets.ts';
import { precedenceIn, settingsName } from '../settings.ts';
import type { ValuesPrecedence } from '../service-values.ts';
import { chainIndexes } from '../template-informers.ts';
import type { TemplateLookup } from '../validate-services.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { ObjectCache, type Index } from '../../../runtime/object-cache.ts';

/** What decides about services, as it is at one moment. */
export interface HubSnapshot {
  readonly deployments: readonly ClusterDeployment[];
  readonly clusters: Informer<Cluster>;
  readonly sets: Informer<ServiceSet>;
  readonly known: TemplateLookup;
  readonly precedence: ValuesPrecedence;
}

/** Reads with the caller's rights: of one namespace and what it may use of the system's, or of all. */
export async function takeSnapshot(hub: KubeClient, namespace: string | undefined, signal: AbortSignal): Promise<HubSnapshot> {
  const isAll = namespace === undefined || namespace === systemNamespace;
  const listIn = async <T extends KubeObject>(kind: KindRef<T>, place: string | undefined) =>
    (await hub.list(kind, { signal, ...(place !== undefined && { namespace: place }) })).items;
  const listBoth = async <T extends KubeObject>(kind: KindRef<T>) => [
    ...(await listIn(kind, namespace)),
    ...(isAll ? [] : await ifAllowed(listIn(kind, systemNamespace), [])),
  ];
  const [deployments, clusters, sets, serviceTemplates, serviceChains, managements, namespaces, settings] = await Promise.all([
    listIn(ClusterDeployment, namespace),
    ifAllowed(listIn(Cluster, undefined), []),
    listIn(ServiceSet, namespace),
    listBoth(ServiceTemplate),
    listBoth(ServiceTemplateChain),
    ifAllowed(listIn(AccessManagement, undefined), []),
    ifAllowed(listIn(Namespace, undefined), []),
    ifAllowed(hub.get(ConfigMap, { namespace: systemNamespace, name: settingsName }, { signal }), undefined),
  ]);
  const grants = accessGrants({
    templates: {
      serviceTemplates: still(ServiceTemplate, serviceTemplates),
      serviceChains: still(ServiceTemplateChain, serviceChains, chainIndexes),
      clusterTemplates: still(ClusterTemplate, []),
      clusterChains: still(ClusterTemplateChain, [], chainIndexes),
    },
    access: { managements: still(AccessManagement, managements), namespaces: still(Namespace, namespaces) },
  });
  return {
    deployments,
    clusters: still(Cluster, clusters, { [clusterDeploymentIndex]: clusterDeploymentsOf }),
    sets: still(ServiceSet, sets, ownedSetIndexes),
    known: lookupOf(grants),
    precedence: precedenceIn(settings),
  };
}

/** What the caller may not see is not there for them. */
async function ifAllowed<T>(asked: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof StatusError && error.code === 403) return otherwise;
    throw error;
  }
}

/** Objects that do not change, for those who ask an informer. */
function still<T extends KubeObject>(kind: KindRef<T>, items: readonly T[], indexes: Readonly<Record<string, Index<T>>> = {}): Informer<T> {
  const cache = new ObjectCache<T>(indexes);
  cache.replace(items);
  return {
    kind,
    get: key => cache.get(key),
    list: () => cache.list(),
    by: (index, value) => cache.by(index, value),
    subscribe: listener => cache.subscribe(listener),
    synced: Promise.resolve(),
    hasSynced: true,
  };
}
