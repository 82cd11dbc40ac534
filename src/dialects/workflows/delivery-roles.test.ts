import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../../test/helpers/memory-hub.ts';
import { ClusterRole, Namespace, RoleBinding } from '../../api/builtin-kinds.ts';
import { withType } from '../../api/define-kind.ts';
import { deliveryRoles, runDeliveryRoles } from './delivery-roles.ts';
import { workflowKinds } from './workflow-kinds.ts';

test('the roles let people do what they are for, in the namespace where they are bound, and nothing else', async t => {
  const { client: hub, api } = await startMemoryHub(t, workflowKinds);
  const stop = new AbortController();
  t.after(() => stop.abort());
  runDeliveryRoles(hub, stop.signal);
  await eventually(
    () => hub.list(ClusterRole, { labelSelector: 'app.kubernetes.io/managed-by=drover' }),
    list => list.items.length === 4,
  );
  await hub.apply(Namespace, { metadata: { name: 'shop' } });
  for (const name of Object.keys(deliveryRoles)) {
    const roleRef = { apiGroup: ClusterRole.group, kind: ClusterRole.kind, name };
    const subjects = [{ apiGroup: ClusterRole.group, kind: 'User', name }];
    await hub.create(RoleBinding, withType(RoleBinding, { metadata: { namespace: 'shop', name }, roleRef, subjects }) as never);
  }
  const may = (role: string, verb: string, resource: string, namespace = 'shop', group = 'delivery.drover.io') => {
    const wanted = { isResource: true, verb, group, version: 'v1alpha1', resource, subresource: '', namespace, name: '' } as const;
    return api.authorizer.authorize({ name: `drover-delivery-${role}`, groups: ['system:authenticated'] }, wanted).allowed;
  };
  await eventually(() => may('viewer', 'get', 'workflows'), Boolean);
  const roles = ['viewer', 'deployer', 'approver', 'operator'];
  const able = (verb: string, resource: string, namespace?: string, group?: string) =>
    roles.filter(role => may(role, verb, resource, namespace, group));
  await eventually(() => able('get', 'workflowruns').length === 4, Boolean);
  assert.deepEqual(able('create', 'workflowruns'), ['deployer', 'operator']);
  assert.deepEqual(able('patch', 'workflowruns'), ['deployer', 'operator']);
  assert.deepEqual(able('patch', 'approvalrequests'), ['approver', 'operator']);
  assert.deepEqual(able('bypass', 'workflowruns'), ['operator']);
  assert.deepEqual(able('create', 'clusterruns'), []);
  assert.deepEqual(able('get', 'workflowruns', 'other'), []);
  assert.deepEqual(able('get', 'secrets', 'shop', ''), []);
});
