import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster, clusterAnnotations } from '../../../api/cluster.ts';
import { newObject } from '../../../api/define-kind.ts';
import { ManagementCluster } from '../kinds/cluster.ts';
import { pairingAnnotations } from '../names.ts';
import { nextDeparture } from './depart-clusters.ts';

const management = newObject(ManagementCluster, { name: 'c-m-ab12cd34' }, {});
const askedAt = '2026-11-16T12:00:00Z';
const after = (seconds: number) => new Date(Date.parse(askedAt) + seconds * 1000);

function leaving(annotations: Record<string, string>, connected: 'True' | 'False' = 'False'): Cluster {
  const condition = { type: 'Connected', status: connected, reason: 'x', message: '', lastTransitionTime: askedAt };
  const metadata = { name: 'east', deletionTimestamp: askedAt, annotations };
  return { ...newObject(Cluster, metadata, { connection: { mode: 'Tunnel' } }), status: { conditions: [condition] } };
}

test('the Cluster is asked to go, and waited for', () => {
  const present = newObject(Cluster, { name: 'east' }, { connection: { mode: 'Tunnel' } });
  assert.equal(nextDeparture(management, present, after(0)), 'ask');
  assert.equal(nextDeparture(management, leaving({ [pairingAnnotations.removedHere]: 'true' }), after(3)), 'wait');
  assert.equal(nextDeparture(management, undefined, after(3)), 'done');
});

test('a member that is not connected is not waited for longer than three tries', () => {
  const marks = { [pairingAnnotations.removedHere]: 'true' };
  assert.equal(nextDeparture(management, leaving(marks), after(9)), 'force');
  assert.equal(nextDeparture(management, leaving(marks, 'True'), after(30)), 'wait');
  assert.equal(nextDeparture(management, leaving({ ...marks, [clusterAnnotations.forceRemoval]: 'true' }), after(30)), 'wait');
});

test('one that was removed in another way has the patience of that way', () => {
  assert.equal(nextDeparture(management, leaving({}), after(30)), 'wait');
});

test('the hub never leaves itself', () => {
  const local = newObject(ManagementCluster, { name: 'local' }, {});
  assert.equal(nextDeparture(local, leaving({}), after(0)), 'done');
});
