import type { Kind } from '../../api/define-kind.ts';
import { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { fluxSources } from './kinds/flux-source.ts';
import { AccessManagement, Credential, Management, Region, Release, StateManagementProvider } from './kinds/management.ts';
import { MultiClusterService } from './kinds/multi-cluster-service.ts';
import { NamespacedMultiClusterService } from './kinds/namespaced-multi-cluster-service.ts';
import { servedOnly } from './kinds/served-only.ts';
import { ServiceSet } from './kinds/service-set.ts';
import { ClusterTemplate, ClusterTemplateChain, ProviderTemplate, ServiceTemplate, ServiceTemplateChain } from './kinds/template.ts';

/** Every kind that users of k0rdent know. */
export const k0rdentKinds: readonly Kind[] = [
  MultiClusterService,
  NamespacedMultiClusterService,
  ClusterDeployment,
  ServiceSet,
  ServiceTemplate,
  ClusterTemplate,
  ProviderTemplate,
  ServiceTemplateChain,
  ClusterTemplateChain,
  Credential,
  Management,
  AccessManagement,
  StateManagementProvider,
  Region,
  Release,
  ...servedOnly,
  ...fluxSources,
];
