import type { Cluster } from '../../../api/cluster.ts';
import type { Work } from '../../../api/work.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { clusterId } from '../../../core/clusters/cluster-id.ts';
import type { MemberDirectory } from '../../../core/clusters/member-directory.ts';
import type { RunningController } from '../../../runtime/controller.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { keyOf } from '../../../runtime/key.ts';
import type { Settings } from '../clusters/settings.ts';
import type { AccessObjects } from './access-objects.ts';
import { accessWorks } from './access-works.ts';
import { runClusterAccess } from './cluster-access-controller.ts';
import { runGlobalAccess } from './global-access-controllers.ts';
import { grantsFrom } from './grants.ts';
import { hubSets } from './hub-sets.ts';
import { runBuiltinRoles } from './keep-builtin-roles.ts';
import { memberSights } from './member-sights.ts';
import { runNamespaceAssignment } from './namespace-assignment-controller.ts';
import { runProjectAccess } from './project-access-controller.ts';
import { templateUsers } from './template-users.ts';

export interface AccessDeps {
  readonly hub: KubeClient;
  readonly objects: AccessObjects;
  /** With `clusterIndexes`. */
  readonly clusters: Informer<Cluster>;
  /** With `workIndexes`. */
  readonly works: Informer<Work>;
  readonly members: Pick<MemberDirectory, 'client' | 'subscribe'>;
  readonly settings: Pick<Settings, 'value'>;
  readonly signal: AbortSignal;
  onError(what: string): (error: unknown) => void;
}

/** Turns roles and bindings of Rancher into Kubernetes RBAC: on the hub at once, on members by Works. */
export function runAccess({ hub, objects, clusters, works, members, settings, signal, onError }: AccessDeps): RunningController[] {
  const grants = grantsFrom(objects);
  const sets = hubSets(hub, { signal, onError });
  const users = templateUsers(objects, () => clusters.list().map(clusterId));
  const sights = memberSights({
    clusters,
    members,
    signal,
    onKnown: id => objects.projects.by('cluster', id).forEach(project => ofProjects.add(keyOf(project))),
    onProject: (id, project) => ofProjects.add(`${id}/${project}`),
    onView: id => ofClusters.add(id),
    onError: onError('Namespace of a member'),
  });
  const shared = { hub, clusters, works, accessWorks: accessWorks(hub, works), objects, grants, sets, sights, users, signal };
  const ofProjects = runProjectAccess(shared);
  const ofClusters = runClusterAccess(shared);
  return [
    runBuiltinRoles({ hub, globalRoles: objects.globalRoles, templates: objects.templates, signal }),
    ...runGlobalAccess({ objects, sets, users, signal }),
    ofClusters,
    ofProjects,
    runNamespaceAssignment({ hub, clusters, works, objects, members, settings, signal }),
  ];
}
