import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { ClusterRole, ClusterRoleBinding, Namespace } from '../../../api/builtin-kinds.ts';
import type { KindRef } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import { StatusError } from '../../../api/status.ts';
import { embeddedClientAs } from '../../../hub/embedded-client-as.ts';
import { startMemoryServer } from '../../../../test/helpers/memory-server.ts';
import { accessAnnotations } from './access-names.ts';
import { namespaceLabelling, namespacePolicy, policiesFor } from './namespace-policy.ts';
import { clusterRole, clusterRoleBinding, type PolicyRule } from './rbac-objects.ts';

const id = 'c-m-abcdefgh';
const kinds: Readonly<Record<string, string>> = {
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
  ValidatingAdmissionPolicyBinding: 'validatingadmissionpolicybindings',
  MutatingAdmissionPolicy: 'mutatingadmissionpolicies',
  MutatingAdmissionPolicyBinding: 'mutatingadmissionpolicybindings',
};
const policyKind = ({ kind }: KubeObject): KindRef => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind,
  resource: kinds[kind]!,
  scope: 'Cluster',
});
const namespace = (name: string, project?: string, more: { labels?: Record<string, string> } = {}): Namespace => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, ...more, ...(project !== undefined && { annotations: { [accessAnnotations.project]: project } }) },
});
const manages = (...projects: string[]): PolicyRule => ({
  apiGroups: ['management.cattle.io'],
  resources: ['projects'],
  resourceNames: projects,
  verbs: ['manage-namespaces'],
});
const writesNamespaces: PolicyRule = { apiGroups: [''], resources: ['namespaces'], verbs: ['*'] };
const isCreator: PolicyRule = { apiGroups: ['management.cattle.io'], resources: ['projects'], verbs: ['create-namespaces'] };

/** A member with the policies, and people with these rules. */
async function startMember(t: TestContext, people: Readonly<Record<string, readonly PolicyRule[]>>) {
  const { api, client } = await startMemoryServer(t);
  for (const policy of [...namespacePolicy(id), ...namespaceLabelling(id)]) await client.apply(policyKind(policy), policy);
  for (const [name, rules] of Object.entries(people)) {
    await client.apply(ClusterRole, clusterRole(name, rules));
    await client.apply(ClusterRoleBinding, clusterRoleBinding(name, [{ apiGroup: ClusterRole.group, kind: 'User', name }]));
  }
  const as = (name: string) => embeddedClientAs(api)({ name, groups: ['system:authenticated'] });
  const annotate = (name: string, value: string | null) => ({
    type: 'merge' as const,
    body: { metadata: { annotations: { [accessAnnotations.project]: value } } },
  });
  return {
    client,
    create: (who: string, obj: Namespace) => as(who).create(Namespace, obj),
    move: (who: string, name: string, project: string | null) => as(who).patch(Namespace, { name }, annotate(name, project)),
    label: (who: string, name: string, labels: Record<string, string | null>) =>
      as(who).patch(Namespace, { name }, { type: 'merge', body: { metadata: { labels } } }),
  };
}

const refused = (words: RegExp) => (error: unknown) => error instanceof StatusError && error.code === 403 && words.test(error.message);

test('people put namespaces only into projects whose namespaces they manage', async t => {
  const member = await startMember(t, { ann: [writesNamespaces, isCreator, manages('p-a')] });
  const made = await member.create('ann', namespace('shop', `${id}:p-a`));
  assert.equal(made.metadata.labels?.['field.cattle.io/projectId'], 'p-a');
  await assert.rejects(member.create('ann', namespace('other', `${id}:p-b`)), refused(/into project "p-b"/));
  await assert.rejects(member.create('ann', namespace('nowhere')), refused(/name the project/));
});

test('moving a namespace needs both projects', async t => {
  const member = await startMember(t, { ann: [writesNamespaces, manages('p-a')], bob: [writesNamespaces, manages('p-a', 'p-b')] });
  await member.client.create(Namespace, namespace('shop', `${id}:p-b`));
  await assert.rejects(member.move('ann', 'shop', `${id}:p-a`), refused(/out of project "p-b"/));
  await assert.rejects(member.move('ann', 'shop', null), refused(/out of project "p-b"/));
  const moved = await member.move('bob', 'shop', `${id}:p-a`);
  assert.equal(moved.metadata.labels?.['field.cattle.io/projectId'], 'p-a');
});

test('who makes namespaces for no project, and projects of other hubs, are left alone', async t => {
  const member = await startMember(t, { robot: [writesNamespaces] });
  await member.create('robot', namespace('plain'));
  await member.create('robot', namespace('of-another', 'local:p-zzzzz'));
  await member.move('robot', 'of-another', 'local:p-yyyyy');
});

test('the label cannot say another project than the annotation', async t => {
  const member = await startMember(t, { ann: [writesNamespaces, manages('p-a')] });
  await member.create('ann', namespace('plain'));
  await assert.rejects(member.label('ann', 'plain', { 'field.cattle.io/projectId': 'p-b' }), refused(/the label/));
});

test('labels about the security of pods are for those who may change them', async t => {
  const strict = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  const updates: PolicyRule = { ...manages('p-a'), verbs: ['updatepsa'] };
  const member = await startMember(t, { ann: [writesNamespaces, manages('p-a')], cy: [writesNamespaces, manages('p-a'), updates] });
  await member.client.create(Namespace, namespace('shop', `${id}:p-a`, { labels: strict }));
  await assert.rejects(member.label('ann', 'shop', { 'pod-security.kubernetes.io/enforce': null }), refused(/pod-security/));
  await assert.rejects(member.label('ann', 'shop', { 'pod-security.kubernetes.io/enforce': 'privileged' }), refused(/pod-security/));
  await assert.rejects(member.create('ann', namespace('db', `${id}:p-a`, { labels: strict })), refused(/pod-security/));
  await member.label('ann', 'shop', { team: 'web' });
  await member.label('cy', 'shop', { 'pod-security.kubernetes.io/enforce': 'privileged' });
});

test('a cluster that does not know policies gets none', () => {
  const serving = (...names: string[]) => ({
    status: {
      apiResources: [{ groupVersion: 'admissionregistration.k8s.io/v1', resources: names.map(name => ({ name, kind: 'Any' })) }],
    },
  });
  assert.equal(policiesFor(id, serving()).length, 0);
  assert.equal(policiesFor(id, serving('validatingadmissionpolicies')).length, 2);
  assert.equal(policiesFor(id, serving('validatingadmissionpolicies', 'mutatingadmissionpolicies')).length, 4);
  assert.equal(policiesFor(id, {}).length, 2);
});
