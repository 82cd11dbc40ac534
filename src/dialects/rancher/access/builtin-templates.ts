import type { PolicyRule } from '../../../api/kubernetes.ts';
import { provisioningGroup } from '../names.ts';
import { all, everything, may, mayManage, read } from './builtin-rule.ts';

export interface BuiltinTemplate {
  readonly name: string;
  readonly displayName: string;
  readonly context: 'cluster' | 'project';
  readonly rules?: readonly PolicyRule[];
  readonly inherits?: readonly string[];
  readonly external?: boolean;
  readonly externalRules?: readonly PolicyRule[];
  readonly hidden?: boolean;
  readonly administrative?: boolean;
  readonly isClusterCreatorDefault?: boolean;
  readonly isProjectCreatorDefault?: boolean;
  /** Whether nothing that it inherits lets its holders read Secrets. */
  readonly hidesSecrets?: boolean;
}

const navlinks = may(read, 'navlinks', 'ui.cattle.io');
const catalogs = may(read, 'clusterrepos', 'catalog.cattle.io');
const storage = [may(read, 'persistentvolumes'), may(read, 'storageclasses', 'storage.k8s.io')];
const apiServices = may(read, 'apiservices', 'apiregistration.k8s.io');
const releases = may(read, 'operations releases apps', 'catalog.cattle.io');
const monitors = 'prometheuses prometheusrules servicemonitors';
const routes = 'destinationrules envoyfilters gateways serviceentries sidecars virtualservices';

const ofCluster = (
  name: string,
  displayName: string,
  rules: readonly PolicyRule[],
  more: Partial<BuiltinTemplate> = {},
): BuiltinTemplate => ({ name, displayName, context: 'cluster', rules, ...more });

const ofProject = (
  name: string,
  displayName: string,
  rules: readonly PolicyRule[],
  more: Partial<BuiltinTemplate> = {},
): BuiltinTemplate => ({ name, displayName, context: 'project', rules, ...more });

/** ClusterRoles that every Kubernetes has. */
const ofKubernetes: readonly BuiltinTemplate[] = [
  {
    name: 'cluster-admin',
    displayName: 'Kubernetes cluster-admin',
    context: 'cluster',
    external: true,
    externalRules: everything,
    hidden: true,
    administrative: true,
  },
  { name: 'admin', displayName: 'Kubernetes admin', context: 'project', external: true, hidden: true },
  { name: 'edit', displayName: 'Kubernetes edit', context: 'project', external: true, hidden: true },
  { name: 'view', displayName: 'Kubernetes view', context: 'project', external: true, hidden: true },
];

const ofClusters: readonly BuiltinTemplate[] = [
  ofCluster(
    'cluster-owner',
    'Cluster Owner',
    [
      ...everything,
      mayManage(['own'], 'clusters'),
      may(all, 'clusters', provisioningGroup),
      mayManage(['own', 'manage-namespaces', 'updatepsa'], 'projects'),
    ],
    { administrative: true, isClusterCreatorDefault: true },
  ),
  ofCluster('cluster-member', 'Cluster Member', [
    navlinks,
    mayManage(read, 'clusterroletemplatebindings nodes nodepools clusterevents clustercatalogs'),
    mayManage(['create'], 'projects'),
    may(read, 'nodes'),
    ...storage,
    apiServices,
    catalogs,
    may(read, 'nodes nodemetrics', 'metrics.k8s.io'),
  ]),
  ofCluster('projects-create', 'Create Projects', [mayManage(['create'], 'projects')]),
  ofCluster(
    'projects-view',
    'View All Projects',
    [mayManage(read, 'projects projectroletemplatebindings clusterevents'), may(read, 'namespaces persistentvolumeclaims'), ...storage],
    { inherits: ['view'] },
  ),
  ofCluster('nodes-manage', 'Manage Nodes', [mayManage(all, 'nodes nodepools'), may(all, 'nodes')]),
  ofCluster('nodes-view', 'View Nodes', [mayManage(read, 'nodes nodepools'), may(read, 'nodes')]),
  ofCluster('storage-manage', 'Manage Storage', [
    may(all, 'persistentvolumes persistentvolumeclaims'),
    may(all, 'storageclasses', 'storage.k8s.io'),
  ]),
  ofCluster('clusterroletemplatebindings-manage', 'Manage Cluster Members', [mayManage(all, 'clusterroletemplatebindings')]),
  ofCluster('clusterroletemplatebindings-view', 'View Cluster Members', [mayManage(read, 'clusterroletemplatebindings')]),
  ofCluster('clustercatalogs-manage', 'Manage Cluster Catalogs', [
    mayManage(all, 'clustercatalogs'),
    may(all, 'clusterrepos', 'catalog.cattle.io'),
  ]),
  ofCluster('clustercatalogs-view', 'View Cluster Catalogs', [mayManage(read, 'clustercatalogs'), catalogs]),
  ofCluster('backups-manage', 'Manage Cluster Backups', [mayManage(all, 'etcdbackups')]),
  ofCluster('navlinks-manage', 'Manage Navlinks', [may(all, 'navlinks', 'ui.cattle.io')]),
];

const workloads = {
  core: 'pods pods/attach pods/exec pods/portforward pods/proxy replicationcontrollers replicationcontrollers/scale',
  apps: 'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
  facts: 'limitranges pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status bindings',
};

/** Both roles of people who only see, or also change, some kinds of a project. */
function pair(name: string, title: string, rulesFor: (verbs: readonly string[]) => readonly PolicyRule[]): BuiltinTemplate[] {
  return [ofProject(`${name}-manage`, `Manage ${title}`, rulesFor(all)), ofProject(`${name}-view`, `View ${title}`, rulesFor(read))];
}

const ofProjects: readonly BuiltinTemplate[] = [
  // Nodes are not for the owners of projects here: hosts are the cluster's.
  ofProject(
    'project-owner',
    'Project Owner',
    [
      navlinks,
      mayManage(all, 'projectroletemplatebindings'),
      mayManage(['own', 'manage-namespaces'], 'projects'),
      mayManage(read, 'clusterevents clustercatalogs'),
      may(['create'], 'namespaces'),
      ...storage,
      apiServices,
      may(all, 'persistentvolumeclaims'),
      may(all, 'pods', 'metrics.k8s.io'),
      may(all, monitors, 'monitoring.coreos.com'),
      may(all, routes, 'networking.istio.io'),
      may(all, 'authorizationpolicies', 'security.istio.io'),
      catalogs,
      releases,
    ],
    { inherits: ['admin'], isProjectCreatorDefault: true },
  ),
  ofProject(
    'project-member',
    'Project Member',
    [
      navlinks,
      mayManage(read, 'projectroletemplatebindings clusterevents clustercatalogs'),
      mayManage(['manage-namespaces'], 'projects'),
      may(['create'], 'namespaces'),
      ...storage,
      apiServices,
      may(all, 'persistentvolumeclaims'),
      may(all, 'pods', 'metrics.k8s.io'),
      may(all, monitors, 'monitoring.coreos.com'),
      may(all, routes, 'networking.istio.io'),
      may(all, 'authorizationpolicies', 'security.istio.io'),
      catalogs,
      releases,
    ],
    { inherits: ['edit'] },
  ),
  ofProject(
    'read-only',
    'Read-only',
    [
      navlinks,
      mayManage(read, 'projectroletemplatebindings clusterevents clustercatalogs'),
      ...storage,
      apiServices,
      may(read, 'persistentvolumeclaims'),
      may(read, 'pods', 'metrics.k8s.io'),
      may(read, monitors, 'monitoring.coreos.com'),
      may(read, routes, 'networking.istio.io'),
      may(read, 'authorizationpolicies', 'security.istio.io'),
      catalogs,
      releases,
    ],
    { inherits: ['view'], hidesSecrets: true },
  ),
  ofProject('create-ns', 'Create Namespaces', [may(['create'], 'namespaces'), mayManage(['manage-namespaces'], 'projects')]),
  ...pair('workloads', 'Workloads', verbs => [
    may(verbs, verbs === all ? workloads.core : 'pods replicationcontrollers replicationcontrollers/scale'),
    may(verbs, workloads.apps, 'apps'),
    may(verbs, 'horizontalpodautoscalers', 'autoscaling'),
    may(verbs, 'cronjobs jobs', 'batch'),
    may(read, workloads.facts),
  ]),
  ...pair('ingress', 'Ingress', verbs => [may(verbs, 'ingresses', 'networking.k8s.io')]),
  ...pair('services', 'Services', verbs => [may(verbs, verbs === all ? 'services services/proxy endpoints' : 'services endpoints')]),
  ...pair('secrets', 'Secrets', verbs => [may(verbs, 'secrets')]),
  ...pair('configmaps', 'Config Maps', verbs => [may(verbs, 'configmaps')]),
  ...pair('persistentvolumeclaims', 'Volumes', verbs => [...storage, may(verbs, 'persistentvolumeclaims')]),
  ...pair('serviceaccounts', 'Service Accounts', verbs => [may(verbs, 'serviceaccounts')]),
  ...pair('projectroletemplatebindings', 'Project Members', verbs => [mayManage(verbs, 'projectroletemplatebindings')]),
  {
    name: 'monitoring-ui-view',
    displayName: 'View Monitoring',
    context: 'project',
    external: true,
    externalRules: [may(['get', 'create'], 'services/proxy'), may(['list'], 'endpoints')],
  },
  ofProject('navlinks-view', 'View Navlinks', [navlinks]),
];

/** The RoleTemplates that every Rancher has, with the rules that mean something here. */
export const builtinTemplates: readonly BuiltinTemplate[] = [...ofKubernetes, ...ofClusters, ...ofProjects];
