import path from 'node:path';
import { Namespace, RoleBinding } from '../../src/api/builtin-kinds.ts';
import { Cluster } from '../../src/api/cluster.ts';
import { findCondition } from '../../src/api/conditions.ts';
import { newObject, withType } from '../../src/api/define-kind.ts';
import type { KubeClient } from '../../src/client/kube-client.ts';
import { accessAnnotations } from '../../src/dialects/rancher/access/access-names.ts';
import { backingNamespaceOf } from '../../src/dialects/rancher/access/backing-namespace.ts';
import { Project } from '../../src/dialects/rancher/kinds/project.ts';
import { ProjectRoleTemplateBinding } from '../../src/dialects/rancher/kinds/role.ts';
import { mapBounded } from '../../src/util/map-bounded.ts';
import { startHub } from '../../test/helpers/hub.ts';
import { tempDir } from '../../test/helpers/temp-dir.ts';
import { connect } from '../delivery/real-members.ts';
import { firstSeen, type FirstSeen } from '../mcs/first-seen.ts';
import type { TimeLimit } from '../mcs/time-limit.ts';

/** One project of a sandbox cluster, with one namespace. */
export interface BenchProject {
  readonly cluster: string;
  readonly id: string;
  readonly member: KubeClient;
}

/** A hub in a process of its own, and sandbox clusters with a project each. */
export interface Tenancy extends AsyncDisposable {
  readonly pid: number;
  readonly hub: KubeClient;
  readonly projects: readonly BenchProject[];
  /** How many writes the store of the hub has seen. */
  revision(): Promise<number>;
}

export const projectName = 'p-bench';
export const namespace = 'shop';
export const template = 'project-member';
const atOnce = 16;

export async function startTenancy(size: number, limit: TimeLimit, log: (text: string) => void): Promise<Tenancy> {
  await using starting = new AsyncDisposableStack();
  const scratch = tempDir('bench-access');
  starting.defer(() => scratch[Symbol.dispose]());
  const dataDir = path.join(scratch.dir, 'data');
  const started = starting.use(await startHub({ dataDir }));
  const hub = starting.use(connect(started.kubeconfig));
  const ids = new Map<string, string>();
  using ready = firstSeen(hub, Cluster, {}, cluster => {
    if (findCondition(cluster, 'Ready')?.status === 'True') ids.set(cluster.metadata.name!, cluster.status!.id!);
    return ids.size === size;
  });
  const names = Array.from({ length: size }, (_, i) => `tenant-${i}`);
  await limit.wait(
    mapBounded(names, atOnce, name => hub.create(Cluster, newObject(Cluster, { name }, { connection: { mode: 'Sandbox' } }))),
    () => 'clusters were being written',
  );
  await limit.wait(ready.atMs, () => `${ids.size} of ${size} clusters were ready`);
  log(`${size} sandbox clusters are ready`);
  const projects = await limit.wait(
    mapBounded(names, atOnce, async cluster => {
      const id = ids.get(cluster)!;
      const member = starting.use(connect(path.join(dataDir, 'sandboxes', `${cluster}.kubeconfig`)));
      const annotations = { [accessAnnotations.project]: `${id}:${projectName}` };
      await member.apply(Namespace, { metadata: { name: namespace, annotations } });
      await hub.create(Project, newObject(Project, { namespace: id, name: projectName }, { displayName: 'Bench', clusterName: id }));
      using backing = firstSeen(hub, Namespace, { fieldSelector: `metadata.name=${backingNamespaceOf(id, projectName)}` }, () => true);
      await backing.atMs;
      return { cluster, id, member };
    }),
    () => 'projects were being made',
  );
  const kept = starting.move();
  return {
    pid: started.program.pid,
    hub,
    projects,
    revision: async () => Number((await hub.list(Namespace)).resourceVersion),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

export const userName = (i: number): string => `u-${String(i).padStart(5, '0')}`;

export function bind({ hub }: Pick<Tenancy, 'hub'>, { id }: BenchProject, user: string): Promise<unknown> {
  const binding = {
    metadata: { namespace: backingNamespaceOf(id, projectName), name: `prtb-${user}` },
    projectName: `${id}:${projectName}`,
    roleTemplateName: template,
    userName: user,
  };
  return hub.create(ProjectRoleTemplateBinding, withType(ProjectRoleTemplateBinding, binding), { timeoutMs: 120_000 });
}

export function unbind({ hub }: Pick<Tenancy, 'hub'>, { id }: BenchProject, user: string): Promise<unknown> {
  return hub.delete(ProjectRoleTemplateBinding, { namespace: backingNamespaceOf(id, projectName), name: `prtb-${user}` });
}

/** Waits until so many people have the role in the namespace of the member. */
export function untilBound({ member }: BenchProject, people: number): FirstSeen {
  const one = { namespace, fieldSelector: `metadata.name=rancher-${template}` };
  return firstSeen(member, RoleBinding, one, ({ subjects = [] }) => subjects.length === people);
}
