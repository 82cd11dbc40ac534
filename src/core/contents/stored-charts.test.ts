import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { packedChart } from '../../../test/helpers/chart-files.ts';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryServer } from '../../../test/helpers/memory-server.ts';
import { CustomResourceDefinition } from '../../api/builtin-kinds.ts';
import { Content, contentTypes } from '../../api/content.ts';
import type { KubeObject } from '../../api/object.ts';
import { inspectChart } from '../../sources/inspect-chart.ts';
import { putContent } from './put-content.ts';
import { readContent } from './read-content.ts';
import { ChartTakenError, deleteChart, listStoredCharts, pushChart } from './stored-charts.ts';

const { signal } = new AbortController();
const chart = (version: string, more: Record<string, string> = {}, name = 'web') => inspectChart(packedChart(name, version, more), 'here');

async function start(t: TestContext) {
  const { client } = await startMemoryServer(t);
  await client.create(CustomResourceDefinition, Content.definition() as KubeObject & CustomResourceDefinition);
  await eventually(() => client.list(Content).then(() => true));
  return client;
}

test('charts that were pushed are listed and can be read', async t => {
  const hub = await start(t);
  assert.equal(await pushChart(hub, chart('1.0.0'), { signal }), true);
  assert.equal(await pushChart(hub, chart('1.1.0'), { signal }), true);
  assert.equal(await pushChart(hub, chart('1.0.0', {}, 'api'), { signal }), true);
  const all = await listStoredCharts(hub, { signal });
  assert.deepEqual(
    all.map(one => `${one.name} ${one.version}`),
    ['api 1.0.0', 'web 1.0.0', 'web 1.1.0'],
  );
  const [web] = await listStoredCharts(hub, { name: 'web', signal });
  assert.deepEqual([web?.appVersion, web?.description], ['1.0.0', 'The chart web']);
  assert.ok((await readContent(hub, web!.digest)).equals(packedChart('web', '1.0.0')));
  assert.deepEqual(await listStoredCharts(hub, { name: 'no, such', signal }), []);
});

test('what was pushed is not replaced', async t => {
  const hub = await start(t);
  await pushChart(hub, chart('1.0.0'), { signal });
  assert.equal(await pushChart(hub, chart('1.0.0'), { signal }), false);
  await assert.rejects(pushChart(hub, chart('1.0.0', { more: 'x' }), { signal }), ChartTakenError);
  assert.equal((await listStoredCharts(hub, { signal })).length, 1);
});

test('of two that are pushed at the same moment one is refused', async t => {
  const hub = await start(t);
  const pushes = Array.from({ length: 5 }, (_, i) => pushChart(hub, chart('1.0.0', { more: `${i}` }), { signal }));
  const outcomes = await Promise.allSettled(pushes);
  assert.equal(outcomes.filter(one => one.status === 'fulfilled').length, 1);
  assert.ok(outcomes.every(one => one.status === 'fulfilled' || one.reason instanceof ChartTakenError));
  assert.equal((await listStoredCharts(hub, { signal })).length, 1);
});

test('a chart that is deleted is no longer in the store, and another may take its place', async t => {
  const hub = await start(t);
  const old = chart('1.0.0');
  await pushChart(hub, old, { signal });
  assert.equal(await deleteChart(hub, { name: 'web', version: '1.0.0' }, { signal }), true);
  assert.equal(await deleteChart(hub, { name: 'web', version: '1.0.0' }, { signal }), false);
  assert.ok((await readContent(hub, old.digest)).equals(old.bytes), 'Works may still need it');
  assert.equal(await pushChart(hub, chart('1.0.0', { more: 'x' }), { signal }), true);
});

test('bytes that the hub fetched before can be pushed', async t => {
  const hub = await start(t);
  const { bytes } = chart('1.0.0');
  await putContent(hub, bytes, { type: contentTypes.chart });
  assert.equal(await pushChart(hub, chart('1.0.0'), { signal }), true);
  assert.equal((await listStoredCharts(hub, { signal }))[0]?.version, '1.0.0');
});
