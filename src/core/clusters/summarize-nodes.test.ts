import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Node } from '../../api/builtin-kinds.ts';
import { summarizeNodes } from './summarize-nodes.ts';

function node(name: string, amounts: Record<string, string>, ready = 'True'): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    status: { capacity: amounts, allocatable: amounts, conditions: [{ type: 'Ready', status: ready }] },
  };
}

test('amounts are added up in the units of the nodes', () => {
  const summary = summarizeNodes([
    node('a', { cpu: '1500m', memory: '2Gi', pods: '110' }),
    node('b', { cpu: '2500m', memory: '512Mi', 'nvidia.com/gpu': '1' }, 'Unknown'),
  ]);
  assert.deepEqual(summary.nodes, { total: 2, ready: 1 });
  assert.deepEqual(summary.capacity, { cpu: '4', memory: '2560Mi', 'nvidia.com/gpu': '1', pods: '110' });
});

test('an amount that cannot be read hides nothing else', () => {
  assert.deepEqual(summarizeNodes([node('a', { cpu: 'many', pods: '1' })]).allocatable, { pods: '1' });
});

test('a cluster without nodes has none', () => {
  assert.deepEqual(summarizeNodes([]), { nodes: { total: 0, ready: 0 }, capacity: {}, allocatable: {}, regions: [] });
});

test('nodes say in which regions they are', () => {
  const at = (name: string, region?: string) => {
    const one = node(name, {});
    return { ...one, metadata: { name, ...(region !== undefined && { labels: { 'topology.kubernetes.io/region': region } }) } };
  };
  assert.deepEqual(summarizeNodes([at('a', 'west'), at('b', 'east'), at('c', 'west'), at('d'), at('e', '')]).regions, ['east', 'west']);
});
