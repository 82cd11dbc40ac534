import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { startMemoryMember, widgetDefinition } from './member-test-support.ts';
import { applyObjects } from './apply-objects.ts';
import { memberKinds } from './member-kinds.ts';

const configMaps = { group: '', version: 'v1', kind: 'ConfigMap' };
const widgets = { group: 'example.com', version: 'v1', kind: 'Widget' };

test('kinds are read once, with their scope', async t => {
  const { kinds, calls, signal } = await startMemoryMember(t);
  const found = await Promise.all([
    kinds.find(configMaps, signal),
    kinds.find({ group: '', version: 'v1', kind: 'Namespace' }, signal),
    kinds.find({ group: 'apps', version: 'v1', kind: 'Deployment' }, signal),
  ]);
  assert.deepEqual(
    found.map(kind => `${kind?.resource} ${kind?.scope}`),
    ['configmaps Namespaced', 'namespaces Cluster', 'deployments Namespaced'],
  );
  assert.deepEqual(calls, ['request GET /api', 'request GET /apis']);
});

test('a kind that is not known is asked for anew', async t => {
  const member = await startMemoryMember(t);
  const { kinds, signal } = member;
  assert.equal(await kinds.find(widgets, signal), undefined);
  await applyObjects(member, [widgetDefinition], { owner: { work: 'x' }, signal });
  assert.deepEqual(await kinds.find(widgets, signal), { ...widgets, resource: 'widgets', scope: 'Namespaced' });
});

test('capabilities are those that Helm finds', async t => {
  const { kinds, signal } = await startMemoryMember(t);
  const { kubeVersion, apiVersions } = await kinds.capabilities(signal);
  assert.match(kubeVersion, /^v1\.[0-9]+\.[0-9]+/);
  for (const version of ['v1', 'apps/v1', 'apps/v1/Deployment', 'v1/Pod', 'apps/v1/Scale'])
    assert.ok(apiVersions.includes(version), version);
});

test('giving up is for each who asks alone', async t => {
  const { kinds, signal } = await startMemoryMember(t);
  const stop = new AbortController();
  const [first, second] = [kinds.find(configMaps, stop.signal), kinds.find(configMaps, signal)];
  stop.abort(new Error('stopped'));
  await assert.rejects(first, { message: 'stopped' });
  assert.equal((await second)?.resource, 'configmaps');
});

test('a member that could not be asked is asked again', async t => {
  let isDown = true;
  const { kinds, signal } = await startMemoryMember(
    t,
    client =>
      new Proxy(client, {
        get: (target, name) =>
          name === 'request' && isDown ? () => Promise.reject(new Error('down')) : (Reflect.get(target, name) as unknown),
      }),
  );
  await assert.rejects(kinds.find(configMaps, signal), { message: 'down' });
  isDown = false;
  assert.equal((await kinds.find(configMaps, signal))?.resource, 'configmaps');
});

test('servers before 1.26 are understood as well', async t => {
  const documents: Record<string, object> = {
    '/version': { gitVersion: 'v1.24.0' },
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': { kind: 'APIGroupList', groups: [{ versions: [{ groupVersion: 'apps/v1' }] }] },
    '/api/v1': {
      resources: [
        { name: 'configmaps', kind: 'ConfigMap', namespaced: true },
        { name: 'nodes', kind: 'Node', namespaced: false },
        { name: 'pods', kind: 'Pod', namespaced: true },
        { name: 'pods/eviction', kind: 'Eviction', namespaced: true },
      ],
    },
    '/apis/apps/v1': { resources: [{ name: 'deployments', kind: 'Deployment', namespaced: true }] },
  };
  const { client, signal } = await startMemoryMember(t);
  const kinds = memberKinds({
    ...client,
    request: async ({ path }) => ({ status: 200, headers: {}, body: Readable.from([Buffer.from(JSON.stringify(documents[path]))]) }),
  });
  assert.equal((await kinds.find(configMaps, signal))?.scope, 'Namespaced');
  assert.equal((await kinds.find({ group: '', version: 'v1', kind: 'Node' }, signal))?.scope, 'Cluster');
  assert.deepEqual(await kinds.capabilities(signal), {
    kubeVersion: 'v1.24.0',
    apiVersions: ['apps/v1', 'apps/v1/Deployment', 'v1', 'v1/ConfigMap', 'v1/Eviction', 'v1/Node', 'v1/Pod'],
  });
});
