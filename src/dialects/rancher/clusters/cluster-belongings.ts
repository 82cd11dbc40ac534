import type { Cluster } from '../../../api/cluster.ts';
import { newObject } from '../../../api/define-kind.ts';
import { apiVersionOf } from '../../../api/object.ts';
import { createMissing } from '../../../client/create-missing.ts';
import type { CallOptions, KubeClient } from '../../../client/kube-client.ts';
import { shortHash } from '../../../core/clusters/cluster-id.ts';
import { ensureLocalNamespace, LocalClusterError } from '../../../core/clusters/local-cluster.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { ClusterRegistrationToken, type ManagementCluster } from '../kinds/cluster.ts';
import { Project } from '../kinds/project.ts';
import { ClusterRoleTemplateBinding } from '../kinds/role.ts';
import { rancherAnnotations, rancherLabels } from '../names.ts';
import type { Belongings } from './management-conditions.ts';
import { findRancherCondition } from './rancher-condition.ts';

export const defaultTokenName = 'default-token';
const ownerBindingName = 'creator-cluster-owner';

export interface BelongingsDeps {
  readonly hub: KubeClient;
  readonly projects: Pick<Informer<Project>, 'get'>;
  readonly tokens: Pick<Informer<ClusterRegistrationToken>, 'get'>;
}

/** Makes what every cluster of Rancher has in its namespace, as far as it is missing. */
export async function ensureBelongings(
  { hub, projects, tokens }: BelongingsDeps,
  { management, cluster }: { management: ManagementCluster; cluster: Cluster | undefined },
  call: CallOptions,
): Promise<Belongings> {
  const id = management.metadata.name!;
  const wasMade = (condition: string) => findRancherCondition(management, condition)?.status === 'True';
  const nothing = { hasNamespace: false, hasDefaultProject: false, hasSystemProject: false, isOwned: undefined };
  // Its namespace is made by whoever looks after Clusters, before anything is said of it.
  if (cluster && cluster.status?.id === undefined) return nothing;
  try {
    if (!cluster) await ensureLocalNamespace(hub, call);
  } catch (error) {
    if (!(error instanceof LocalClusterError)) throw error;
    return { ...nothing, trouble: error.message };
  }
  const wanted = builtInProjects(id);
  for (const { project, condition, isKept } of wanted) {
    const isThere = projects.get(`${id}/${project.metadata.name}`) !== undefined;
    // The default project is for people to delete.
    if (!isThere && (isKept || !wasMade(condition))) await createMissing(hub, Project, project, call);
  }
  const isInvited = cluster?.spec.connection.mode === 'Tunnel' && cluster.spec.id !== undefined;
  if (isInvited && !tokens.get(`${id}/${defaultTokenName}`)) await createMissing(hub, ClusterRegistrationToken, defaultToken(id), call);

  const owner = ownerBinding(management);
  if (owner && !wasMade('CreatorMadeOwner')) await createMissing(hub, ClusterRoleTemplateBinding, owner, call);
  return { hasNamespace: true, hasDefaultProject: true, hasSystemProject: true, isOwned: owner ? true : undefined };
}

/** Their names follow from the id, so that no crash makes two of them. */
export function builtInProjects(id: string) {
  const project = (displayName: string, description: string, label: string) =>
    newObject(
      Project,
      {
        name: `p-${shortHash(`${id}/${displayName}`, 5)}`,
        namespace: id,
        labels: { [label]: 'true', [rancherLabels.creator]: 'norman' },
      },
      { displayName, description, clusterName: id },
    );
  return [
    {
      project: project('Default', 'Default project created for the cluster', rancherLabels.defaultProject),
      condition: 'DefaultProjectCreated',
      isKept: false,
    },
    {
      project: project('System', 'System project created for the cluster', rancherLabels.systemProject),
      condition: 'SystemProjectCreated',
      isKept: true,
    },
  ];
}

const defaultToken = (id: string): ClusterRegistrationToken =>
  newObject(ClusterRegistrationToken, { name: defaultTokenName, namespace: id }, { clusterName: id });

/** Undefined when nobody made the cluster, or he is not to own it. */
function ownerBinding({ metadata: { name: id = '', annotations = {} } }: ManagementCluster): ClusterRoleTemplateBinding | undefined {
  const creator = annotations[rancherAnnotations.creatorId];
  if (!creator || annotations[rancherAnnotations.noCreatorRbac] === 'true') return undefined;
  return {
    apiVersion: apiVersionOf(ClusterRoleTemplateBinding),
    kind: ClusterRoleTemplateBinding.kind,
    metadata: { name: ownerBindingName, namespace: id, labels: { [rancherLabels.creator]: 'norman' } },
    clusterName: id,
    roleTemplateName: 'cluster-owner',
    userName: creator,
  };
}
