import type { Cluster } from '../../../api/cluster.ts';
import type { Work } from '../../../api/work.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { clusterId } from '../../../core/clusters/cluster-id.ts';
import {
  changesOf,
  requeue,
  runController,
  settled,
  type Context,
  type Outcome,
  type RunningController,
} from '../../../runtime/controller.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { keyOf, splitKey, type Key } from '../../../runtime/key.ts';
import { isJsonObject, jsonEqual, type Json, type JsonObject } from '../../../util/json.ts';
import { fieldManager } from '../clusters/field-manager.ts';
import { Project } from '../kinds/project.ts';
import { localId } from '../names.ts';
import { accessAnnotations, projectWorkName } from './access-names.ts';
import { projectKeyOf, type AccessObjects } from './access-objects.ts';
import type { AccessWorks } from './access-works.ts';
import { backingNamespaceOf } from './backing-namespace.ts';
import { compileProjectHub } from './compile-hub-access.ts';
import { compileProjectAccess } from './compile-member-access.ts';
import { compileQuotas, usedQuota, type ProjectNamespace } from './compile-quota.ts';
import type { Grants } from './grants.ts';
import type { HubSets } from './hub-sets.ts';
import { makeCreatorOwner } from './make-creator-owner.ts';
import type { MemberSights } from './member-sights.ts';
import type { TemplateUsers } from './template-users.ts';

export interface ProjectAccessDeps {
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

/** The roles that come with Rancher are made when a hub starts for the first time. */
const rolesPollMs = 500;

/** For each project: its namespace on the hub, who may see and manage it there, and what its people may do in its namespaces on the member. */
export function runProjectAccess(deps: ProjectAccessDeps): RunningController {
  const { hub, clusters, works, accessWorks, objects, grants, sets, sights, users, signal } = deps;
  const { templates, globalRoles, globalRoleBindings, clusterBindings, projectBindings, projects } = objects;
  const find = (name: string) => templates.get(name);
  const keysIn = (id: string): Key[] => projects.by('cluster', id).map(keyOf);
  const ifInherited = (role: string): Key[] =>
    (globalRoles.get(role)?.inheritedClusterRoles ?? []).length > 0 ? projects.list().map(keyOf) : [];

  return runController(
    { name: 'rancher-project-access', reconcile },
    {
      triggers: [
        changesOf(projects),
        changesOf(projectBindings, ({ projectName }) => [projectKeyOf(projectName)]),
        changesOf(clusterBindings, ({ clusterName }) => keysIn(clusterName)),
        changesOf(
          clusters,
          cluster => keysIn(clusterId(cluster)),
          cluster => [clusterId(cluster), cluster.metadata.deletionTimestamp],
        ),
        changesOf(templates, users.projects),
        changesOf(globalRoles, ({ metadata }) => ifInherited(metadata.name!)),
        changesOf(globalRoleBindings, ({ globalRoleName }) => ifInherited(globalRoleName)),
        changesOf(
          objects.users,
          ({ principalIds = [] }) => principalIds.flatMap(projectsOf),
          ({ principalIds }) => principalIds,
        ),
        changesOf(works, projectOfWork, ({ metadata }) => [metadata.generation, metadata.deletionTimestamp]),
        ...sets.changes('project'),
      ],
      signal,
    },
  );

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const { namespace: id, name } = splitKey(key);
    const project = projects.get(key);
    const cluster = clusters.by('id', id)[0];
    const isClusterThere = cluster ? cluster.metadata.deletionTimestamp === undefined : id === localId;
    if (project?.metadata.deletionTimestamp !== undefined || !project || !isClusterThere) {
      await sets.ensure(`project/${key}`, [], ctx.signal);
      return cluster ? deliver(key, [], [], ctx) : settled;
    }
    const own = grants.ofProject(key);
    const backingNamespace = backingNamespaceOf(id, name);
    const onHub = { cluster: id, project: name, backingNamespace, grants: own, clusterGrants: grants.ofCluster(id), find };
    await sets.ensure(`project/${key}`, compileProjectHub(onHub), ctx.signal);
    const isOwned = await makeCreatorOwner({ hub, templates }, project, backingNamespace, ctx);
    const outcome = isOwned ? settled : requeue(rolesPollMs);

    const namespaces = sights.namespacesOf(id, name) ?? lastNamespaces(works.get(`${id}/${projectWorkName(name)}`));
    // The member has not been asked yet; whoever asks it comes back.
    if (!namespaces || !cluster) return outcome;
    const access = compileProjectAccess({ project: name, namespaces: namespaces.map(one => one.name), grants: own, find });
    await count(project, namespaces, ctx);
    const delivered = await deliver(key, [...access, ...compileQuotas(project, namespaces)], namespaces, ctx);
    return isOwned ? delivered : outcome;
  }

  /** Says in the project how much of its quota is given away. */
  async function count(project: Project, namespaces: readonly ProjectNamespace[], { signal }: Context): Promise<void> {
    const usedLimit = usedQuota(project, namespaces) ?? null;
    const { resourceQuota } = project.spec;
    if (!resourceQuota || jsonEqual(resourceQuota.usedLimit ?? null, usedLimit)) return;
    const { namespace, name = '', resourceVersion = '' } = project.metadata;
    // A merge would keep what is not limited any more, so it is taken away first; and whoever changed the quota meanwhile brings the project back here.
    const ops: Json[] = [
      { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
      usedLimit
        ? { op: 'add', path: '/spec/resourceQuota/usedLimit', value: usedLimit as JsonObject }
        : { op: 'remove', path: '/spec/resourceQuota/usedLimit' },
    ];
    await hub.patch(Project, { namespace, name }, { type: 'json', body: ops }, { fieldManager, signal });
  }

  function deliver(key: Key, wanted: readonly KubeObject[], namespaces: readonly ProjectNamespace[], ctx: Context): Promise<Outcome> {
    const { namespace, name: project } = splitKey(key);
    const annotations = { [accessAnnotations.namespaces]: JSON.stringify(namespaces) };
    return accessWorks.ensure(
      { namespace, name: projectWorkName(project), owner: `Project ${project}`, objects: wanted, annotations },
      ctx,
    );
  }

  function projectsOf(principal: string): Key[] {
    return [
      ...projectBindings.by('principal', principal).map(({ projectName }) => projectKeyOf(projectName)),
      ...clusterBindings.by('principal', principal).flatMap(({ clusterName }) => keysIn(clusterName)),
    ];
  }
}

const workPrefix = projectWorkName('');

function projectOfWork({ metadata: { namespace = '', name = '' } }: Work): Key[] {
  return name.startsWith(workPrefix) ? [`${namespace}/${name.slice(workPrefix.length)}`] : [];
}

/** The namespaces that a Work was made for, while the member does not tell. */
function lastNamespaces(work: Work | undefined): ProjectNamespace[] | undefined {
  const text = work?.metadata.annotations?.[accessAnnotations.namespaces];
  if (text === undefined) return undefined;
  const known: unknown = JSON.parse(text);
  return Array.isArray(known) ? known.filter(isJsonObject).map(one => one as unknown as ProjectNamespace) : undefined;
}
