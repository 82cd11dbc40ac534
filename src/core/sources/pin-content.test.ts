import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { test, type TestContext } from 'node:test';
import { packedChart } from '../../../test/helpers/chart-files.ts';
import { chartRepository } from '../../../test/helpers/chart-repository.ts';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryServer } from '../../../test/helpers/memory-server.ts';
import { startSourceServer } from '../../../test/helpers/source-server.ts';
import { CustomResourceDefinition, Event, Namespace, Secret } from '../../api/builtin-kinds.ts';
import { findCondition } from '../../api/conditions.ts';
import { Content, contentName } from '../../api/content.ts';
import { newObject } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import { Work, workAnnotations } from '../../api/work.ts';
import { informer } from '../../runtime/informer.ts';
import { createEgress } from '../../sources/egress.ts';
import { inspectChart } from '../../sources/inspect-chart.ts';
import { readContent } from '../contents/read-content.ts';
import { pushChart } from '../contents/stored-charts.ts';
import { runContentPinner } from './pin-content.ts';
import { wantedContent } from './wanted-content.ts';

const namespace = 'c-m-ab12cd34';

async function start(t: TestContext) {
  const { client: hub } = await startMemoryServer(t);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const { signal } = stop;
  for (const kind of [Content, Work])
    await hub.create(CustomResourceDefinition, kind.definition() as KubeObject & CustomResourceDefinition);
  await eventually(() => Promise.all([hub.list(Content), hub.list(Work)]).then(() => true));
  await hub.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const works = informer(hub, Work, { signal });
  const egress = createEgress({ allow: ['127.0.0.1/32'] });
  const pinner = runContentPinner({ hub, works, egress, clusterName: () => 'east', signal, firstDelayMs: 50, maxDelayMs: 200 });
  const release = { name: 'web', namespace: 'shop' };
  const add = (name: string, chart: Work['spec']['chart']) =>
    hub.create(Work, newObject(Work, { namespace, name }, { release, ...(chart && { chart }) }));
  const get = async (name: string) => (await hub.get(Work, { namespace, name }))!;
  const digestOfWork = async (name: string) => {
    const work = await eventually(
      () => get(name),
      one => typeof wantedContent(one) === 'object',
      { timeoutMs: 20_000 },
    );
    return (wantedContent(work) as { digest: string }).digest;
  };
  const failure = (name: string, words: RegExp) =>
    eventually(
      () => get(name),
      one => words.test(findCondition(one, 'Ready')?.message ?? ''),
      { timeoutMs: 20_000 },
    );
  return { hub, pinner, signal, add, get, digestOfWork, failure };
}

/** A server whose certificate is known by a Secret, as sources have it. */
async function startSource(
  t: TestContext,
  hub: Awaited<ReturnType<typeof start>>['hub'],
  answer: RequestListener,
  login: Record<string, string> = {},
) {
  const server = await startSourceServer(t, answer);
  const data = Object.fromEntries(
    Object.entries({ 'ca.crt': server.ca.certificate, ...login }).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  );
  await hub.create(Secret, { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: 'source' }, data });
  return server;
}

test('many Works of one source are pinned to the same bytes by one fetch', async t => {
  const { hub, add, digestOfWork, pinner } = await start(t);
  const repository = chartRepository({ web: ['1.0.0', '1.1.0'] });
  const { url, requests } = await startSource(t, hub, repository.answer);
  const names = Array.from({ length: 25 }, (_, i) => `web-${i}`);
  await Promise.all(names.map(name => add(name, { repository: url, name: 'web', version: '1.x', secretName: 'source' })));
  const digests = new Set(await Promise.all(names.map(digestOfWork)));
  assert.equal(digests.size, 1);
  assert.ok((await readContent(hub, [...digests][0]!)).equals(packedChart('web', '1.1.0')));
  await pinner.idle();
  assert.deepEqual(
    requests.map(req => req.url),
    ['/index.yaml', '/web-1.1.0.tgz'],
  );
  const content = await hub.get(Content, { name: contentName([...digests][0]!) });
  assert.deepEqual(content?.spec.chart, { name: 'web', version: '1.1.0', appVersion: '1.1.0', description: 'The chart web' });
});

test('another version is another content', async t => {
  const { hub, add, digestOfWork } = await start(t);
  const { url } = await startSource(t, hub, chartRepository({ web: ['1.0.0', '1.1.0'] }).answer);
  await add('web', { repository: url, name: 'web', version: '1.0.0', secretName: 'source' });
  const first = await digestOfWork('web');
  await hub.patch(Work, { namespace, name: 'web' }, { type: 'merge', body: { spec: { chart: { version: '1.1.0' } } } });
  assert.notEqual(await digestOfWork('web'), first);
});

test('a source that fails is told on the Work, without credentials, and tried again', async t => {
  const { hub, add, failure, digestOfWork, get, pinner } = await start(t);
  const repository = chartRepository({ web: ['1.0.0'] }, { authorization: `Basic ${Buffer.from('me:hunter2').toString('base64')}` });
  const { url } = await startSource(t, hub, repository.answer, { username: 'me', password: 'hunter3' });
  await add('web', { repository: url.replace('://', '://me:hunter4@'), name: 'web', secretName: 'source' });
  const failed = await failure('web', /does not accept the credentials \(401\)/);
  assert.match(
    findCondition(failed, 'Ready')!.message,
    /^Release "shop\/web" on cluster "east" cannot be had from its source: "https:\/\/localhost:/,
  );
  assert.deepEqual([findCondition(failed, 'Applied')?.reason, findCondition(failed, 'Stalled')?.status], ['SourceFailed', 'True']);
  assert.ok(failed.status?.nextTry !== undefined && (failed.status.failures ?? 0) > 0);

  await hub.patch(Secret, { namespace, name: 'source' }, { type: 'merge', body: { stringData: { password: 'hunter2' } } });
  await digestOfWork('web');
  const well = await eventually(
    () => get('web'),
    one => findCondition(one, 'Stalled') === undefined,
  );
  assert.equal(well.status?.nextTry, undefined);
  await pinner.idle();
  const events = (await hub.list(Event, { namespace })).items;
  assert.ok(events.some(event => event.reason === 'SourceFailed'));
  assert.doesNotMatch(JSON.stringify([failed.status, well.status, events]), /hunter/);
});

test('a Work whose Secret is missing says so and does not go round in circles', async t => {
  const { hub, add, failure, pinner } = await start(t);
  await add('web', { repository: 'https://charts.example.com', name: 'web', secretName: 'nobody' });
  const { status } = await failure('web', /there is no Secret "nobody" in namespace "c-m-ab12cd34"/);
  assert.ok((status?.failures ?? 0) >= 1);
  const { results } = pinner.stats;
  const before = results.requeued;
  await eventually(() => results.requeued > before, Boolean, { timeoutMs: 20_000 });
  assert.equal(results.failed, 0);
  assert.ok((await hub.get(Work, { namespace, name: 'web' }))!.status?.nextTry);
});

test('a chart of the store of the hub is there as soon as somebody pushes it', async t => {
  const { hub, add, failure, digestOfWork, signal } = await start(t);
  await add('web', { repository: 'hub', name: 'web', version: '^1' });
  await failure('web', /chart "web" not found in the store of the hub/);
  const chart = inspectChart(packedChart('web', '1.4.0'), 'here');
  await pushChart(hub, chart, { signal });
  assert.equal(await digestOfWork('web'), chart.digest);
  await add('other', { repository: 'hub', name: 'web', version: '2.x' });
  await failure('other', /version "2.x" of chart "web" not found in the store of the hub; it has 1.4.0/);
});

test('forbidden addresses are not asked for anybody', async t => {
  const { add, failure } = await start(t);
  await add('web', { repository: 'https://169.254.169.254/latest', name: 'web' });
  await failure('web', /refused to ask "https:\/\/169.254.169.254\/latest\/index.yaml": 169.254.169.254 is a link-local address/);
});

test('content that somebody chose is left alone', async t => {
  const { hub, add, get, pinner, signal } = await start(t);
  const chart = inspectChart(packedChart('web', '1.4.0'), 'here');
  await pushChart(hub, chart, { signal });
  await add('web', { repository: 'hub', name: 'web', content: chart.digest });
  await add('after', { repository: 'hub', name: 'web' });
  await eventually(
    () => get('after'),
    one => typeof wantedContent(one) === 'object',
  );
  await pinner.idle();
  assert.equal((await get('web')).metadata.annotations?.[workAnnotations.contentOf], undefined);
});
