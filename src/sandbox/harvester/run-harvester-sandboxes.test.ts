import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../../test/helpers/memory-hub.ts';
import { startMemoryServer } from '../../../test/helpers/memory-server.ts';
import { Namespace } from '../../api/builtin-kinds.ts';
import { Cluster } from '../../api/cluster.ts';
import { newObject } from '../../api/define-kind.ts';
import { informer } from '../../runtime/informer.ts';
import { createEgress } from '../../sources/egress.ts';
import { HarvesterSetting, registrationSetting } from './harvester-setting.ts';
import { runHarvesterSandboxes } from './run-harvester-sandboxes.ts';

test('a sandbox plays Harvester for as long as it is labelled so, and others do not', async t => {
  const hub = await startMemoryHub(t, [Cluster]);
  const [labelled, plain] = [await startMemoryServer(t), await startMemoryServer(t)];
  const stop = new AbortController();
  t.after(() => stop.abort());
  const { signal } = stop;
  const clusters = informer(hub.client, Cluster, { signal });
  const members = {
    client: (name: string) => (name === 'labelled' ? labelled : plain).client,
    subscribe: () => ({ [Symbol.dispose]() {} }),
  };
  const controller = runHarvesterSandboxes({ clusters, members, egress: createEgress(), version: 'v1.9.0', signal });
  const label = (value: string | null) => ({ type: 'merge' as const, body: { metadata: { labels: { 'provider.cattle.io': value } } } });
  for (const name of ['labelled', 'plain']) {
    await hub.client.create(Cluster, newObject(Cluster, { name }, { connection: { mode: 'Sandbox' } }));
    await hub.client.apply(Cluster, { metadata: { name }, status: { server: 'https://127.0.0.1' } }, { subresource: 'status' });
  }
  await hub.client.patch(Cluster, { name: 'labelled' }, label('harvester'));

  const configured = async () => {
    const setting = await labelled.client.get(HarvesterSetting, { name: registrationSetting });
    return setting?.status?.conditions?.find(({ type }) => type === 'configured')?.message;
  };
  const set = (value: string) => labelled.client.patch(HarvesterSetting, { name: registrationSetting }, { type: 'merge', body: { value } });
  await eventually(() => labelled.client.get(Namespace, { name: 'harvester-public' }));
  await eventually(async () => (await configured()) === '');
  await set('nonsense');
  await eventually(async () => (await configured())?.includes('is not an address'));
  assert.equal(await plain.client.get(Namespace, { name: 'harvester-public' }), undefined);

  await hub.client.patch(Cluster, { name: 'labelled' }, label(null));
  await eventually(() => clusters.get('labelled')?.metadata.labels?.['provider.cattle.io'] === undefined);
  await controller.idle();
  await set('other nonsense');
  await controller.idle();
  assert.ok((await configured())?.startsWith('"nonsense"'), 'nobody looks at the setting any more');
});
