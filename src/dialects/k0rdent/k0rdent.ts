import type { Cluster } from '../../api/cluster.ts';
import type { Work } from '../../api/work.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import type { WebhookAddress } from '../../core/admission/register-webhooks.ts';
import { openMember, type Member } from '../../core/delivery/member.ts';
import type { RenderPool } from '../../render/render-pool.ts';
import type { RunningController } from '../../runtime/controller.ts';
import { informer, type Informer } from '../../runtime/informer.ts';
import { log } from '../../runtime/log.ts';
import type { Egress } from '../../sources/egress.ts';
import { accessGrants } from './access-grants.ts';
import { accessInformers } from './access-informers.ts';
import { runK0rdentRegistration } from './admission/register-admission.ts';
import { bootstrapK0rdent } from './bootstrap.ts';
import { runClusterDeployments } from './cluster-deployment-controller.ts';
import { runColumnLayouts } from './column-layouts.ts';
import { fluxInformers } from './flux-informers.ts';
import { healthRuleMaps } from './health-rules.ts';
import { runGovernance } from './governance.ts';
import { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { Credential, Management, Region, Release, StateManagementProvider } from './kinds/management.ts';
import { MultiClusterService } from './kinds/multi-cluster-service.ts';
import { NamespacedMultiClusterService } from './kinds/namespaced-multi-cluster-service.ts';
import { ServiceSet } from './kinds/service-set.ts';
import { runManagement } from './management-controller.ts';
import { runMultiClusterServices } from './mcs-controller.ts';
import { ownedSetIndexes } from './owned-sets.ts';
import { remoteManifests } from './remote-manifests.ts';
import { runServiceSets, serviceSetIndexes } from './service-set-controller.ts';
import { rolloutRevisions } from './rollout-revisions.ts';
import { k0rdentSettings } from './settings.ts';
import { runTemplates } from './template-controller.ts';
import { templateInformers, type InformerSettings } from './template-informers.ts';
import { templateRenderer } from './template-renderer.ts';

/** What is followed from the first moment on, because admission asks about it. */
export interface K0rdentObjects {
  /** The hub as something whose objects can be followed. */
  readonly hubObjects: Member;
  readonly deployments: Informer<ClusterDeployment>;
}

export function k0rdentObjects(hub: KubeClient, { signal, onError }: InformerSettings): K0rdentObjects {
  return {
    hubObjects: openMember('hub', hub, { signal }),
    deployments: informer(hub, ClusterDeployment, { signal, onError: onError('ClusterDeployment') }),
  };
}

export interface K0rdentDeps {
  readonly hub: KubeClient;
  readonly objects: K0rdentObjects;
  /** With `clusterIndexes` and `clusterDeploymentIndex`. */
  readonly clusters: Informer<Cluster>;
  /** With `workIndexes`. */
  readonly works: Informer<Work>;
  /** The ways to members. Throws where there is none. */
  readonly members: { client(name: string): KubeClient };
  readonly renderer: RenderPool;
  /** The way to the sources of templates. */
  readonly egress: Egress;
  readonly version: string;
  /** Where the API server of the hub finds `k0rdentAdmission`. */
  readonly admission: WebhookAddress;
  readonly signal: AbortSignal;
  onError(what: string): (error: unknown) => void;
}

const retryMs = 2_000;

/** Runs everything of k0rdent, whose kinds must be installed. */
export function runK0rdent(deps: K0rdentDeps): RunningController[] {
  const { hub, clusters, works, members, renderer, egress, version, admission, signal, onError } = deps;
  const { hubObjects, deployments } = deps.objects;
  const bootstrapTried = Promise.withResolvers<void>();
  bootstrap(0);
  const templates = templateInformers(hub, { signal, onError });
  const flux = fluxInformers(hub, { signal, onError });
  const credentials = informer(hub, Credential, { signal, onError: onError('Credential') });
  const providers = informer(hub, StateManagementProvider, { signal, onError: onError('StateManagementProvider') });
  const managements = informer(hub, Management, { signal, onError: onError('Management') });
  const releases = informer(hub, Release, { signal, onError: onError('Release') });
  const regions = informer(hub, Region, { signal, onError: onError('Region') });
  const multiClusterServices = informer(hub, MultiClusterService, { signal, onError: onError('MultiClusterService') });
  const namespacedServices = informer(hub, NamespacedMultiClusterService, {
    signal,
    onError: onError('NamespacedMultiClusterService'),
  });
  const settings = k0rdentSettings(hub, { signal, onError });
  const access = accessInformers(hub, { signal, onError });
  const grants = accessGrants({ templates, access });
  const sets = informer(hub, ServiceSet, {
    signal,
    indexes: { ...serviceSetIndexes, ...ownedSetIndexes },
    onError: onError('ServiceSet'),
  });
  const services = { templates: templates.serviceTemplates, chains: templates.serviceChains };
  const rollouts = { works, revisions: rolloutRevisions(hub, { signal, onError: onError('ControllerRevision') }) };
  const owners = { rollouts, hub, deployments, clusters, sets, ...services, grants, settings, credentials, managements, signal };
  return [
    ...runTemplates({ hub, hubObjects, egress, templates, flux, signal, onError }),
    ...runGovernance({ hub, hubObjects, templates, access, deployments, credentials, providers, releases, regions, signal, onError }),
    runManagement({ hub, managements, releases, providerTemplates: templates.providerTemplates, signal }),
    // Even when it failed: what is registered still may be the reason.
    runK0rdentRegistration({ hub, address: admission, after: bootstrapTried.promise, signal }),
    runColumnLayouts({ hub, settings, signal, onError }),
    runServiceSets({
      hub,
      hubObjects,
      sets,
      templates: templates.serviceTemplates,
      deployments,
      credentials,
      providers,
      clusters,
      works,
      grants,
      settings,
      renderer: templateRenderer(signal),
      remotes: remoteManifests({ hub, egress }),
      ruleMaps: healthRuleMaps(hub, { signal, onError }),
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
      grants,
      settings,
      globalValues: settings.globalValues,
      dependenciesOf: name => multiClusterServices.get(name)?.spec.dependsOn ?? [],
      credentials,
      regions,
      clusters,
      works,
      members,
      renderer,
      signal,
    }),
    ...runMultiClusterServices({ ...owners, kind: MultiClusterService, multiClusterServices }),
    ...runMultiClusterServices({ ...owners, kind: NamespacedMultiClusterService, multiClusterServices: namespacedServices }),
  ];

  /** The hub may not answer yet, or be away for a moment. */
  function bootstrap(failures: number): void {
    bootstrapK0rdent(hub, { version, signal })
      .catch((err: unknown) => {
        if (signal.aborted) return;
        if (failures > 0) log.warn('what k0rdent needs was not made', { err });
        const timer = setTimeout(() => bootstrap(failures + 1), Math.min(retryMs * 2 ** failures, 60_000));
        timer.unref();
        signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
      })
      .finally(bootstrapTried.resolve);
  }
}
