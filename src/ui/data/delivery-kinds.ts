import { kinds, type Kind } from './kinds.ts';

const k0rdent = { group: 'k0rdent.mirantis.com', version: 'v1beta1' } as const;
const flux = { group: 'source.toolkit.fluxcd.io', version: 'v1', isNamespaced: true } as const;
const delivery = { group: 'delivery.drover.io', version: 'v1alpha1', isNamespaced: true } as const;

/** What services are delivered with, in the words of k0rdent, and workflows. */
export const deliveryKinds = {
  namespacedMultiClusterService: {
    group: 'drover.io',
    version: 'v1alpha1',
    kind: 'NamespacedMultiClusterService',
    plural: 'namespacedmulticlusterservices',
    isNamespaced: true,
  },
  helmRepository: { ...flux, kind: 'HelmRepository', plural: 'helmrepositories' },
  gitRepository: { ...flux, kind: 'GitRepository', plural: 'gitrepositories' },
  ociRepository: { ...flux, kind: 'OCIRepository', plural: 'ocirepositories' },
  bucket: { ...flux, kind: 'Bucket', plural: 'buckets' },
  helmChart: { ...flux, kind: 'HelmChart', plural: 'helmcharts' },
  serviceTemplate: { ...k0rdent, kind: 'ServiceTemplate', plural: 'servicetemplates', isNamespaced: true },
  serviceSet: { ...k0rdent, kind: 'ServiceSet', plural: 'servicesets', isNamespaced: true },
  clusterDeployment: { ...k0rdent, kind: 'ClusterDeployment', plural: 'clusterdeployments', isNamespaced: true },
  workflow: { ...delivery, kind: 'Workflow', plural: 'workflows' },
  workflowRun: { ...delivery, kind: 'WorkflowRun', plural: 'workflowruns' },
  clusterRun: { ...delivery, kind: 'ClusterRun', plural: 'clusterruns' },
  pipeline: { ...delivery, kind: 'Pipeline', plural: 'pipelines' },
  pipelineRun: { ...delivery, kind: 'PipelineRun', plural: 'pipelineruns' },
  infrastructureDefinition: { ...delivery, kind: 'InfrastructureDefinition', plural: 'infrastructuredefinitions' },
  cloudProvider: { ...delivery, isNamespaced: false, kind: 'CloudProvider', plural: 'cloudproviders' },
  approvalRequest: { ...delivery, kind: 'ApprovalRequest', plural: 'approvalrequests' },
} as const satisfies Record<string, Kind>;

/** Whether a kind decides about services on clusters. */
export const wantsServices = ({ group, kind }: Kind): boolean =>
  [kinds.multiClusterService, deliveryKinds.namespacedMultiClusterService].some(one => one.group === group && one.kind === kind);
