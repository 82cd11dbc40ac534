import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { accountToken } from '../../test/helpers/account-token.ts';
import { packedChart } from '../../test/helpers/chart-files.ts';
import { eventually } from '../../test/helpers/eventually.ts';
import { startGatewayRig } from '../../test/helpers/gateway-rig.ts';
import { CustomResourceDefinition } from '../api/builtin-kinds.ts';
import { Content } from '../api/content.ts';
import type { KubeObject } from '../api/object.ts';
import { pushChart } from '../core/contents/stored-charts.ts';
import { entriesOf } from '../sources/chart-index.ts';
import { inspectChart } from '../sources/inspect-chart.ts';

async function start(t: TestContext) {
  const rig = await startGatewayRig(t);
  const { client } = rig;
  await client.create(CustomResourceDefinition, Content.definition() as KubeObject & CustomResourceDefinition);
  await eventually(() => client.list(Content).then(() => true));
  const { signal } = new AbortController();
  for (const version of ['1.0.0', '1.1.0+a']) await pushChart(client, inspectChart(packedChart('web', version), 'here'), { signal });
  return rig;
}

/** A token of somebody with these rights to Contents. */
const tokenOf = ({ client }: Awaited<ReturnType<typeof start>>, name: string, verbs: string[]): Promise<string> =>
  accountToken(client, name, [{ apiGroups: ['drover.io'], resources: ['contents'], verbs }]);

const basic = (token: string) => ({ headers: { authorization: `Basic ${Buffer.from(`anybody:${token}`).toString('base64')}` } });

test('the store is a repository of charts for who may read Contents', async t => {
  const rig = await start(t);
  const token = await tokenOf(rig, 'reader', ['get', 'list']);
  const index = await rig.fetch('/charts/index.yaml', basic(token));
  assert.equal(index.status, 200);
  const entries = entriesOf(await index.text(), 'web') ?? [];
  assert.deepEqual(entries.map(entry => [entry.version, entry.urls[0]]).sort(), [
    ['1.0.0', 'web-1.0.0.tgz'],
    ['1.1.0+a', 'web-1.1.0%2Ba.tgz'],
  ]);
  for (const { version, urls } of entries) {
    const file = await rig.fetch(`/charts/${urls[0]}`, { headers: { authorization: `Bearer ${token}` } });
    assert.ok(Buffer.from(await file.arrayBuffer()).equals(packedChart('web', version)));
  }
});

test('others are refused', async t => {
  const rig = await start(t);
  const nobody = await rig.fetch('/charts/index.yaml');
  assert.deepEqual([nobody.status, nobody.headers.get('www-authenticate')], [401, 'Basic realm="drover"']);
  assert.equal((await rig.fetch('/charts/index.yaml', basic('nonsense'))).status, 401);
  const other = basic(await tokenOf(rig, 'other', ['create']));
  for (const path of ['/charts/index.yaml', '/charts/web-1.0.0.tgz', '/charts/nothing.tgz'])
    assert.equal((await rig.fetch(path, other)).status, 403, path);
  const lister = basic(await tokenOf(rig, 'lister', ['list']));
  assert.equal((await rig.fetch('/charts/index.yaml', lister)).status, 200);
  assert.equal((await rig.fetch('/charts/web-1.0.0.tgz', lister)).status, 403);
});

test('what is not there is not found, and nothing is written', async t => {
  const rig = await start(t);
  const reader = basic(await tokenOf(rig, 'reader', ['get', 'list']));
  for (const path of ['/charts/web-9.9.9.tgz', '/charts/', '/charts/..%2f..%2fetc', '/charts/%zz', '/charts/web'])
    assert.equal((await rig.fetch(path, reader)).status, 404, path);
  assert.equal((await rig.fetch('/charts/index.yaml', { ...reader, method: 'POST' })).status, 405);
});
