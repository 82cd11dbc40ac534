import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { eventually } from '../../test/helpers/eventually.ts';
import { HttpTarget, readKubeconfig, type Credentials } from '../../test/helpers/http-target.ts';
import { tempDir } from '../../test/helpers/temp-dir.ts';
import type { KubeObject } from '../api/object.ts';
import { createPki } from '../pki/ensure-pki.ts';
import { memoryKeyspaces, type Keyspaces } from '../store/keyspaces.ts';
import { openSqliteKeyspaces } from '../store/sqlite-keyspaces.ts';
import { startSandboxHost, type SandboxHost } from './sandbox-host.ts';

const pki = createPki();

async function start(t: TestContext, { dir = newDir(t), keyspaces = memoryKeyspaces() }: { dir?: string; keyspaces?: Keyspaces } = {}) {
  const problems: string[] = [];
  const host = await startSandboxHost({ keyspaces, dir, pki, onError: (what, error) => problems.push(`${what}: ${String(error)}`) });
  let isClosed = false;
  const close = async () => {
    if (!isClosed) await host[Symbol.asyncDispose]();
    isClosed = true;
  };
  t.after(close);
  return { host, close, problems };
}

function newDir(t: TestContext): string {
  const scratch = tempDir('sandboxes');
  t.after(() => scratch[Symbol.dispose]());
  return scratch.dir;
}

function target(t: TestContext, credentials: Credentials): HttpTarget {
  const found = new HttpTarget(credentials);
  t.after(() => found.close());
  return found;
}

const adminOf = (t: TestContext, host: SandboxHost, name: string) => target(t, readKubeconfig(host.get(name)!.kubeconfig));
const uidOf = async (cluster: HttpTarget, path: string) => (await cluster.request('GET', path)).json<KubeObject>().metadata.uid;
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

test('each sandbox is a cluster of its own with an address, a kubeconfig and nodes', async t => {
  const { host, problems } = await start(t);
  const east = await host.ensure({ name: 'east', nodes: { count: 2, capacity: { cpu: '4' } } });
  const west = await host.ensure({ name: 'west' });
  assert.notEqual(east.url, west.url);
  assert.equal(statSync(east.kubeconfig).mode & 0o777, 0o600);
  const [inEast, inWest] = [adminOf(t, host, 'east'), adminOf(t, host, 'west')];
  assert.equal((await inEast.request('POST', '/api/v1/namespaces/default/configmaps', configMap('mine'))).code, 201);
  assert.equal((await inWest.request('GET', '/api/v1/namespaces/default/configmaps/mine')).code, 404);
  const nodes = (await inEast.request('GET', '/api/v1/nodes')).json<{ items: KubeObject[] }>().items;
  assert.deepEqual(
    nodes.map(node => [node.metadata.name, (node['status'] as { allocatable: { cpu: string } }).allocatable.cpu]),
    [
      ['node-1', '4'],
      ['node-2', '4'],
    ],
  );
  for (const path of ['/api/v1/namespaces/kube-system', '/api/v1/namespaces/default/serviceaccounts/default'])
    assert.notEqual(await uidOf(inEast, path), await uidOf(inWest, path));
  assert.deepEqual(problems, []);
});

test('what opens one sandbox does not open another', async t => {
  const { host } = await start(t);
  await Promise.all([host.ensure({ name: 'east' }), host.ensure({ name: 'west' })]);
  const [east, west] = [host.get('east')!, host.get('west')!];
  const admin = readKubeconfig(east.kubeconfig);
  const certified = await target(t, { ...admin, server: west.url }).request('GET', '/api/v1/namespaces');
  assert.equal(certified.code, 401);

  const path = '/api/v1/namespaces/default/serviceaccounts/default/token';
  const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const { status } = (await target(t, admin).request('POST', path, asked)).json<{ status: { token: string } }>();
  const holder = (server: string) => target(t, { server, ca: admin.ca, token: status.token });
  assert.equal((await holder(east.url).request('GET', '/version')).code, 200);
  assert.equal((await holder(east.url).request('GET', '/api/v1/namespaces')).code, 403);
  assert.equal((await holder(west.url).request('GET', '/version')).code, 401);
});

test('sandboxes outlive the process with their addresses, objects and identities', async t => {
  const dir = newDir(t);
  const file = join(dir, 'sandboxes.db');
  const first = await start(t, { dir, keyspaces: await openSqliteKeyspaces(file) });
  const { url, kubeconfig } = await first.host.ensure({ name: 'east' });
  const before = adminOf(t, first.host, 'east');
  await before.request('POST', '/api/v1/namespaces/default/configmaps', configMap('mine'));
  const uid = await uidOf(before, '/api/v1/namespaces/kube-system');
  before.close();
  await first.close();

  const second = await start(t, { dir, keyspaces: await openSqliteKeyspaces(file) });
  assert.deepEqual(
    second.host.list().map(({ name, url, isAwake }) => ({ name, url, isAwake })),
    [{ name: 'east', url, isAwake: false }],
  );
  const after = target(t, readKubeconfig(kubeconfig));
  assert.equal((await after.request('GET', '/api/v1/namespaces/default/configmaps/mine')).code, 200);
  assert.equal(await uidOf(after, '/api/v1/namespaces/kube-system'), uid);
  assert.equal((await after.request('GET', '/api/v1/nodes/node-1')).code, 200);
  assert.deepEqual(second.problems, []);
});

test('those with objects of people are loaded at once after a restart', async t => {
  const dir = newDir(t);
  const file = join(dir, 'sandboxes.db');
  const first = await start(t, { dir, keyspaces: await openSqliteKeyspaces(file) });
  await Promise.all([first.host.ensure({ name: 'busy' }), first.host.ensure({ name: 'idle' })]);
  await adminOf(t, first.host, 'busy').request('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'shop' },
  });
  await Promise.all(['busy', 'idle'].map(async name => (await first.host.open(name)).idle()));
  await first.close();

  const { host } = await start(t, { dir, keyspaces: await openSqliteKeyspaces(file) });
  await host.resume();
  assert.deepEqual([host.get('busy')!.isAwake, host.get('idle')!.isAwake], [true, false]);
});

test('a sandbox that goes leaves no address, no file and no objects', async t => {
  const { host } = await start(t);
  const { url, kubeconfig } = await host.ensure({ name: 'east', owner: 'a' });
  const east = adminOf(t, host, 'east');
  const watch = await east.stream('/api/v1/namespaces?watch=1');
  assert.equal(await host.remove('east'), true);
  assert.equal(await host.remove('east'), false);
  assert.equal(host.get('east'), undefined);
  assert.equal(existsSync(kubeconfig), false);
  await assert.rejects(target(t, { server: url, ca: undefined }).request('GET', '/version'));
  await assert.rejects(host.open('east'), /there is no sandbox "east"/);
  watch.close();
});

test('a sandbox that goes is forgotten', async t => {
  const { host } = await start(t);
  await host.ensure({ name: 'east' });
  const cluster = new WeakRef((await host.open('east')).api.cluster);
  assert.equal((await adminOf(t, host, 'east').request('GET', '/api/v1/namespaces')).code, 200);
  await host.remove('east');
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  await eventually(
    async () => {
      collect();
      return cluster.deref() === undefined;
    },
    isForgotten => isForgotten,
  );
});

test('a sandbox asked for by another owner is another one', async t => {
  const { host } = await start(t);
  await host.ensure({ name: 'east', owner: 'a' });
  const uid = await uidOf(adminOf(t, host, 'east'), '/api/v1/namespaces/kube-system');
  await host.ensure({ name: 'east', owner: 'a' });
  assert.equal(await uidOf(adminOf(t, host, 'east'), '/api/v1/namespaces/kube-system'), uid);
  await host.ensure({ name: 'east', owner: 'b' });
  assert.notEqual(await uidOf(adminOf(t, host, 'east'), '/api/v1/namespaces/kube-system'), uid);
});

test('a sandbox grows and shrinks with its plan, and leaves alone the nodes of people', async t => {
  const { host } = await start(t);
  const plan = (count: number, cpu: string) => host.ensure({ name: 'east', nodes: { count, capacity: { cpu } } });
  const sizes = async () => {
    const { items } = (await adminOf(t, host, 'east').request('GET', '/api/v1/nodes')).json<{ items: KubeObject[] }>();
    return items.map(node => `${node.metadata.name} ${(node['status'] as { capacity: { cpu: string } }).capacity.cpu}`);
  };
  await plan(1, '4');
  await adminOf(t, host, 'east').request('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'own' } });
  await plan(3, '8');
  assert.deepEqual((await sizes()).slice(0, 3), ['node-1 8', 'node-2 8', 'node-3 8']);
  await adminOf(t, host, 'east').request('DELETE', '/api/v1/nodes/node-1');
  await plan(2, '8');
  await eventually(sizes, found => found.length === 2 && found[0] === 'node-2 8' && found[1]!.startsWith('own'));
});

test('a port that is taken meanwhile is given up for another one', async t => {
  const dir = newDir(t);
  const file = join(dir, 'sandboxes.db');
  const first = await start(t, { dir, keyspaces: await openSqliteKeyspaces(file) });
  const { url } = await first.host.ensure({ name: 'east' });
  await first.close();
  const { createServer } = await import('node:net');
  const squatter = createServer().listen(Number(new URL(url).port), '127.0.0.1');
  t.after(() => squatter.close());

  const { host } = await start(t, { dir, keyspaces: await openSqliteKeyspaces(file) });
  assert.notEqual(host.get('east')!.url, url);
  await host.ensure({ name: 'east' });
  assert.equal((await adminOf(t, host, 'east').request('GET', '/version')).code, 200);
});
