import type { ClusterRole } from '../../../api/builtin-kinds.ts';
import type { Cluster } from '../../../api/cluster.ts';
import type { Work } from '../../../api/work.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { clusterId } from '../../../core/clusters/cluster-id.ts';
import { ensureLocalCluster } from '../../../core/clusters/local-cluster.ts';
import { changesOf, runController, settled, type Context, type Outcome, type RunningController } from '../../../runtime/controller.ts';
import type { Informer } from '../../../runtime/informer.ts';
import type { Key } from '../../../runtime/key.ts';
import type { GlobalRole } from '../kinds/role.ts';
import { localId } from '../names.ts';
import { accessAnnotations, clusterWorkName } from './access-names.ts';
import { splitProjectName, type AccessObjects } from './access-objects.ts';
import type { AccessWorks } from './access-works.ts';
import { compileClusterHub } from './compile-hub-access.ts';
import { compileClusterAccess } from './compile-member-access.ts';
import { concernsMembers, type Grant, type Grants } from './grants.ts';
import type { HubSets } from './hub-sets.ts';
import type { MemberSights } from './member-sights.ts';
import { policiesFor } from './namespace-policy.ts';
import type { PolicyRule } from './rbac-objects.ts';
import type { TemplateUsers } from './template-users.ts';

export interface ClusterAccessDeps {
  readonly hub: KubeClient;
  /** With `clusterIndexes`. */
  readonly clusters: Informer<Cluster>;
  readonly works: Informer<Work>;
  readonly accessWorks: AccessWorks;
  readonly objects: AccessObjects;
  readonly grants: Grants;
  readonly sets: HubSets;
  readonly sights: MemberSights;
  readonly users: TemplateUsers;
  readonly signal: AbortSignal;
}

/** For each cluster: who may see it on the hub, and the roles that people have on the member. Keys are ids. */
export function runClusterAccess(deps: ClusterAccessDeps): RunningController {
  const { hub, clusters, works, accessWorks, objects, grants, sets, sights, users, signal } = deps;
  const { templates, globalRoles, globalRoleBindings, clusterBindings, projectBindings, projects, provisioningClusters } = objects;
  const find = (name: string) => templates.get(name);
  const allIds = () => clusters.list().map(clusterId);
  const ifForMembers = (role: GlobalRole | undefined) => (role && concernsMembers(role) ? allIds() : []);

  return runController(
    { name: 'rancher-cluster-access', reconcile },
    {
      triggers: [
        changesOf(clusters, cluster => [clusterId(cluster)], factsOf),
        changesOf(clusterBindings, ({ clusterName }) => [clusterName]),
        changesOf(projectBindings, ({ projectName }) => [splitProjectName(projectName).cluster]),
        changesOf(
          projects,
          ({ metadata }) => [metadata.namespace!],
          ({ spec }) => [spec.resourceQuota, spec.containerDefaultResourceLimit],
        ),
        changesOf(templates, users.clusters),
        changesOf(globalRoles, ifForMembers),
        changesOf(globalRoleBindings, ({ globalRoleName }) => ifForMembers(globalRoles.get(globalRoleName))),
        changesOf(
          objects.users,
          ({ principalIds = [] }) => principalIds.flatMap(clustersOf),
          ({ principalIds }) => principalIds,
        ),
        changesOf(provisioningClusters, ({ status }) => (status?.clusterName ? [status.clusterName] : [])),
        changesOf(
          works,
          ({ metadata }) => (metadata.name === clusterWorkName ? [metadata.namespace!] : []),
          ({ metadata }) => [metadata.generation, metadata.deletionTimestamp],
        ),
        ...sets.changes('cluster'),
      ],
      signal,
    },
  );

  async function reconcile(id: Key, ctx: Context): Promise<Outcome> {
    const isLocal = id === localId;
    const cluster = clusters.by('id', id).find(({ metadata }) => metadata.deletionTimestamp === undefined);
    const isThere = cluster !== undefined || isLocal;
    const own = isThere ? grants.ofCluster(id) : [];
    const projectGrants = isThere ? grants.ofProjectsIn(id) : [];
    const isGiven = own.length + projectGrants.length > 0;
    const projectTemplates = new Set(projectGrants.map(({ template }) => template));
    const present = works.get(`${id}/${clusterWorkName}`);
    const isWanted = isLocal ? isGiven : present !== undefined || isNeeded(id, cluster);
    const wantsView = isWanted && [...projectTemplates, ...own.map(({ template }) => template)].some(hidesSecrets);
    const isFollowed = projectGrants.length > 0 || wantsView || projects.by('cluster', id).some(limitsNamespaces);
    sights.want(id, cluster && isFollowed ? { wantsView } : undefined);
    await sets.ensure(`cluster/${id}`, hubObjects(cluster?.metadata.name ?? id, id, own, projectGrants), ctx.signal);
    // The hub itself is a member only when something is delivered to it.
    if (isLocal && isGiven) await ensureLocalCluster(hub, clusters, ctx.signal);
    // The Works of a cluster that leaves go with it.
    if (!cluster) return settled;

    const inNamespaces = isLocal ? [] : grants.inNamespaces();
    const roles = compileClusterAccess({
      grants: own,
      projectTemplates,
      // On the hub itself GlobalRoles are bound as they are.
      administrators: isLocal ? [] : grants.administrators(),
      inNamespaces,
      find,
      viewRules: wantsView ? (sights.viewRules(id) ?? lastViewRules(present, [...projectTemplates].filter(hidesSecrets))) : [],
    });
    const all = isWanted ? [...roles, ...policiesFor(id, cluster)] : [];
    const work = { namespace: id, name: clusterWorkName, owner: 'Rancher', objects: all, makesNamespaces: inNamespaces.length > 0 };
    return accessWorks.ensure(work, ctx);
  }

  /** What everybody has everywhere is no reason to put it on a member that nobody goes to. */
  function isNeeded(id: string, cluster: Cluster | undefined): boolean {
    const wasEntered = cluster?.metadata.annotations?.[accessAnnotations.entered] === 'true';
    return wasEntered || clusterBindings.by('cluster', id).length > 0 || projectBindings.by('cluster', id).length > 0;
  }

  function hubObjects(name: string, id: string, own: readonly Grant[], projectGrants: readonly Grant[]) {
    const metadata = provisioningClusters.by('id', id)[0]?.metadata;
    const provisioning = metadata && { namespace: metadata.namespace!, name: metadata.name! };
    return compileClusterHub({ id, name, provisioning, grants: own, projectGrants, find });
  }

  function clustersOf(principal: string): string[] {
    return [
      ...clusterBindings.by('principal', principal).map(({ clusterName }) => clusterName),
      ...projectBindings.by('principal', principal).map(({ projectName }) => splitProjectName(projectName).cluster),
      ...globalRoleBindings
        .list()
        .filter(({ userPrincipalName }) => userPrincipalName === principal)
        .flatMap(({ globalRoleName }) => ifForMembers(globalRoles.get(globalRoleName))),
    ];
  }

  function hidesSecrets(template: string): boolean {
    return find(template)?.metadata.annotations?.[accessAnnotations.hidesSecrets] === 'true';
  }
}

/** What a Work that was made before says, while the member has not been asked. */
function lastViewRules(work: Work | undefined, templates: readonly string[]): PolicyRule[] {
  const roles = (work?.spec.manifests ?? []) as unknown as ClusterRole[];
  return roles.find(({ kind, metadata }) => kind === 'ClusterRole' && templates.includes(metadata.name ?? ''))?.rules ?? [];
}

const limitsNamespaces = ({ spec }: { spec: { resourceQuota?: unknown; containerDefaultResourceLimit?: unknown } }): boolean =>
  spec.resourceQuota !== undefined || spec.containerDefaultResourceLimit !== undefined;

/** What of a Cluster decides about access to it. */
const factsOf = (cluster: Cluster) => [
  clusterId(cluster),
  cluster.metadata.deletionTimestamp,
  cluster.metadata.annotations?.[accessAnnotations.entered],
  policiesFor('', cluster).length,
];
