import type { KubeClient } from '../../../client/kube-client.ts';
import { informer, type Informer } from '../../../runtime/informer.ts';
import { ProvisioningCluster } from '../kinds/cluster.ts';
import type { Project } from '../kinds/project.ts';
import { ClusterRoleTemplateBinding, GlobalRole, GlobalRoleBinding, ProjectRoleTemplateBinding, RoleTemplate } from '../kinds/role.ts';
import { User } from '../kinds/user.ts';
import { withoutManagedFields } from '../rancher-objects.ts';

/** Everything that rights follow from. */
export interface AccessObjects {
  readonly globalRoles: Informer<GlobalRole>;
  /** By `role`. */
  readonly globalRoleBindings: Informer<GlobalRoleBinding>;
  /** By `heir`: the RoleTemplates that it inherits from. */
  readonly templates: Informer<RoleTemplate>;
  /** By `cluster`, `template` and `principal`. */
  readonly clusterBindings: Informer<ClusterRoleTemplateBinding>;
  /** By `cluster`, `project` (`<cluster>/<project>`), `template` and `principal`. */
  readonly projectBindings: Informer<ProjectRoleTemplateBinding>;
  /** By `cluster`. */
  readonly projects: Informer<Project>;
  /** By `principal`. */
  readonly users: Informer<User>;
  /** By `id`, of the cluster. */
  readonly provisioningClusters: Informer<ProvisioningCluster>;
}

interface InformerSettings {
  readonly signal: AbortSignal;
  onError(what: string): (error: unknown) => void;
}

const keep = withoutManagedFields;
const principals = ({ userPrincipalName = '' }: { userPrincipalName?: string }): string[] =>
  userPrincipalName === '' ? [] : [userPrincipalName];

/** The informer of Projects is shared with others. */
export function accessObjects(hub: KubeClient, projects: Informer<Project>, { signal, onError }: InformerSettings): AccessObjects {
  return {
    globalRoles: informer(hub, GlobalRole, { signal, keep, onError: onError('GlobalRole') }),
    globalRoleBindings: informer(hub, GlobalRoleBinding, {
      signal,
      keep,
      indexes: { role: ({ globalRoleName }) => [globalRoleName] },
      onError: onError('GlobalRoleBinding'),
    }),
    templates: informer(hub, RoleTemplate, {
      signal,
      keep,
      indexes: { heir: ({ roleTemplateNames = [] }) => roleTemplateNames },
      onError: onError('RoleTemplate'),
    }),
    clusterBindings: informer(hub, ClusterRoleTemplateBinding, {
      signal,
      keep,
      indexes: {
        cluster: ({ clusterName }) => [clusterName],
        template: ({ roleTemplateName }) => [roleTemplateName],
        principal: principals,
      },
      onError: onError('ClusterRoleTemplateBinding'),
    }),
    projectBindings: informer(hub, ProjectRoleTemplateBinding, {
      signal,
      keep,
      indexes: {
        cluster: ({ projectName }) => [splitProjectName(projectName).cluster],
        project: ({ projectName }) => [projectKeyOf(projectName)],
        template: ({ roleTemplateName }) => [roleTemplateName],
        principal: principals,
      },
      onError: onError('ProjectRoleTemplateBinding'),
    }),
    projects,
    users: informer(hub, User, {
      signal,
      keep,
      indexes: { principal: ({ principalIds = [] }) => principalIds },
      onError: onError('User'),
    }),
    provisioningClusters: informer(hub, ProvisioningCluster, {
      signal,
      keep,
      indexes: { id: ({ status }) => (status?.clusterName ? [status.clusterName] : []) },
      onError: onError('provisioning.cattle.io Cluster'),
    }),
  };
}

/** `<cluster>:<project>` in its parts. */
export function splitProjectName(projectName: string): { readonly cluster: string; readonly project: string } {
  const colon = projectName.indexOf(':');
  return { cluster: projectName.slice(0, Math.max(colon, 0)), project: projectName.slice(colon + 1) };
}

/** The key of the Project that a binding names as `<cluster>:<project>`. */
export function projectKeyOf(projectName: string): string {
  const { cluster, project } = splitProjectName(projectName);
  return `${cluster}/${project}`;
}
