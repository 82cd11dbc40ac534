import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../api/object.ts';
import { loopback, type AccessAttributes, type UserInfo } from '../../auth/user.ts';
import { memoryJournal } from '../../store/journal.ts';
import { Store } from '../../store/store.ts';
import { flowSchemas, priorityLevels } from '../bootstrap/flow-control.ts';
import { ensureSystemObjects } from '../bootstrap/system-objects.ts';
import { Cluster } from '../cluster.ts';
import { flowClassifier, nominalSeats } from './flow-control.ts';

const person: UserInfo = { name: 'ada', groups: ['system:authenticated'] };
const pods: AccessAttributes = {
  isResource: true,
  verb: 'list',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'shop',
  name: '',
};

async function startCluster() {
  const cluster = new Cluster(await Store.open(memoryJournal()));
  await ensureSystemObjects(cluster, () => new Date());
  const names = new Map([...cluster.peekAll(flowSchemas), ...cluster.peekAll(priorityLevels)].map(o => [o.metadata.uid, o.metadata.name]));
  const flows = flowClassifier(cluster);
  const nameOf = (user: UserInfo, attributes: AccessAttributes) => {
    const flow = flows.flowOf(user, attributes);
    return flow && [flow.schemaUid, flow.levelUid].map(uid => names.get(uid) ?? uid);
  };
  return { cluster, nameOf };
}

test('who asks for what decides about the flow', async () => {
  const { nameOf } = await startCluster();
  const node: UserInfo = { name: 'system:node:a', groups: ['system:nodes', 'system:authenticated'] };
  const manager: UserInfo = { name: 'system:kube-controller-manager', groups: ['system:authenticated'] };
  const account: UserInfo = { name: 'system:serviceaccount:shop:web', groups: ['system:serviceaccounts', 'system:authenticated'] };
  assert.deepEqual(nameOf(loopback, pods), ['exempt', 'exempt']);
  assert.deepEqual(nameOf(node, pods), ['system-nodes', 'system']);
  assert.deepEqual(nameOf(manager, pods), ['kube-controller-manager', 'workload-high']);
  assert.deepEqual(nameOf(account, pods), ['service-accounts', 'workload-low']);
  assert.deepEqual(nameOf(person, pods), ['global-default', 'global-default']);
  assert.deepEqual(nameOf(person, { isResource: false, verb: 'get', path: '/healthz' }), ['probes', 'exempt']);
});

test('a flow of somebody begins and ends with its objects', async () => {
  const { cluster, nameOf } = await startCluster();
  assert.deepEqual(nameOf(person, pods), ['global-default', 'global-default']);
  const rules = [
    {
      subjects: [{ kind: 'User', user: { name: 'ada' } }],
      resourceRules: [{ verbs: ['*'], apiGroups: [''], resources: ['pods'], namespaces: ['shop'] }],
    },
  ];
  const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';
  const schema = await cluster.create(flowSchemas, {
    apiVersion,
    kind: 'FlowSchema',
    metadata: { name: 'adas' },
    spec: { matchingPrecedence: 500, priorityLevelConfiguration: { name: 'adas' }, rules },
  } as KubeObject);
  assert.deepEqual(nameOf(person, pods), ['global-default', 'global-default'], 'its level does not exist yet');
  const spec = { type: 'Limited', limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' } } };
  const level = await cluster.create(priorityLevels, {
    apiVersion,
    kind: 'PriorityLevelConfiguration',
    metadata: { name: 'adas' },
    spec,
  } as KubeObject);
  assert.deepEqual(nameOf(person, pods), [schema.metadata.uid, level.metadata.uid]);
  assert.deepEqual(nameOf(person, { ...pods, namespace: 'other' } as AccessAttributes), ['global-default', 'global-default']);
  await cluster.delete(flowSchemas, { namespace: '', name: 'adas' });
  assert.deepEqual(nameOf(person, pods), ['global-default', 'global-default']);
});

test('levels have their share of what may be under way', async () => {
  const { cluster } = await startCluster();
  const seats = nominalSeats(cluster.peekAll(priorityLevels), 600);
  assert.equal(seats.get('exempt'), 0);
  assert.equal(seats.get('workload-low'), Math.ceil((600 * 100) / 245));
});
