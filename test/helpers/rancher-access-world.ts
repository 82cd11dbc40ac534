import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { CustomResourceDefinition, Namespace } from '../../src/api/builtin-kinds.ts';
import { Cluster } from '../../src/api/cluster.ts';
import { newObject, withType } from '../../src/api/define-kind.ts';
import type { ResourceAttributes } from '../../src/auth/user.ts';
import type { DeclaredKind } from '../../src/api/define-kind.ts';
import type { KubeClient } from '../../src/client/kube-client.ts';
import { UnreachableError } from '../../src/client/transport.ts';
import { clusterIndexes } from '../../src/core/clusters/cluster-indexes.ts';
import { accessAnnotations } from '../../src/dialects/rancher/access/access-names.ts';
import { accessObjects } from '../../src/dialects/rancher/access/access-objects.ts';
import { runAccess } from '../../src/dialects/rancher/access/access.ts';
import { enterMember } from '../../src/dialects/rancher/access/enter-member.ts';
import { backingNamespaceOf } from '../../src/dialects/rancher/access/backing-namespace.ts';
import { signedInGroups } from '../../src/dialects/rancher/identity/identity-names.ts';
import { ProvisioningCluster } from '../../src/dialects/rancher/kinds/cluster.ts';
import { Project } from '../../src/dialects/rancher/kinds/project.ts';
import {
  ClusterRoleTemplateBinding,
  GlobalRole,
  GlobalRoleBinding,
  ProjectRoleTemplateBinding,
  RoleTemplate,
} from '../../src/dialects/rancher/kinds/role.ts';
import { User } from '../../src/dialects/rancher/kinds/user.ts';
import { informer } from '../../src/runtime/informer.ts';
import { eventually } from './eventually.ts';
import { startWorksWorld, type WorksWorld } from './works-world.ts';

/** What somebody wants to do, in short. */
export interface Deed {
  readonly verb: string;
  readonly resource: string;
  readonly group?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export interface AccessWorld extends WorksWorld {
  /** Makes a project of the cluster "east", with namespaces on the member. */
  project(name: string, namespaces?: readonly string[], spec?: Partial<Project['spec']>): Promise<void>;
  /** Gives a user a role in a project; answers the name of the binding. */
  join(user: string, project: string, template: string): Promise<string>;
  leave(project: string, binding: string): Promise<void>;
  joinCluster(user: string, template: string): Promise<void>;
  putNamespace(name: string, project?: string): Promise<void>;
  /** Goes through the hub's door to the member, as one of Rancher's people unless other groups are given. */
  enter(user: string, options?: { groups?: readonly string[]; isAway?: boolean }): Promise<void>;
  /** Waits until a user may do something on the member, or may not. */
  mayOnMember(user: string, deed: Deed, may?: boolean): Promise<void>;
  mayOnHub(user: string, deed: Deed, may?: boolean): Promise<void>;
  /** Everything that turns roles into rights begins anew, and finds the member away. Works are still delivered. */
  restartWithoutMember(): void;
}

const kinds: readonly DeclaredKind[] = [
  ProvisioningCluster,
  Project,
  ClusterRoleTemplateBinding,
  GlobalRole,
  GlobalRoleBinding,
  ProjectRoleTemplateBinding,
  RoleTemplate,
  User,
];

/** A hub in memory that turns roles of Rancher into rights, on itself and on one member. */
export async function startAccessWorld(t: TestContext): Promise<AccessWorld> {
  const world = await startWorksWorld(t);
  const { hub, member, works, namespace: id } = world;
  for (const kind of kinds) await hub.client.apply(CustomResourceDefinition, kind.definition() as CustomResourceDefinition);
  for (const kind of kinds) await eventually(() => hub.client.list(kind), Boolean, { what: kind.kind });
  let stop = new AbortController();
  t.after(() => stop.abort(new Error('the test is over')));
  const start = (client: () => KubeClient) => {
    const { signal } = stop;
    const onError = () => () => {};
    const clusters = informer(hub.client, Cluster, { signal, indexes: clusterIndexes });
    const projects = informer(hub.client, Project, { signal, indexes: { cluster: ({ metadata }) => [metadata.namespace ?? ''] } });
    const members = { client, subscribe: () => ({ [Symbol.dispose]() {} }) };
    const objects = accessObjects(hub.client, projects, { signal, onError });
    const settings = { value: () => 'kube-system, kube-public,cattle-system' };
    runAccess({ hub: hub.client, objects, clusters, works, members, settings, signal, onError });
  };
  start(() => member.client);
  await eventually(() => hub.client.get(RoleTemplate, { name: 'navlinks-view' }), Boolean, { what: 'the roles that come with Rancher' });

  const putNamespace = async (name: string, project?: string) => {
    const annotations = project === undefined ? {} : { [accessAnnotations.project]: `${id}:${project}` };
    await member.client.apply(Namespace, { metadata: { name, annotations } });
  };
  return {
    ...world,
    putNamespace,
    async project(name, namespaces = [], spec = {}) {
      await hub.client.create(Project, newObject(Project, { namespace: id, name }, { displayName: name, clusterName: id, ...spec }));
      for (const one of namespaces) await putNamespace(one, name);
      await eventually(() => hub.client.get(Namespace, { name: backingNamespaceOf(id, name) }), Boolean, { what: 'backing namespace' });
    },
    async join(user, project, template) {
      const name = `${user}-${template}`;
      const metadata = { namespace: backingNamespaceOf(id, project), name };
      const binding = { metadata, projectName: `${id}:${project}`, roleTemplateName: template, userName: user };
      await hub.client.create(ProjectRoleTemplateBinding, withType(ProjectRoleTemplateBinding, binding));
      return name;
    },
    async leave(project, name) {
      await hub.client.delete(ProjectRoleTemplateBinding, { namespace: backingNamespaceOf(id, project), name });
    },
    async joinCluster(user, template) {
      const binding = {
        metadata: { namespace: id, name: `${user}-${template}` },
        clusterName: id,
        roleTemplateName: template,
        userName: user,
      };
      await hub.client.create(ClusterRoleTemplateBinding, withType(ClusterRoleTemplateBinding, binding));
    },
    async enter(name, { groups = signedInGroups, isAway = false } = {}) {
      const cluster = (await hub.client.get(Cluster, { name: 'east' }))!;
      const lost = {
        type: 'Connected',
        status: 'False' as const,
        reason: 'Lost',
        message: '',
        lastTransitionTime: new Date().toISOString(),
      };
      const onError = (error: unknown) => assert.fail(error as Error);
      const enter = enterMember({ hub: hub.client, signal: stop.signal, onError });
      await enter(isAway ? { ...cluster, status: { conditions: [lost] } } : cluster, { name, groups });
    },
    mayOnMember: (user, deed, may = true) => becomes(member, user, deed, may),
    mayOnHub: (user, deed, may = true) => becomes(hub, user, deed, may),
    restartWithoutMember() {
      stop.abort(new Error('restarted'));
      stop = new AbortController();
      start(() => {
        throw new UnreachableError('the member is away');
      });
    },
  };
}

async function becomes({ api }: WorksWorld['hub'], user: string, deed: Deed, may: boolean): Promise<void> {
  const { verb, resource: path, group = '', namespace = '', name = '' } = deed;
  const [resource = '', subresource = ''] = path.split('/');
  const wanted: ResourceAttributes = { isResource: true, verb, group, version: '*', resource, subresource, namespace, name };
  const info = { name: user, groups: ['system:authenticated', 'system:cattle:authenticated'] };
  await eventually(
    () => api.authorizer.authorize(info, wanted).allowed,
    allowed => allowed === may,
    { what: `${user} ${may ? 'may' : 'may not'} ${verb} ${path} ${namespace}/${name}`, timeoutMs: 20_000 },
  );
}
