import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { test } from 'node:test';
import type { KubeObject } from '../../../api/object.ts';
import { printJson } from '../../../util/json.ts';
import { SimulatedMember, web } from './simulated-member.ts';

const history = `
version: v1
releases:
- number: 17
  status: Succeeded
  managedWorkloads:
  - workload: {kind: Deployment, name: web, namespace: prod}
    revision: "4"
- number: 16
  status: Failed
`;
const holder = (kind: 'ConfigMap' | 'Secret', data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'web', namespace: 'prod' },
  data,
});
const base64 = (bytes: string | Buffer) => Buffer.from(bytes).toString('base64');
const packed = gzipSync(history);
const forms = {
  plain: holder('ConfigMap', { releaseHistory: history }),
  'compressed ConfigMap': holder('ConfigMap', { releaseHistory: base64(packed), isReleaseHistoryCompressed: 'true' }),
  Secret: holder('Secret', { releaseHistory: base64(history) }),
  'compressed Secret': holder('Secret', { releaseHistory: base64(packed), isReleaseHistoryCompressed: base64('\u0001') }),
};

test('a history of old is gone on with, in whatever form it is', () => {
  for (const [form, obj] of Object.entries(forms)) {
    const member = new SimulatedMember();
    member.put(obj);
    member.beginRun();
    member.step('RollingDeploy', { rendered: [web.deployment('web:a'), web.config('a')] });
    assert.equal(member.state.releaseNumber, 18, form);
    assert.equal(member.state.previousRelease, 17, form);
  }
});

test('nobody can read it: the history begins anew', () => {
  const member = new SimulatedMember();
  member.put(holder('ConfigMap', { releaseHistory: '{' }));
  member.beginRun();
  member.step('RollingDeploy', { rendered: [web.deployment('web:a')] });
  assert.equal(member.state.releaseNumber, 1);
});

test('going back to a release of old gives workloads the templates that they had', () => {
  const member = new SimulatedMember();
  member.put(forms.plain);
  member.beginRun();
  member.step('RollingDeploy', { rendered: [web.deployment('web:new')] });
  const settings = { isRollback: true };
  const lost = member.step('RollingRollback', { settings });
  assert.match(lost.outcome === 'failed' ? lost.message : '', /Revision 4 of Deployment\/web is not on the cluster any more/);
  member.put({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: 'web-1',
      namespace: 'prod',
      annotations: { 'deployment.kubernetes.io/revision': '4' },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: '1' }],
    },
    spec: {
      template: {
        metadata: { labels: { app: 'web', 'pod-template-hash': '1' } },
        spec: { containers: [{ name: 'web', image: 'web:old' }] },
      },
    },
  });
  const begun = member.step('RollingRollback', { settings });
  assert.equal(begun.outcome, 'deliver');
  const text = printJson(member.find('Deployment', 'web'));
  assert.match(text, /web:old/);
  assert.doesNotMatch(text, /pod-template-hash/);
});
