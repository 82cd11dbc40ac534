import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cluster } from '../../../api/cluster.ts';
import type { InfrastructureDefinition } from '../../../dialects/workflows/kinds/infrastructure-definition.ts';
import { whereItRuns } from './where-it-runs.ts';

const cluster = (name: string, labels: Record<string, string>, spec: object = {}) =>
  ({ metadata: { name, labels }, spec, status: { id: `c-${name}` } }) as unknown as Cluster;

test('a workflow says of every cluster whether it would run there, and why not', () => {
  const taints = [{ key: 'drover.io/unschedulable', effect: 'NoSchedule' }];
  const infrastructure = {
    spec: {
      clusterSelectionCriteria: [
        { labelName: 'env', labelValues: 'prod, stage' },
        { labelName: 'region', labelValues: '${workflow.variables.region}' },
      ],
      exclude: { clusterNames: ['old'] },
    },
    status: { matched: [{ id: 'c-east', name: 'east', ready: false }] },
  } as unknown as InfrastructureDefinition;
  const all = [cluster('east', { env: 'prod' }), cluster('lab', { env: 'test' }), cluster('old', { env: 'prod' }), cluster('local', {})];
  assert.deepEqual(
    whereItRuns(infrastructure, all).map(({ name, isMeant, why }) => `${name} ${isMeant} ${why}`),
    [
      'east true it is not ready',
      'lab false env is "test", not "prod" or "stage", region must be ${workflow.variables.region}, which is known when it runs',
      'old false it is excluded by name',
    ],
  );
  const named = { spec: { clusterNames: ['west'] } } as unknown as InfrastructureDefinition;
  assert.deepEqual(
    whereItRuns(named, [cluster('east', {}), cluster('west', {}, { taints })]).map(({ why }) => why),
    ['it is not one of the clusters that are named', 'it is cordoned, so that nothing new is placed on it'],
  );
});
