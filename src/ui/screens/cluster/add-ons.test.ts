import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cluster } from '../../../api/cluster.ts';
import type { Work } from '../../../api/work.ts';
import { addOns } from './add-ons.ts';

const record = (namespace: string, name: string, version: number, status: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    namespace,
    name: `sh.helm.release.v1.${name}.v${version}`,
    labels: { name, status, version: String(version), owner: 'helm' },
  },
});
const cluster = {
  metadata: { name: 'east' },
  spec: { connection: { mode: 'Tunnel' } },
  status: {
    agentVersion: '1.2.3',
    conditions: [{ type: 'Connected', status: 'True', reason: 'Answering', message: 'It answers', lastTransitionTime: '' }],
    apiResources: [
      { groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] },
      { groupVersion: 'cert-manager.io/v1', resources: [{ name: 'certificates', kind: 'Certificate' }] },
    ],
  },
} as unknown as Cluster;
const work = {
  metadata: { name: 'web-1', namespace: 'c-m-1', annotations: { 'drover.io/owner': 'MultiClusterService web' } },
  spec: { release: { name: 'web', namespace: 'shop' }, chart: { content: 'sha256:1' } },
  status: { delivered: { chart: 'web-1.0.0', inputs: '', state: 'Deployed', at: '' } },
} as unknown as Work;

test('everything that is installed is told with who brought it, by its marks alone', () => {
  const rows = addOns({
    cluster,
    records: [record('shop', 'web', 1, 'superseded'), record('shop', 'web', 10, 'deployed'), record('certs', 'cm', 2, 'failed')],
    works: [work],
    workloads: [
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: {
          labels: { 'helm.sh/chart': 'cert-manager-v1.15.0' },
          annotations: { 'meta.helm.sh/release-name': 'cm', 'meta.helm.sh/release-namespace': 'certs' },
        },
      },
    ],
    definitions: [
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: {
          name: 'certificates.cert-manager.io',
          annotations: { 'meta.helm.sh/release-name': 'cm', 'meta.helm.sh/release-namespace': 'certs' },
        },
      },
    ],
  });
  assert.deepEqual(
    rows.map(one => [one.type, one.name, one.version, one.source, one.state.word]),
    [
      ['Agent', 'cattle-cluster-agent', '1.2.3', 'Drover', 'Connected'],
      ['Release', 'web', 'web-1.0.0', 'MultiClusterService web', 'Deployed'],
      ['Release', 'cm', 'cert-manager-v1.15.0', 'Somebody else, with Helm', 'Failed'],
      ['API group', 'cert-manager.io', 'v1', 'Somebody else, with Helm', 'Served'],
    ],
  );
});
