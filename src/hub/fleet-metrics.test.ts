import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from '../api/cluster.ts';
import { newObject } from '../api/define-kind.ts';
import { Work } from '../api/work.ts';
import { printFleetMetrics } from './fleet-metrics.ts';

const condition = (type: string, status: 'True' | 'False', reason: string) => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: '',
});
const cluster = (name: string, status: 'True' | 'False', reason: string): Cluster => ({
  ...newObject(Cluster, { name }, { connection: { mode: 'Tunnel' } }),
  status: { conditions: [condition('Ready', status, reason)] },
});
const work = (...conditions: ReturnType<typeof condition>[]): Work => ({
  ...newObject(Work, { name: 'w', namespace: 'c' }, { release: { name: 'a', namespace: 'b' } }),
  status: { conditions },
});

test('every member is a series, Works are counted by how they are', () => {
  const text = printFleetMetrics({
    clusters: [cluster('east', 'True', 'Answering'), cluster('we"st', 'False', 'Unreachable')],
    works: [
      work(condition('Ready', 'True', 'Healthy')),
      work(condition('Ready', 'True', 'Healthy')),
      work(condition('Ready', 'False', 'SourceFailed'), condition('Stalled', 'True', 'SourceFailed')),
      work(),
    ],
    tunnels: 7,
  });
  const samples = text.split('\n').filter(line => line !== '' && !line.startsWith('#'));
  assert.deepEqual(samples, [
    'drover_cluster_ready{cluster="east",mode="Tunnel",reason="Answering"} 1',
    'drover_cluster_ready{cluster="we\\"st",mode="Tunnel",reason="Unreachable"} 0',
    'drover_works{ready="True",reason="Healthy"} 2',
    'drover_works{ready="False",reason="SourceFailed"} 1',
    'drover_works{ready="Unknown",reason=""} 1',
    'drover_works_stalled 1',
    'drover_tunnels 7',
  ]);
});
