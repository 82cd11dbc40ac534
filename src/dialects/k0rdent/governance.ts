import type { KubeClient } from '../../client/kube-client.ts';
import type { Member } from '../../core/delivery/member.ts';
import type { RunningController } from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import type { AccessInformers } from './access-informers.ts';
import { runAccessManagement } from './access-management-controller.ts';
import { runChains } from './chain-controller.ts';
import { runCredentials } from './credential-controller.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import type { Credential, Region, Release, StateManagementProvider } from './kinds/management.ts';
import { runRegions } from './region-controller.ts';
import { runReleases } from './release-controller.ts';
import { runStateManagement } from './state-management.ts';
import type { InformerSettings, TemplateInformers } from './template-informers.ts';

export interface GovernanceDeps extends InformerSettings {
  readonly hub: KubeClient;
  /** The hub as something whose objects can be followed. */
  readonly hubObjects: Member;
  readonly templates: TemplateInformers;
  readonly access: AccessInformers;
  readonly deployments: Informer<ClusterDeployment>;
  readonly credentials: Informer<Credential>;
  readonly providers: Informer<StateManagementProvider>;
  readonly releases: Informer<Release>;
  readonly regions: Informer<Region>;
}

/** Runs what says who may use what: chains, credentials, providers, regions, releases, and what is given to other namespaces. */
export function runGovernance(deps: GovernanceDeps): RunningController[] {
  const { hub, templates, releases, signal } = deps;
  return [
    ...runChains(deps),
    runCredentials(deps),
    runStateManagement(deps),
    runRegions(deps),
    runReleases({ hub, releases, providerTemplates: templates.providerTemplates, signal }),
    runAccessManagement(deps),
  ];
}
