import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from '../../../api/cluster.ts';
import { newObject } from '../../../api/define-kind.ts';
import { managementConditions } from './management-conditions.ts';

const belongings = { hasNamespace: true, hasDefaultProject: true, hasSystemProject: true, isOwned: undefined };
type Said = [type: string, status: 'True' | 'False' | 'Unknown', reason: string, message?: string];

function tunnel(said: Said[], status: Partial<NonNullable<Cluster['status']>> = {}): Cluster {
  const lastTransitionTime = '2026-11-16T12:00:00Z';
  const conditions = said.map(([type, status, reason, message = '']) => ({ type, status, reason, message, lastTransitionTime }));
  return { ...newObject(Cluster, { name: 'east' }, { connection: { mode: 'Tunnel' } }), status: { ...status, conditions } };
}

const told = (cluster: Cluster | undefined, type: string) => {
  const { status, reason = '', message = '' } = managementConditions(cluster, belongings).find(one => one.type === type) ?? {};
  return [status, reason, message];
};
const neverSeen = tunnel([
  ['Ready', 'False', 'AgentDisconnected', 'No agent has connected yet'],
  ['Connected', 'False', 'AgentDisconnected'],
]);

test('a cluster is pending until its agent has connected, and says what to do', () => {
  assert.deepEqual(told(neverSeen, 'Pending'), ['Unknown', '', 'No agent has connected yet']);
  assert.deepEqual(told(neverSeen, 'Waiting'), ['Unknown', '', '']);
  assert.deepEqual(told(neverSeen, 'Ready'), ['Unknown', '', '']);
});

test('then it waits for its API', () => {
  const connected = tunnel([
    ['Ready', 'False', 'NotReady', 'The API server says that it is not ready'],
    ['Connected', 'True', 'Answering'],
  ]);
  assert.deepEqual(told(connected, 'Pending')[0], 'True');
  assert.deepEqual(told(connected, 'Waiting'), ['Unknown', '', 'Waiting for API to be available']);
});

test('one that has been ready is unavailable for a reason', () => {
  const seen = { lastSeen: '2026-11-16T12:00:00Z', version: 'v1.36.3' };
  const unready = tunnel(
    [
      ['Ready', 'False', 'NotReady', 'The API server says that it is not ready: "etcd"'],
      ['Connected', 'True', 'Answering'],
    ],
    seen,
  );
  assert.deepEqual(told(unready, 'Ready'), ['False', 'ComponentStatusFetchingFailure', 'The API server says that it is not ready: "etcd"']);
  const lost = tunnel(
    [
      ['Ready', 'False', 'AgentDisconnected', 'The agent of the cluster is not connected'],
      ['Connected', 'False', 'AgentDisconnected'],
    ],
    seen,
  );
  assert.deepEqual(told(lost, 'Ready'), ['False', 'Disconnected', 'Cluster agent is not connected']);
  assert.deepEqual(told(lost, 'Pending')[0], 'True');
});

test('a successor of the agent that cannot start does not make an active cluster look broken', () => {
  const seen = { lastSeen: '2026-11-16T12:00:00Z', version: 'v1.36.3' };
  const trouble: Said = ['AgentDeployed', 'False', 'ImagePullBackOff', 'The nodes cannot pull the image'];
  const active = tunnel([['Ready', 'True', 'Answering'], ['Connected', 'True', 'Answering'], trouble], seen);
  assert.deepEqual(told(active, 'AgentDeployed')[0], 'True');
  const lost = tunnel([['Ready', 'False', 'AgentDisconnected'], ['Connected', 'False', 'AgentDisconnected'], trouble], seen);
  assert.deepEqual(told(lost, 'AgentDeployed').slice(0, 2), ['False', 'ImagePullBackOff']);
});

test('the hub itself is always there', () => {
  for (const type of ['Pending', 'Provisioned', 'Waiting', 'Connected', 'Ready']) assert.equal(told(undefined, type)[0], 'True');
});
