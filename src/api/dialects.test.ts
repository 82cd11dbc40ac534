import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialectOf } from './dialects.ts';

for (const [group, name] of Object.entries({
  'drover.io': 'Drover',
  'delivery.drover.io': 'Workflows',
  'k0rdent.mirantis.com': 'k0rdent',
  'source.toolkit.fluxcd.io': 'Flux',
  'fleet.cattle.io': 'Fleet',
  'management.cattle.io': 'Rancher',
  'harvesterhci.io': 'Harvester',
  'policy.karmada.io': 'Karmada',
  'types.kubefed.io': 'KubeFed',
  'infrastructure.cluster.x-k8s.io': 'Cluster API',
  'multicluster.x-k8s.io': 'Multi-cluster services',
  'networking.istio.io': 'Istio',
  apps: undefined,
  '': undefined,
  'evil-drover.io': undefined,
}))
  test(`${group || 'the core group'} is a word of ${name ?? 'Kubernetes'}`, () => assert.equal(dialectOf(group), name));
