import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Work } from '../../../api/work.ts';
import { claimsOn, ifTheWinnerLeft } from './claims.ts';
import { planSwitch } from './plan-switch.ts';
import type { Cluster, ClusterDeployment, MultiClusterService, ServiceSet } from './service-kinds.ts';
import { whereRows } from './where.ts';

const mcs = {
  metadata: { name: 'web' },
  spec: { clusterSelector: { matchLabels: { env: 'prod' } } },
  status: { matchingClusters: [{ kind: 'ClusterDeployment', namespace: 'ns', name: 'new', message: 'waiting on base' }] },
} as unknown as MultiClusterService;

const deployment = (name: string, env: string) =>
  ({ metadata: { namespace: 'ns', name, labels: { env } } }) as unknown as ClusterDeployment;
const setOn = (cluster: string, state: string, failureMessage?: string) =>
  ({
    metadata: { namespace: 'ns', name: `${cluster}-x` },
    spec: { cluster, multiClusterService: 'web', services: [{ name: 'web', namespace: 'web', template: 'web-1' }] },
    status: { services: [{ name: 'web', namespace: 'web', template: 'web-1', state, failureMessage }] },
  }) as unknown as ServiceSet;

test('every cluster says what it has, or why not', () => {
  const rows = whereRows(mcs, {
    deployments: [deployment('a', 'prod'), deployment('b', 'prod'), deployment('lab', 'test'), deployment('new', 'prod')],
    sets: [setOn('a', 'Deployed'), setOn('b', 'Failed', 'ClusterSummary p--x managing it')],
    members: new Map(),
    strays: [{ metadata: { name: 'joined', labels: { env: 'prod' } } } as unknown as Cluster],
  });
  assert.deepEqual(
    rows.map(({ target, state, why }) => `${target}: ${state.word}${why && `: ${why}`}`),
    [
      'ns/a: Deployed',
      'ns/b: Outranked: ClusterSummary p--x managing it',
      'ns/new: Waiting: waiting on base',
      'ns/lab: Not here: env is "test", not "prod"',
      ': Not here: it has no ClusterDeployment; one of its name in kcm-system, with template adopted-cluster-1-0-1, lets services select it',
    ],
  );
});

const work = (name: string, priority: number, more: object = {}) =>
  ({
    metadata: { name, annotations: { 'drover.io/owner': `MultiClusterService ${name}` } },
    spec: { chart: {}, priority, release: { namespace: 'web', name: 'web' } },
    ...more,
  }) as unknown as Work;

test('who has a release is what Works say, and who would be next', () => {
  const low = work('low', 100, { status: { outrankedBy: { work: 'high', priority: 300 } } });
  const claims = claimsOn([low, work('high', 300), work('other', 1, { spec: { release: {} } })], 'web/web');
  assert.deepEqual(
    claims.map(({ owner, standing }) => `${owner} ${standing}`),
    ['MultiClusterService high has it', 'MultiClusterService low waits'],
  );
  assert.match(ifTheWinnerLeft(claims), /MultiClusterService low would take the release over in place/);
  assert.match(ifTheWinnerLeft(claimsOn([work('only', 1)], 'web/web')), /would be uninstalled/);
});

test('a service is made to plan where its mode is read, and delivers afterwards as it did before', () => {
  const of = (serviceSpec: object, annotations = {}) =>
    ({ metadata: { name: 'web', annotations }, spec: { serviceSpec } }) as MultiClusterService;
  const note = 'drover.io/sync-mode-before-plan';
  assert.deepEqual(planSwitch(of({ priority: 5 }), true), {
    metadata: { annotations: { [note]: null } },
    spec: { serviceSpec: { syncMode: 'DryRun' } },
  });
  const guarded = { provider: { config: { priority: 5, syncMode: 'ContinuousWithDriftDetection' } } };
  assert.deepEqual(planSwitch(of(guarded), true), {
    metadata: { annotations: { [note]: 'ContinuousWithDriftDetection' } },
    spec: { serviceSpec: { provider: { config: { syncMode: 'DryRun' } } } },
  });
  const planning = of({ provider: { config: { syncMode: 'DryRun' } } }, { [note]: 'ContinuousWithDriftDetection' });
  assert.deepEqual(planSwitch(planning, false), {
    metadata: { annotations: { [note]: null } },
    spec: { serviceSpec: { provider: { config: { syncMode: 'ContinuousWithDriftDetection' } } } },
  });
});
