import type { Cluster } from '../../api/cluster.ts';
import { ConfigMap } from '../../api/builtin-kinds.ts';
import type { Work } from '../../api/work.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { openMember } from '../../core/delivery/member.ts';
import type { RunningController } from '../../runtime/controller.ts';
import { informer, type Informer } from '../../runtime/informer.ts';
import { log } from '../../runtime/log.ts';
import type { Egress } from '../../sources/egress.ts';
import { bootstrapK0rdent } from './bootstrap.ts';
import { runClusterDeployments } from './cluster-deployment-controller.ts';
import { fluxInformers } from './flux-informers.ts';
import { runGovernance } from './governance.ts';
import { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { systemNamespace } from './kinds/group.ts';
import { Credential, Management, StateManagementProvider } from './kinds/management.ts';
import { MultiClusterService } from './kinds/multi-cluster-service.ts';
import { ServiceSet } from './kinds/service-set.ts';
import { runManagement } from './management-controller.ts';
import { runMultiClusterServices } from './mcs-controller.ts';
import { ownedSetIndexes } from './owned-sets.ts';
import { runServiceSets, serviceSetIndexes } from './service-set-controller.ts';
import { runTemplates } from './template-controller.ts';
import { templateInformers } from './template-informers.ts';

export interface K0rdentDeps {
  readonly hub: KubeClient;
  /** With `clusterIndexes` and `clusterDeploymentIndex`. */
  readonly clusters: Informer<Cluster>;
  /** With `workIndexes`. */
  readonly works: Informer<Work>;
  /** The way to the sources of templates. */
  readonly egress: Egress;
  readonly version: string;
  readonly signal: AbortSignal;
  onError(what: string): (error: unknown) => void;
}

const retryMs = 2_000;

/** Settings of the hub for users of k0rdent: a ConfigMap in the system namespace. */
export const settingsName = 'drover-settings';
const precedenceKey = 'k0rdent.valuesPrecedence';

/** Runs everything of k0rdent, whose kinds must be installed. */
export function runK0rdent({ hub, clusters, works, egress, version, signal, onError }: K0rdentDeps): RunningController[] {
  bootstrap(0);
  const hubObjects = openMember('hub', hub, { signal });
  const templates = templateInformers(hub, { signal, onError });
  const flux = fluxInformers(hub, { signal, onError });
  const deployments = informer(hub, ClusterDeployment, { signal, onError: onError('ClusterDeployment') });
  const credentials = informer(hub, Credential, { signal, onError: onError('Credential') });
  const providers = informer(hub, StateManagementProvider, { signal, onError: onError('StateManagementProvider') });
  const managements = informer(hub, Management, { signal, onError: onError('Management') });
  const multiClusterServices = informer(hub, MultiClusterService, { signal, onError: onError('MultiClusterService') });
  const settings = informer(hub, ConfigMap, {
    signal,
    namespace: systemNamespace,
    fieldSelector: `metadata.name=${settingsName}`,
    onError: onError('ConfigMap'),
  });
  const sets = informer(hub, ServiceSet, {
    signal,
    indexes: { ...serviceSetIndexes, ...ownedSetIndexes },
    onError: onError('ServiceSet'),
  });
  const precedence = () => {
    const text = settings.get(`${systemNamespace}/${settingsName}`)?.data?.[precedenceKey];
    return text === 'valuesFrom' ? 'valuesFrom' : 'inline';
  };
  const services = { templates: templates.serviceTemplates, chains: templates.serviceChains };
  return [
    ...runTemplates({ hub, egress, templates, flux, signal, onError }),
    ...runGovernance({ hub, hubObjects, templates, deployments, credentials, providers, signal, onError }),
    runManagement({ hub, managements, signal }),
    runServiceSets({
      hub,
      hubObjects,
      sets,
      templates: templates.serviceTemplates,
      deployments,
      providers,
      clusters,
      works,
      precedence,
      signal,
    }),
    runClusterDeployments({
      hub,
      hubObjects,
      deployments,
      sets,
      clusterTemplates: templates.clusterTemplates,
      clusterChains: templates.clusterChains,
      ...services,
      credentials,
      clusters,
      signal,
    }),
    ...runMultiClusterServices({ hub, multiClusterServices, deployments, sets, ...services, credentials, managements, signal }),
  ];

  /** The hub may not answer yet, or be away for a moment. */
  function bootstrap(failures: number): void {
    bootstrapK0rdent(hub, { version, signal }).catch((err: unknown) => {
      if (signal.aborted) return;
      if (failures > 0) log.warn('what k0rdent needs was not made', { err });
      const timer = setTimeout(() => bootstrap(failures + 1), Math.min(retryMs * 2 ** failures, 60_000));
      timer.unref();
      signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
    });
  }
}
