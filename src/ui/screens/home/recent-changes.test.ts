import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cluster } from '../../../api/cluster.ts';
import type { PrintedObject, TableColumn } from '../../data/watched-list.ts';
import type { AuditEvent } from '../audit/audit-event.ts';
import type { EventObject } from '../object/event-columns.tsx';
import type { MultiClusterService } from '../services/service-kinds.ts';
import { recentChanges, type ChangeFacts } from './recent-changes.ts';

const now = Date.parse('2026-01-02T12:00:00Z');
const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString();
const nothing: ChangeFacts = { clusters: [], services: [], rollouts: [], runs: [], runColumns: [], deeds: [] };
const lines = (facts: Partial<ChangeFacts>) =>
  recentChanges({ ...nothing, ...facts }, now).map(({ word, what, why }) => [word, what, why].filter(Boolean).join(' | '));

const cluster = (name: string, madeMinutesAgo: number, ready: { status: string; minutesAgo: number; reason?: string }) =>
  ({
    metadata: { name, uid: name, creationTimestamp: ago(madeMinutesAgo) },
    status: {
      conditions: [
        { type: 'Ready', status: ready.status, reason: ready.reason, message: 'It is so', lastTransitionTime: ago(ready.minutesAgo) },
      ],
    },
  }) as unknown as Cluster;

test('what is older than an hour is not told', () => {
  const old = cluster('old', 5000, { status: 'False', reason: 'Unreachable', minutesAgo: 61 });
  assert.deepEqual(lines({ clusters: [old] }), []);
});

test('clusters that came, were lost and returned, the newest first', () => {
  const clusters = [
    cluster('new', 20, { status: 'True', minutesAgo: 19 }),
    cluster('lost', 5000, { status: 'False', reason: 'AgentDisconnected', minutesAgo: 5 }),
    cluster('back', 5000, { status: 'True', minutesAgo: 10 }),
  ];
  assert.deepEqual(lines({ clusters }), [
    'Agent disconnected | Cluster lost | It is so',
    'Ready again | Cluster back',
    'Added | Cluster new',
  ]);
});

test('what happens to five thousand clusters is one line', () => {
  const clusters = Array.from({ length: 5000 }, (_, i) =>
    cluster(`c${i}`, 5000, { status: 'False', reason: 'Unreachable', minutesAgo: 1 + (i % 50) }),
  );
  const [change, ...rest] = recentChanges({ ...nothing, clusters }, now);
  assert.deepEqual(rest, []);
  assert.equal(change?.what, `${(5000).toLocaleString()} clusters`);
  assert.equal(change?.why, 'It is so', 'a reason that all share is told');
  assert.equal(change?.at, now - 60_000, 'when the last of them was lost');
});

test('services, rollouts and runs', () => {
  const services = [
    {
      metadata: { name: 'web', uid: 'web', creationTimestamp: ago(3000) },
      spec: {},
      status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: ago(3) }] },
    } as unknown as MultiClusterService,
  ];
  const rollout = (i: number) =>
    ({
      metadata: { name: `e${i}`, uid: `e${i}` },
      eventTime: ago(10 + i),
      type: 'Warning',
      reason: 'ClusterFailed',
      message: `Cluster c${i} failed`,
      involvedObject: { kind: 'MultiClusterService', name: 'web' },
    }) as unknown as EventObject;
  const names = ['Workflow', 'Phase', 'Clusters', 'Failed', 'By', 'Finished'];
  const runColumns = names.map((name): TableColumn => ({ name, type: 'string', priority: 0 }));
  const run = {
    metadata: { namespace: 'shop', name: 'roll-7', uid: 'r', creationTimestamp: ago(300) },
    cells: ['roll', 'Failed', 3, 1, 'jane', ago(1)],
  } as unknown as PrintedObject;
  assert.deepEqual(lines({ services, rollouts: [0, 1, 2, 3].map(rollout), runs: [run], runColumns }), [
    'Failed | Run shop/roll-7 | by jane, failed on 1 of 3 clusters',
    'Ready | Service web',
    'Cluster failed | Service web, 4 times',
  ]);
});

test('who did something is named, and the same done many times is one line', () => {
  const deed = (i: number, verb: string, resource: string): AuditEvent => ({
    auditID: `a${resource}${i}`,
    verb,
    user: { username: 'user-x' },
    requestReceivedTimestamp: ago(i + 1),
    objectRef: { resource, name: `n${i}` },
    annotations: { 'drover.io/login-name': 'jane', ...(resource === 'pods' && { 'drover.io/cluster': 'east' }) },
  });
  const deeds = [deed(8, 'delete', 'pods'), ...[0, 1, 2, 3].map(i => deed(i, 'patch', 'clusters'))];
  assert.deepEqual(lines({ deeds }), ['Changed | clusters, 4 times | by jane', 'Removed | pods n8 on east | by jane']);
});
