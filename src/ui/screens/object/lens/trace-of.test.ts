import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../../data/kinds.ts';
import { ownerOf, traceOf } from './trace-of.ts';

const object = (metadata: object, more: object = {}) => ({ metadata, ...more }) as unknown as KubeObject;

test('works are found by the words of their owner', () => {
  const trace = traceOf({ kind: 'ClusterDeployment', group: 'k0rdent.mirantis.com' }, object({ namespace: 'ns', name: 'east' }));
  assert.equal(trace?.cluster?.deployment, 'ns/east');
  assert.equal(trace.works?.isOne({ 'drover.io/owner': 'ClusterDeployment ns/east' }), true);
  assert.equal(trace.works?.isOne({ 'drover.io/owner': 'ClusterDeployment ns/eastern' }), false);
  const run = traceOf({ kind: 'WorkflowRun', group: 'delivery.drover.io' }, object({ namespace: 'shop', name: 'a' }));
  assert.equal(run?.works?.isOne({ 'drover.io/owner': 'Gate g of WorkflowRun shop/a' }), true);
  const binding = object({ namespace: 'c-1-p-2', name: 'b' }, { projectName: 'c-1:p-2' });
  const project = traceOf({ kind: 'ProjectRoleTemplateBinding', group: 'management.cattle.io' }, binding);
  assert.deepEqual([project?.cluster?.id, project?.works?.namespace], ['c-1', 'c-1']);
  assert.equal(project?.works?.isOne({ 'drover.io/owner': 'Project p-2' }), true);
  assert.equal(traceOf({ kind: 'Pod', group: '' }, object({ name: 'a' })), undefined);
});

test('a work says for whom it is', () => {
  assert.deepEqual(ownerOf({ 'drover.io/owner': 'MultiClusterService web' }), {
    kind: 'MultiClusterService',
    namespace: undefined,
    name: 'web',
  });
  assert.deepEqual(ownerOf({ 'drover.io/owner': 'Gate g of WorkflowRun shop/a' }), { kind: 'WorkflowRun', namespace: 'shop', name: 'a' });
  assert.equal(ownerOf({ 'drover.io/owner': 'Rancher' }), undefined);
  assert.equal(ownerOf(undefined), undefined);
});
