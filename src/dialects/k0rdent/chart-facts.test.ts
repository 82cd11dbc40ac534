import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packedChart } from '../../../test/helpers/chart-files.ts';
import { writeArchive } from '../../render/write-archive.ts';
import { newObject } from '../../api/define-kind.ts';
import { chartFacts, providerFacts } from './chart-facts.ts';
import { copiedSpec } from './copy-template.ts';
import { ProviderTemplate, ServiceTemplate } from './kinds/template.ts';

test('a chart that wraps another of its name and version is spoken of as that one', () => {
  const file = (name: string, text: string) => ({ name: `web/${name}`, data: Buffer.from(text) });
  const about = 'apiVersion: v2\nname: web\nversion: 1.0.0\n';
  const bytes = writeArchive([
    file('Chart.yaml', `${about}dependencies: [{name: web, version: 1.0.0, repository: ""}]\n`),
    file('values.yaml', 'outer: 1\n'),
    file('charts/web/Chart.yaml', about),
    file('charts/web/values.yaml', 'inner: 2\n'),
  ]);
  assert.deepEqual(chartFacts(bytes).values, { inner: 2 });
  assert.deepEqual(chartFacts(packedChart('web', '1.0.0')).values, { greeting: 'hello' });
  assert.throws(() => chartFacts(Buffer.from('no chart')));
});

test('the contracts of a provider are in the annotations of its chart', () => {
  const template = newObject(ProviderTemplate, { name: 'p' }, { helm: {} });
  const annotations = { 'cluster.x-k8s.io/provider': 'infrastructure-a', 'cluster.x-k8s.io/v1beta1': 'v1_v2' };
  assert.deepEqual(providerFacts(template, { annotations }), { providers: ['infrastructure-a'], capiContracts: { v1beta1: 'v1_v2' } });
});

test('a copy of a template names what the original has', () => {
  const template = (spec: ServiceTemplate['spec'], status?: ServiceTemplate['status']): ServiceTemplate => ({
    ...newObject(ServiceTemplate, { namespace: 'kcm-system', name: 't' }, spec),
    ...(status && { status }),
  });
  const chartSpec = { chart: 'web', version: '1.0.0' };
  assert.equal(copiedSpec(template({ helm: { chartSpec } })), undefined, 'its chart is not known yet');
  const chartRef = { kind: 'HelmChart', namespace: 'kcm-system', name: 't' };
  assert.deepEqual(copiedSpec(template({ helm: { chartSpec }, version: '1.0.0' }, { valid: true, chartRef })), {
    helm: { chartRef },
    version: '1.0.0',
  });
  const remote = { remoteSourceSpec: { git: { url: 'https://x' } }, path: 'a', deploymentType: 'Remote' as const };
  assert.deepEqual(copiedSpec(template({ kustomize: remote })), {
    kustomize: { localSourceRef: { kind: 'GitRepository', name: 't', namespace: 'kcm-system' }, path: 'a', deploymentType: 'Remote' },
  });
});
