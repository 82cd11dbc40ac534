import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Node, Pod, PodSpec } from '../../api/kubernetes.ts';
import type { Stored } from '../controllers/stored-object.ts';
import { chooseNode, type Choice } from './choose-node.ts';
import { ClusterView } from './cluster-view.ts';
import { podRequest } from './pod-request.ts';

let uids = 0;

function node(name: string, { cpu = '4', pods = '10', zone = 'a', taints, unschedulable, labels = {} }: NodeTraits = {}): Stored<Node> {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      uid: name,
      creationTimestamp: '2026-01-01T00:00:00Z',
      resourceVersion: '1',
      labels: { 'kubernetes.io/hostname': name, zone, ...labels },
    },
    spec: { ...(taints && { taints }), ...(unschedulable && { unschedulable }) },
    status: { allocatable: { cpu, memory: '8Gi', pods } },
  };
}

interface NodeTraits {
  cpu?: string;
  pods?: string;
  zone?: string;
  taints?: { key: string; effect: string; value?: string }[];
  unschedulable?: boolean;
  labels?: Record<string, string>;
}

function pod(spec: Partial<PodSpec> & { cpu?: string } = {}, labels: Record<string, string> = {}): Stored<Pod> {
  const { cpu, ...rest } = spec;
  const name = `pod-${++uids}`;
  const resources = cpu === undefined ? {} : { resources: { requests: { cpu } } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'test', uid: name, creationTimestamp: '2026-01-01T00:00:00Z', resourceVersion: '1', labels },
    spec: { containers: [{ name: 'c', ...resources }], ...rest },
    status: { phase: 'Pending' },
  };
}

function cluster(nodes: Stored<Node>[], placed: [Stored<Pod>, string][] = []): ClusterView {
  const view = new ClusterView();
  for (const one of nodes) view.setNode(one);
  for (const [one, nodeName] of placed) view.setPod({ ...one, spec: { ...one.spec, nodeName } });
  return view;
}

const choose = (view: ClusterView, wanted: Stored<Pod>): Choice => {
  const volumes = { reachableFrom: [], waitingClaims: [] };
  return chooseNode(
    podRequest(wanted, volumes, () => ({})),
    { nodes: view.nodes(), budgets: [] },
  );
};
const messageOf = (choice: Choice) => (choice.node === undefined ? choice.message : `node ${choice.node}`);

test('the emptier node is chosen', () => {
  const view = cluster([node('a'), node('b')], [[pod({ cpu: '2' }), 'a']]);
  assert.equal(choose(view, pod({ cpu: '1' })).node, 'b');
});

test('a refusal counts the reasons of all nodes, as the real scheduler does', () => {
  const taints = [{ key: 'dedicated', effect: 'NoSchedule' }];
  const view = cluster([node('a', { cpu: '1' }), node('b', { cpu: '1' }), node('c', { taints }), node('d', { unschedulable: true })]);
  assert.equal(
    messageOf(choose(view, pod({ cpu: '2' }))),
    '0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient cpu.' +
      ' no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.',
  );
});

test('without nodes there is nothing to count', () => {
  assert.equal(messageOf(choose(cluster([]), pod())), 'no nodes available to schedule pods');
});

test('selectors, affinity and tolerations lead to the one node that meets them', () => {
  const taints = [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }];
  const view = cluster([node('a'), node('b', { labels: { disk: 'ssd' } }), node('c', { labels: { disk: 'ssd' }, taints })]);
  assert.equal(choose(view, pod({ nodeSelector: { disk: 'ssd' } })).node, 'b');
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['c'] }];
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } };
  const tolerations = [{ key: 'gpu', operator: 'Exists' }];
  assert.equal(choose(view, pod({ affinity: { nodeAffinity }, tolerations })).node, 'c');
  assert.match(
    messageOf(choose(view, pod({ affinity: { nodeAffinity } }))),
    /1 node\(s\) had untolerated taint\(s\), 2 node\(s\) didn't match Pod's node affinity/,
  );
});

test('pods that repel each other stand in different places', () => {
  const labelSelector = { matchLabels: { app: 'web' } };
  const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector, topologyKey: 'kubernetes.io/hostname' }] };
  const web = () => pod({ affinity: { podAntiAffinity } }, { app: 'web' });
  const nodes = [node('a'), node('b')];
  assert.equal(choose(cluster(nodes, [[web(), 'a']]), web()).node, 'b');
  assert.match(
    messageOf(
      choose(
        cluster(nodes, [
          [web(), 'a'],
          [web(), 'b'],
        ]),
        web(),
      ),
    ),
    /2 node\(s\) didn't match pod anti-affinity rules/,
  );
  assert.match(
    messageOf(
      choose(
        cluster(nodes, [
          [web(), 'a'],
          [web(), 'b'],
        ]),
        pod({}, { app: 'web' }),
      ),
    ),
    /existing pods anti-affinity rules/,
  );
});

test('the first of a group that wants to stand together may stand anywhere, the others beside it', () => {
  const labelSelector = { matchLabels: { app: 'web' } };
  const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector, topologyKey: 'zone' }] };
  const web = () => pod({ affinity: { podAffinity } }, { app: 'web' });
  const nodes = [node('a', { zone: 'x' }), node('b', { zone: 'y' })];
  assert.ok(choose(cluster(nodes), web()).node);
  assert.equal(choose(cluster(nodes, [[web(), 'b']]), web()).node, 'b');
});

test('a spread over zones is kept within its skew', () => {
  const constraint = {
    maxSkew: 1,
    topologyKey: 'zone',
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: { app: 'web' } },
  };
  const web = () => pod({ topologySpreadConstraints: [constraint] }, { app: 'web' });
  const nodes = [node('a', { zone: 'x' }), node('b', { zone: 'y', unschedulable: true })];
  assert.equal(choose(cluster(nodes), web()).node, 'a');
  assert.match(messageOf(choose(cluster(nodes, [[web(), 'a']]), web())), /1 node\(s\) didn't match pod topology spread constraints/);
});

test('an important pod takes the place of as few unimportant ones as possible', () => {
  const low = pod({ cpu: '2', priority: 1 });
  const lower = pod({ cpu: '2', priority: 0 });
  const view = cluster(
    [node('a')],
    [
      [low, 'a'],
      [lower, 'a'],
    ],
  );
  const choice = choose(view, pod({ cpu: '2', priority: 10 }));
  assert.ok(choice.node === undefined);
  assert.deepEqual(
    choice.preemption?.victims.map(victim => victim.name),
    [lower.metadata.name],
  );
  const never = choose(view, pod({ cpu: '2', priority: 10, preemptionPolicy: 'Never' }));
  assert.ok(never.node === undefined && never.preemption === undefined);
});

test('host ports are not given twice', () => {
  const withPort = () => pod({ containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort: 80 }] }] });
  assert.equal(choose(cluster([node('a'), node('b')], [[withPort(), 'a']]), withPort()).node, 'b');
});

test('no node is ever given more than it has', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 3000 }), { maxLength: 60 }), requests => {
      const view = cluster([
        node('a', { cpu: '2', pods: '8' }),
        node('b', { cpu: '4', pods: '5' }),
        node('c', { cpu: '1500m', pods: '20' }),
      ]);
      for (const milli of requests) {
        const wanted = pod({ cpu: `${milli}m` });
        const choice = choose(view, wanted);
        if (choice.node !== undefined) view.setPod({ ...wanted, spec: { ...wanted.spec, nodeName: choice.node } });
      }
      for (const { allocatable, requested, pods } of view.nodes()) {
        assert.ok((requested['cpu'] ?? 0) <= allocatable['cpu']!);
        assert.ok(pods.size * 1000 <= allocatable['pods']!);
      }
    }),
    { numRuns: 50 },
  );
});
