import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { droverFor } from '../helpers/drover.ts';
import { eventually } from '../helpers/eventually.ts';
import { startExternalHub } from '../helpers/external-hub.ts';
import { kubectlFor } from '../helpers/kubectl.ts';
import { startEtcd } from '../helpers/real-cluster.ts';
import { startRealMember } from '../helpers/real-member.ts';
import { missingRig } from '../helpers/rig.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const skip = missingRig('etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl') ?? false;

const clusters = `
apiVersion: drover.io/v1alpha1
kind: Cluster
metadata: { name: east }
spec: { connection: { mode: Sandbox } }
---
apiVersion: drover.io/v1alpha1
kind: Cluster
metadata: { name: west }
spec: { connection: { mode: Direct, server: "https://127.0.0.1:1", secretName: credential } }
`;

test('a real kube-apiserver is the hub: kinds, ids, conditions and the gateway are there', { skip, timeout: 180_000 }, async () => {
  await using etcd = await startEtcd();
  await using real = await startRealMember(etcd, { tokens: { 'ops-token': { user: 'ops', groups: ['system:masters'] } } });
  using scratch = tempDir('external');
  const dataDir = path.join(scratch.dir, 'data');
  const kubectl = kubectlFor('kubectl', { kubeconfig: real.kubeconfig, dir: real.dir });
  const column = (jsonpath: string) => kubectl.expect(`get clusters.drover.io -o jsonpath='${jsonpath}'`);
  const readiness = '{range .items[*]}{.metadata.name}={.status.conditions[?(@.type=="Ready")].reason} {end}';
  let ids: string;
  {
    await using hub = await startExternalHub({ kubeconfig: real.kubeconfig, dataDir });
    writeFileSync(path.join(real.dir, 'clusters.yaml'), clusters);
    await kubectl.expect(`apply -f ${path.join(real.dir, 'clusters.yaml')}`, { says: 'cluster.drover.io/east created' });
    await eventually(
      () => column(readiness),
      text => text.trim() === 'east=Answering west=CredentialMissing',
      { timeoutMs: 60_000 },
    );
    ids = await column('{.items[*].status.id}');
    assert.match(ids, /^c-m-[a-z0-9]{8} c-m-[a-z0-9]{8}$/);
    await kubectl.expect(`get namespace ${ids}`);

    assert.equal((await hub.request('/ping')).text, 'pong');
    assert.equal((await hub.request('/readyz')).code, 200);
    assert.equal((await hub.request('/k8s/clusters/east/version')).code, 401);
    const version = await hub.request('/k8s/clusters/east/version', 'ops-token');
    assert.match(version.json<{ gitVersion: string }>().gitVersion, /drover/);
    assert.equal((await hub.requestAsAdmin('/k8s/clusters/east/version')).code, 200, 'by certificate');
    assert.match(
      (await hub.request('/metrics', 'ops-token')).text,
      /^controller_runtime_reconcile_total\{controller="cluster",result="success"\} [1-9]/m,
    );
    assert.equal((await hub.request('/metrics')).code, 401);
  }
  await using _again = await startExternalHub({ kubeconfig: real.kubeconfig, dataDir });
  await kubectl.expect('delete clusters.drover.io east west --timeout=60s', { says: '"east" deleted' });
  await kubectl.expect(`get namespace ${ids} --ignore-not-found`).then(text => assert.equal(text, ''));
});

test('a hub that does not answer is said at once, and nothing is left behind', { skip, timeout: 60_000 }, async () => {
  using scratch = tempDir('external');
  const drover = droverFor({ dir: scratch.dir });
  const kubeconfig = path.join(scratch.dir, 'kubeconfig');
  const dataDir = path.join(scratch.dir, 'data');
  await drover.expect(`up --hub ${kubeconfig} --data ${dataDir}`, { code: 1, says: 'there is no kubeconfig' });
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'a' } }],
      clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:1' } }],
    }),
  );
  await drover.expect(`up --hub ${kubeconfig} --data ${dataDir}`, { code: 1, says: ['as the hub', 'connection refused'] });
  await drover.expect(`up --hub ${kubeconfig} --context b --data ${dataDir}`, { code: 1, says: 'has no context "b"' });
  await drover.expect('up --context b', { code: 1, says: '--context is about the kubeconfig of --hub' });
});
