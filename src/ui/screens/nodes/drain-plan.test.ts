import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drainFlags, planDrain } from './drain-plan.ts';

const pod = (name: string, owner?: string, more: { annotations?: Record<string, string>; volumes?: object[]; phase?: string } = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    namespace: 'shop',
    name,
    ...(more.annotations && { annotations: more.annotations }),
    ...(owner && { ownerReferences: [{ apiVersion: 'apps/v1', kind: owner, name: `${name}-owner`, uid: '1', controller: true }] }),
  },
  spec: { volumes: more.volumes ?? [] },
  status: { phase: more.phase ?? 'Running' },
});
const pods = [
  pod('web', 'ReplicaSet'),
  pod('agent', 'DaemonSet'),
  pod('static', undefined, { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
  pod('bare'),
  pod('done', undefined, { phase: 'Succeeded' }),
  pod('scratch', 'ReplicaSet', { volumes: [{ name: 'tmp', emptyDir: {} }] }),
];
const fates = (hasForce: boolean, losesScratch: boolean) =>
  planDrain(pods, { hasForce, losesScratch })
    .map(one => `${one.pod.metadata.name}:${one.fate}`)
    .join(' ');

test('daemons and pods of the node stay; what would be lost is in the way until it is allowed', () => {
  assert.equal(fates(false, false), 'web:evict agent:stay static:stay bare:blocked done:evict scratch:blocked');
  assert.equal(fates(true, true), 'web:evict agent:stay static:stay bare:evict done:evict scratch:evict');
});

test('the command for it has the same allowances', () => {
  assert.equal(drainFlags({ hasForce: false, losesScratch: false }), '--ignore-daemonsets');
  assert.equal(drainFlags({ hasForce: true, losesScratch: true }), '--ignore-daemonsets --delete-emptydir-data --force');
});
