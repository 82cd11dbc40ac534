import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { controllerPrograms, startControlledHub } from '../helpers/controlled-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import type { Hub } from '../helpers/hub.ts';
import { CommandLine, kubectlFor } from '../helpers/kubectl.ts';
import { scratchDir } from '../helpers/real-cluster.ts';
import { missingRig, rigProgramPath } from '../helpers/rig.ts';

const skip = missingRig('helm', 'kubectl', ...controllerPrograms) ?? false;

describe('I install charts into the hub itself with helm', { skip, timeout: 240_000 }, () => {
  const scratch = scratchDir('helm');
  let hub: Hub;
  let helm: CommandLine;
  let kubectl: CommandLine;
  before(async () => {
    hub = await startControlledHub({ nodes: 1 });
    const home = path.join(scratch.dir, 'helm-home');
    const env = { KUBECONFIG: hub.kubeconfig, HOME: home, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home };
    helm = new CommandLine(rigProgramPath('helm'), { env, cwd: scratch.dir, timeoutMs: 120_000 });
    kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
  });
  after(async () => {
    await hub?.[Symbol.asyncDispose]();
    scratch[Symbol.dispose]();
  });

  test('the starter chart installs and waits until it is ready', async () => {
    await helm.expect('create shop', { says: 'Creating shop' });
    await helm.expect('lint shop', { says: '0 chart(s) failed' });
    await helm.expect('template web shop', { says: 'kind: Deployment' });
    await helm.expect('install web shop --dry-run=server', { says: 'kind: Deployment' });
    await helm.expect('install web shop -n sales --create-namespace --wait --timeout 60s', { says: /STATUS: deployed[^]*REVISION: 1/ });
    await kubectl.expect('get deploy web-shop -n sales', { says: /1\/1/ });
    await helm.expect('install web shop -n sales', { code: 1, says: /still in use|cannot re-use a name/ });
  });

  test('list, status, history and get tell about the release', async () => {
    await helm.expect('list -n sales', { says: /web\s+sales\s+1\s.*deployed\s+shop-0\.1\.0/ });
    await helm.expect('list -A -q', { says: /^web$/m });
    await helm.expect('status web -n sales', { says: 'STATUS: deployed' });
    await helm.expect('get manifest web -n sales', { says: 'kind: Service' });
    await helm.expect('get values web -n sales --all', { says: 'replicaCount: 1' });
    await helm.expect('get metadata web -n sales', { says: /NAMESPACE: sales/ });
    await kubectl.expect('get secrets -n sales -l owner=helm', { says: /sh\.helm\.release\.v1\.web\.v1 +helm\.sh\/release\.v1/ });
  });

  test('upgrade, a failing upgrade and rollback keep the history', async () => {
    await helm.expect('upgrade web shop -n sales --set replicaCount=2 --wait --timeout 60s', { says: 'REVISION: 2' });
    await kubectl.expect('get deploy web-shop -n sales', { says: /2\/2/ });
    await helm.expect('upgrade web shop -n sales --set service.type=Nonsense', {
      code: 1,
      says: 'spec.type: Unsupported value: "Nonsense"',
    });
    await helm.expect('rollback web 1 -n sales --wait --timeout 60s', { says: 'Rollback was a success' });
    await kubectl.expect('get deploy web-shop -n sales', { says: /1\/1/ });
    const history = JSON.parse(await helm.expect('history web -n sales -o json')) as { revision: number; status: string }[];
    assert.deepEqual(
      history.map(entry => `${entry.revision} ${entry.status}`),
      ['1 superseded', '2 superseded', '3 failed', '4 deployed'],
    );
  });

  test("the chart's own test runs as a hook", async () => {
    const pod = '/api/v1/namespaces/sales/pods/web-shop-test-connection';
    const tested = helm.expect('test web -n sales --timeout 60s', { says: /TEST SUITE: +web-shop-test-connection[^]*Phase: +Succeeded/ });
    // kwok ends only pods of Jobs; this one is ended by hand.
    const patch = { 'Content-Type': 'application/merge-patch+json' };
    const isRunning = async (): Promise<boolean> =>
      (await hub.request('GET', pod)).json<{ status?: { phase?: string } }>().status?.phase === 'Running';
    await eventually(isRunning, Boolean, { timeoutMs: 30_000, what: 'the test pod' });
    assert.equal((await hub.request('PATCH', `${pod}/status`, { status: { phase: 'Succeeded' } }, patch)).code, 200);
    await tested;
    await kubectl.expect('delete pod web-shop-test-connection -n sales');
  });

  test('definitions in crds/ come before what needs them, and stay', async () => {
    const chart = path.join(scratch.dir, 'harbour');
    for (const folder of ['crds', 'templates']) mkdirSync(path.join(chart, folder), { recursive: true });
    writeFileSync(path.join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: harbour\nversion: 1.0.0\n');
    const schema = { type: 'object', properties: { spec: { type: 'object', properties: { length: { type: 'integer' } } } } };
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'piers.harbour.example.com' },
      spec: {
        group: 'harbour.example.com',
        scope: 'Namespaced',
        names: { plural: 'piers', singular: 'pier', kind: 'Pier' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    };
    writeFileSync(path.join(chart, 'crds/pier.yaml'), JSON.stringify(definition));
    writeFileSync(
      path.join(chart, 'templates/pier.yaml'),
      'apiVersion: harbour.example.com/v1\nkind: Pier\nmetadata: { name: "{{ .Release.Name }}" }\nspec: { length: {{ .Values.length | default 5 }} }\n',
    );
    await helm.expect('install east harbour', { says: 'STATUS: deployed' });
    await helm.expect('upgrade --install east harbour --set length=7', { says: 'REVISION: 2' });
    assert.equal(await kubectl.expect(`get pier east -o jsonpath='{.spec.length}'`), '7');
    await helm.expect('upgrade east harbour --set length=long', { code: 1, says: /spec\.length/ });
    await helm.expect('uninstall east', { says: 'release "east" uninstalled' });
    await kubectl.expect('get piers', { says: 'No resources found' });
  });

  test('uninstall waits and leaves nothing but what was asked for', async () => {
    await helm.expect('uninstall web -n sales --wait --timeout 60s', { says: 'release "web" uninstalled' });
    assert.equal(await kubectl.expect('get all,secrets -n sales -o name'), '');
    await helm.expect('list -n sales -q', { says: /^$/ });
  });
});
