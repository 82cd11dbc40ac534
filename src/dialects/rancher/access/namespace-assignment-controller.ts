import { Namespace } from '../../../api/builtin-kinds.ts';
import { clusterConditions, type Cluster } from '../../../api/cluster.ts';
import { findCondition } from '../../../api/conditions.ts';
import type { Work } from '../../../api/work.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { clusterId } from '../../../core/clusters/cluster-id.ts';
import type { MemberDirectory } from '../../../core/clusters/member-directory.ts';
import { changesOf, runController, settled, type Context, type Outcome, type RunningController } from '../../../runtime/controller.ts';
import type { Informer } from '../../../runtime/informer.ts';
import type { Key } from '../../../runtime/key.ts';
import { reportConditions } from '../clusters/rancher-condition.ts';
import type { Settings } from '../clusters/settings.ts';
import { Project } from '../kinds/project.ts';
import { clusterWorkName } from './access-names.ts';
import type { AccessObjects } from './access-objects.ts';
import { assignmentPatch, openAssignments, type Assignment } from './assign-namespaces.ts';

export interface NamespaceAssignmentDeps {
  readonly hub: KubeClient;
  /** With `clusterIndexes`. */
  readonly clusters: Informer<Cluster>;
  readonly works: Informer<Work>;
  readonly objects: Pick<AccessObjects, 'projects'>;
  readonly members: Pick<MemberDirectory, 'client'>;
  readonly settings: Pick<Settings, 'value'>;
  readonly signal: AbortSignal;
}

const fieldManager = 'drover-rancher-namespaces';
const timeoutMs = 30_000;

/**
 * Puts namespaces that every cluster has into the projects that every cluster has: once for each project, and not before somebody needs Rancher's rights on the
 * member. Where they are put later is for people to say, so this is no Work, which would hold on to it. Keys are ids of clusters.
 */
export function runNamespaceAssignment(deps: NamespaceAssignmentDeps): RunningController {
  const { hub, clusters, works, objects, members, settings, signal } = deps;
  const { projects } = objects;
  return runController(
    { name: 'rancher-namespaces', reconcile },
    {
      triggers: [
        changesOf(
          works,
          ({ metadata }) => (metadata.name === clusterWorkName ? [metadata.namespace!] : []),
          () => true,
        ),
        changesOf(clusters, cluster => [clusterId(cluster)], isConnected),
        changesOf(
          projects,
          ({ metadata }) => [metadata.namespace!],
          ({ metadata, status }) => [metadata.labels, status?.conditions?.map(({ type, status }) => [type, status])],
        ),
      ],
      signal,
    },
  );

  async function reconcile(id: Key, ctx: Context): Promise<Outcome> {
    const cluster = clusters.by('id', id).find(({ metadata }) => metadata.deletionTimestamp === undefined);
    const open = openAssignments(projects.by('cluster', id), settings.value('system-namespaces'));
    if (!cluster || open.length === 0 || !isConnected(cluster) || !works.get(`${id}/${clusterWorkName}`)) return settled;
    const member = members.client(cluster.metadata.name!);
    const { items } = await member.list(Namespace, { timeoutMs, signal: ctx.signal });
    for (const assignment of open) {
      for (const namespace of items) await assign(member, namespace, assignment, ctx);
      await report(assignment, ctx);
    }
    return settled;
  }

  async function assign(member: KubeClient, namespace: Namespace, assignment: Assignment, { signal }: Context): Promise<void> {
    const body = assignmentPatch(namespace, assignment);
    const name = namespace.metadata.name!;
    if (body) await member.patch(Namespace, { name }, { type: 'merge', body }, { fieldManager, timeoutMs, signal });
  }

  async function report({ project, condition: type }: Assignment, { now, signal }: Context): Promise<void> {
    const { namespace = '', name = '', uid = '' } = project.metadata;
    const conditions = reportConditions(project.status?.conditions, [{ type, status: 'True' }], now);
    await hub.apply(
      Project,
      { metadata: { namespace, name, uid }, status: { conditions } },
      { fieldManager, subresource: 'status', timeoutMs, signal },
    );
  }
}

const isConnected = (cluster: Cluster): boolean => findCondition(cluster, clusterConditions.connected)?.status === 'True';
