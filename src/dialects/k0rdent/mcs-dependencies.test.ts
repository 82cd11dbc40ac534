import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newObject } from '../../api/define-kind.ts';
import { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { MultiClusterService } from './kinds/multi-cluster-service.ts';
import { ServiceSet } from './kinds/service-set.ts';
import { blockedMessage, checkMcsDependencies, findBlockers, inTheWay } from './mcs-dependencies.ts';

const selector = { matchLabels: { tier: 'dev' } };
const mcs = (name: string, dependsOn: string[] = [], spec: Partial<MultiClusterService['spec']> = {}) =>
  newObject(MultiClusterService, { name }, { clusterSelector: selector, dependsOn, ...spec });
const among =
  (...all: MultiClusterService[]) =>
  (name: string) =>
    all.find(one => one.metadata.name === name);

test('dependencies must be there and lead to no circle', () => {
  assert.deepEqual(checkMcsDependencies(mcs('b', ['a']), among(mcs('a'))), []);
  assert.deepEqual(checkMcsDependencies(mcs('b', ['a', 'c']), among(mcs('a'))), ['dependency /c of /b is not defined']);
  assert.deepEqual(checkMcsDependencies(mcs('a', ['a']), among()), ['dependency cycle detected at /a']);
  assert.deepEqual(checkMcsDependencies(mcs('a', ['b']), among(mcs('b', ['a']))), ['dependency cycle detected at /a']);
});

test('a circle elsewhere does not matter', () => {
  assert.deepEqual(checkMcsDependencies(mcs('x', ['y']), among(mcs('y'), mcs('a', ['b']), mcs('b', ['a']))), []);
});

test('one that others need goes after them, also when they are going; two that need each other do not wait', () => {
  const going = (one: MultiClusterService) => ({ ...one, metadata: { ...one.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
  const [a, b] = [mcs('a'), mcs('b', ['a'])];
  assert.deepEqual(inTheWay(a, [b], among(a, b)), [b]);
  assert.deepEqual(inTheWay(going(a), [going(b)], among(going(a), going(b))), [going(b)]);
  const [c, d, e] = [going(mcs('c', ['e'])), going(mcs('d', ['c'])), going(mcs('e', ['d']))];
  assert.deepEqual(inTheWay(c, [d], among(c, d, e)), []);
  const staying = mcs('d', ['c']);
  assert.deepEqual(inTheWay(c, [staying], among(c, staying, e)), [staying]);
});

const services = [
  { name: 'one', namespace: 'one', template: 't' },
  { name: 'two', namespace: 'two', template: 't' },
];
const needed = mcs('a', [], { serviceSpec: { services } });
const cd = (labels: Record<string, string>) => newObject(ClusterDeployment, { name: 'c', namespace: 'n', labels }, { template: 't' });

function setWith(deployed: string[], { generation = 1, listed = services } = {}): ServiceSet {
  const set = newObject(ServiceSet, { name: 's', namespace: 'n', generation }, { cluster: 'c', provider: {}, services: listed });
  const states = deployed.map(name => ({
    type: 'Helm' as const,
    name,
    namespace: name,
    template: 't',
    state: 'Deployed' as const,
    lastStateTransitionTime: '2026-01-01T00:00:00Z',
  }));
  return { ...set, status: { deployed: false, observedGeneration: 1, services: states } };
}
const blockers = (set: ServiceSet | undefined, labels: Record<string, string> = { tier: 'dev' }) =>
  findBlockers({ mcs: mcs('b', ['a']), deployment: cd(labels), find: among(needed), setOf: () => set });

test('all services of the other must be deployed on the cluster', () => {
  assert.deepEqual(blockers(undefined), ['a (ServiceSet not yet created)']);
  assert.deepEqual(blockers(setWith(['one'])), ['a (1/2 services deployed)']);
  assert.deepEqual(blockers(setWith(['one', 'two'])), []);
});

test('what was said of an earlier list, or of one that is not complete yet, does not count', () => {
  assert.deepEqual(blockers(setWith(['one', 'two'], { generation: 2 })), ['a (0/2 services deployed)']);
  assert.deepEqual(blockers(setWith(['one', 'two'], { listed: services.slice(0, 1) })), ['a (1/2 services deployed)']);
});

test('nobody waits for one that does not apply to the cluster', () => {
  assert.deepEqual(blockers(undefined, { tier: 'prod' }), []);
  const onHub = (selfManagement: boolean) =>
    findBlockers({
      mcs: mcs('b', ['a']),
      deployment: undefined,
      find: among(mcs('a', [], { serviceSpec: { services, provider: { selfManagement } } })),
      setOf: () => undefined,
    });
  assert.deepEqual([onHub(false), onHub(true)], [[], ['a (ServiceSet not yet created)']]);
});

test('three are named, the others counted', () => {
  assert.equal(
    blockedMessage('n/c', ['a', 'b', 'c', 'd', 'e']),
    'skipping create/update of ServiceSet for matching cluster n/c: waiting on a, b, c and 2 more',
  );
});
