import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { importOptions } from '../../../test/helpers/imported-objects.ts';
import { startMemoryServer } from '../../../test/helpers/memory-server.ts';
import { Deployment, Namespace, RoleBinding, Secret, Service } from '../../api/builtin-kinds.ts';
import { agentDeployment, agentNamespace as namespace } from '../../core/registration/agent-names.ts';
import { importManifest } from '../../core/registration/import-manifest.ts';
import { createEgress } from '../../sources/egress.ts';
import { runClusterRegistration } from './cluster-registration.ts';
import { ensureHarvester } from './harvester-platform.ts';
import { HarvesterSetting, registrationSetting as name } from './harvester-setting.ts';

const manifest = importManifest({ ...importOptions, keepsNamespace: true });

async function start(t: TestContext, answer: RequestListener) {
  const { client } = await startMemoryServer(t);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const { signal } = stop;
  await ensureHarvester(client, { version: 'v1.9.0', signal });
  await ensureHarvester(client, { version: 'v1.9.0', signal });
  const egress = createEgress({ allow: ['127.0.0.0/8'] });
  const controller = runClusterRegistration({ client, egress, signal });
  const server = createServer(answer);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v3/import/abc_c-m-ab12cd34.yaml`;
  const configured = async () =>
    (await client.get(HarvesterSetting, { name }))?.status?.conditions?.find(({ type }) => type === 'configured');
  return {
    client,
    controller,
    url,
    configured,
    set: (value: string) => client.patch(HarvesterSetting, { name }, { type: 'merge', body: { value } }),
    agent: () => client.get(Deployment, { namespace, name: agentDeployment }),
  };
}

test('a cluster is a Harvester cluster to those who look', async t => {
  const { client } = await start(t, (_req, res) => res.end(manifest));
  assert.ok(await client.get(Namespace, { name: 'harvester-public' }));
  const binding = await client.get(RoleBinding, { namespace: 'harvester-public', name: 'harvester-public' });
  assert.deepEqual([binding?.roleRef.name, binding?.subjects?.[0]?.name], ['view', 'system:authenticated']);
  assert.ok(await client.get(Service, { namespace, name: 'rancher' }));
});

for (const [form, print] of [
  ['the plain address', (url: string) => url],
  ['the address in JSON', (url: string) => JSON.stringify({ url, insecureSkipTLSVerify: true })],
] as const)
  test(`${form} brings the agent, and taking it away removes the agent alone`, async t => {
    const { client, url, configured, set, agent } = await start(t, (_req, res) => res.end(manifest));
    await set(print(url));
    await eventually(async () => (await configured())?.status === 'True');
    assert.ok(await agent());
    await set(form === 'the plain address' ? '' : '{"url":""}');
    await eventually(async () => (await agent()) === undefined);
    await eventually(async () => (await configured())?.status === 'False');
    assert.equal((await configured())?.message, '');
    assert.equal((await client.get(Namespace, { name: namespace }))?.metadata.deletionTimestamp, undefined);
    const { items } = await client.list(Secret, { namespace });
    assert.ok(items.some(({ metadata }) => metadata.name?.startsWith('cattle-credentials-')));
  });

test('what the hub answers instead of a manifest is shown', async t => {
  const { url, configured, set, agent } = await start(t, (_req, res) => res.writeHead(400).end('cluster not found or invalid token'));
  await set(url);
  const shown = await eventually(configured, one => one?.status === 'False' && one.message !== '');
  assert.equal(shown?.message, 'failed to get from the registration URL: cluster not found or invalid token');
  assert.equal(await agent(), undefined);
});

test('it is done once: an agent that somebody deleted does not come back by itself', async t => {
  const { client, controller, url, configured, set, agent } = await start(t, (_req, res) => res.end(manifest));
  await set(url);
  await eventually(async () => (await configured())?.status === 'True');
  await eventually(async () => (await client.get(HarvesterSetting, { name }))?.metadata.annotations?.['harvesterhci.io/hash']);
  await client.delete(Deployment, { namespace, name: agentDeployment });
  await eventually(async () => (await agent()) === undefined);
  controller.add(name);
  await controller.idle();
  assert.equal(await agent(), undefined);
});

test('another hub takes over the same Deployment', async t => {
  let served = manifest;
  const { client, url, configured, set, agent } = await start(t, (_req, res) => res.end(served));
  await set(url);
  await eventually(async () => (await configured())?.status === 'True');
  served = importManifest({ ...importOptions, server: 'https://other', keepsNamespace: true });
  await set(`${url}?other`);
  await eventually(async () => JSON.stringify((await agent())?.spec).includes('https://other'));
  const { items } = await client.list(Deployment, { namespace });
  assert.equal(items.length, 1);
});
