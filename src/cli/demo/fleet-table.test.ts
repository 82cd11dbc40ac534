import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newObject } from '../../api/define-kind.ts';
import { ClusterDeployment } from '../../dialects/k0rdent/kinds/cluster-deployment.ts';
import { MultiClusterService } from '../../dialects/k0rdent/kinds/multi-cluster-service.ts';
import { ServiceSet } from '../../dialects/k0rdent/kinds/service-set.ts';
import { sightOfRead } from '../../dialects/k0rdent/placement-sight.ts';
import { fleetProgress, fleetTable, type Fleet } from './fleet-table.ts';

const namespace = 'kcm-system';

function deployment(name: string, env: string, ready = 'True'): ClusterDeployment {
  const made = newObject(ClusterDeployment, { namespace, name, labels: { env } }, { template: 'sandbox-1-0-0' });
  const condition = { type: 'Ready', status: ready as 'True', reason: 'Any', message: 'Object is ready', lastTransitionTime: '' };
  return { ...made, status: { conditions: [condition] } } as ClusterDeployment;
}

function setOn(cluster: string, state: string, failureMessage?: string): ServiceSet {
  const service = {
    type: 'Helm',
    name: 'web',
    namespace: 'web',
    template: 'web-1-0-0',
    state,
    failureMessage,
    lastStateTransitionTime: '',
  };
  return {
    ...newObject(ServiceSet, { namespace, name: `${cluster}-set` }, { cluster, multiClusterService: 'web', provider: {} }),
    status: { deployed: state === 'Deployed', services: [service] },
  } as unknown as ServiceSet;
}

const web = newObject(MultiClusterService, { name: 'web' }, { clusterSelector: { matchLabels: { env: 'prod' } } }) as MultiClusterService;
const fleet = (sets: ServiceSet[], ...deployments: ClusterDeployment[]): Fleet => ({
  deployments,
  services: [web],
  sets,
  sight: sightOfRead(new Map(), sets),
});

test('every cluster says what it has, or why not', () => {
  const sets = [setOn('west', 'Deployed'), setOn('east', 'Failed', `no space ${'left '.repeat(20)}`)];
  assert.equal(
    fleetTable(fleet(sets, deployment('west', 'prod'), deployment('east', 'prod'), deployment('lab', 'test'))),
    [
      'CLUSTER   LABELS     SERVICE     STATE',
      'east      env=prod   web-1-0-0   Failed: no space left left left left left l…',
      'lab       env=test   <none>      not web: env is "test", not "prod"',
      'west      env=prod   web-1-0-0   Deployed',
      '',
    ].join('\n'),
  );
  assert.match(fleetTable(fleet([])), /^There are no ClusterDeployments: "kubectl apply -f /);
});

test('nobody waits for a service that is outranked', () => {
  const all = fleet([setOn('east', 'Failed', 'ClusterSummary p--east managing it')], deployment('east', 'prod'));
  assert.deepEqual(
    fleetProgress(all).map(one => one.isDone),
    [true],
  );
  assert.match(fleetTable(all), /web-1-0-0 +Outranked, which is no failure\n/);
});

test('a long list is cut, and says where the rest is', () => {
  const many = Array.from({ length: 40 }, (_, i) => deployment(`c-${String(i).padStart(2, '0')}`, 'test'));
  assert.match(fleetTable(fleet([], ...many)), /c-11 .*\nand 28 more: kubectl get servicesets -A\n$/);
});

test('a cluster is done when it is ready and has all that selects it', () => {
  const items = fleetProgress(
    fleet(
      [setOn('a', 'Deployed'), setOn('b', 'Provisioning')],
      ...['a', 'b', 'c'].map(name => deployment(name, 'prod')),
      deployment('d', 'test'),
      deployment('e', 'test', 'False'),
    ),
  );
  assert.deepEqual(
    items.map(({ name, state, isDone }) => `${name}: ${state}${isDone ? '.' : ''}`),
    ['a: deployed.', 'b: web Provisioning', 'c: waits for its services', 'd: ready.', 'e: is being made'],
  );
});
