import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Node } from '../../api/builtin-kinds.ts';
import { detectProvider } from './detect-provider.ts';

const node = (metadata: Node['metadata']): Node => ({ apiVersion: 'v1', kind: 'Node', metadata });

const cases: [provider: string | undefined, signs: Partial<Parameters<typeof detectProvider>[0]>][] = [
  [undefined, { version: 'v1.36.3' }],
  ['k3s', { version: 'v1.31.2+k3s1' }],
  ['rke2', { version: 'v1.31.2+rke2r1' }],
  ['harvester', { version: 'v1.31.2+rke2r1', groups: new Set(['apps', 'harvesterhci.io']) }],
  ['openshift', { version: 'v1.31.2', groups: new Set(['config.openshift.io']) }],
  ['eks', { version: 'v1.31.2-eks-7f9249a' }],
  ['gke', { version: 'v1.31.2-gke.1115000' }],
  ['aks', { version: 'v1.31.2', nodes: [node({ name: 'a', labels: { 'kubernetes.azure.com/cluster': 'x' } })] }],
  ['kwok', { version: 'v1.36.3', nodes: [node({ name: 'a', annotations: { 'kwok.x-k8s.io/node': 'fake' } })] }],
];

for (const [provider, signs] of cases)
  test(`${provider ?? 'nothing'} is told by ${JSON.stringify(signs.nodes?.[0]?.metadata ?? [...(signs.groups ?? []), signs.version])}`, () => {
    assert.equal(detectProvider({ version: undefined, nodes: [], groups: new Set(), ...signs }), provider);
  });
