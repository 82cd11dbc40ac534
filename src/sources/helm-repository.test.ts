import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { packedChart } from '../../test/helpers/chart-files.ts';
import { chartRepository } from '../../test/helpers/chart-repository.ts';
import { startSourceServer } from '../../test/helpers/source-server.ts';
import { errorText } from '../util/error-text.ts';
import { chooseVersion, versionsInWords } from './choose-version.ts';
import type { SourceCredentials } from './credentials.ts';
import { createEgress } from './egress.ts';
import { fetchChart } from './fetch-chart.ts';
import { createSourceCaches } from './source-caches.ts';
import { SourceError } from './source-error.ts';

const egress = createEgress({ allow: ['127.0.0.1/32'] });

async function serve(t: TestContext, ...args: Parameters<typeof chartRepository>) {
  const repository = chartRepository(...args);
  const server = await startSourceServer(t, repository.answer);
  const caches = createSourceCaches();
  const context = (credentials: SourceCredentials = {}) => ({
    egress,
    caches,
    credentials: { ...credentials, tls: { ca: server.ca.certificate, ...credentials.tls } },
    signal: new AbortController().signal,
  });
  const paths = () => server.requests.map(req => req.url);
  return { ...repository, ...server, context, paths };
}

async function words(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => assert.fail('it should not have been found'),
    (error: unknown) => error,
  );
  assert.ok(error instanceof SourceError, String(error));
  return errorText(error);
}

test('a chart comes from its repository, by version, by range, or the newest', async t => {
  const { url, context, files } = await serve(t, { web: ['1.0.0', '1.2.0', '2.0.0-rc.1', '1.10.0', '0.9.0'] });
  const version = async (version?: string) => (await fetchChart({ repository: url, name: 'web', version }, context())).version;
  assert.equal(await version(), '1.10.0');
  assert.equal(await version('1.2.0'), '1.2.0');
  assert.equal(await version('~1.2'), '1.2.0');
  assert.equal(await version('<1'), '0.9.0');
  assert.equal(await version('2.0.0-rc.1'), '2.0.0-rc.1');
  assert.equal(await version('>=1.0.0-0'), '2.0.0-rc.1');
  const chart = await fetchChart({ repository: `${url}/`, name: 'web', version: '1.0.0' }, context());
  assert.ok(chart.bytes.equals(files.get('/web-1.0.0.tgz')!));
  assert.deepEqual([chart.name, chart.appVersion, chart.description], ['web', '1.0.0', 'The chart web']);
});

test('what is not there is said, with what there is', async t => {
  const { url, context } = await serve(t, { web: ['1.0.0', '1.1.0', '1.2.0', '1.3.0'], 'pre-only': ['1.0.0-rc.1'] });
  const ask = (name: string, version?: string) => words(fetchChart({ repository: `${url}?token=hunter2`, name, version }, context()));
  assert.equal(await ask('wbe'), `chart "wbe" not found: the repository "${url}/" has no chart of this name`.replace('/"', '"'));
  assert.equal(
    await ask('web', '9.x'),
    `version "9.x" of chart "web" not found in the repository "${url}"; it has 1.3.0, 1.2.0, 1.1.0 and 1 more`,
  );
  assert.match(await ask('web', 'a b'), /^version "a b" of chart "web" is no version and no range: improper constraint/);
  assert.match(await ask('pre-only'), /that is no pre-release not found .* it has 1.0.0-rc.1$/);
});

test('a repository that is none, or wants credentials, says so', async t => {
  const { url, context } = await serve(t, { web: ['1.0.0'] }, { authorization: `Basic ${Buffer.from('me:hunter2').toString('base64')}` });
  const ask = (repository: string, credentials: SourceCredentials) => fetchChart({ repository, name: 'web' }, context(credentials));
  assert.equal(await words(ask(url, {})), `"${url}/index.yaml" wants credentials (401)`);
  assert.equal(await words(ask(url, { username: 'me', password: 'hunter3' })), `"${url}/index.yaml" does not accept the credentials (401)`);
  assert.equal((await ask(url, { username: 'me', password: 'hunter2' })).version, '1.0.0');
  assert.equal((await ask(url.replace('://', '://me:hunter2@'), {})).version, '1.0.0');
  assert.equal(await words(ask(`${url.replace('://', '://me:hunter2@')}/nowhere`, {})), `there is no "${url}/nowhere/index.yaml" (404)`);
});

test('one fetch serves all who ask at once, and an index is asked for anew only when it has changed', async t => {
  const { url, context, paths, files } = await serve(t, { web: ['1.0.0'] });
  const ask = (version: string) => fetchChart({ repository: url, name: 'web', version }, context());
  const all = await Promise.all(Array.from({ length: 20 }, () => ask('1.x')));
  assert.equal(new Set(all.map(chart => chart.digest)).size, 1);
  assert.deepEqual(paths(), ['/index.yaml', '/web-1.0.0.tgz']);

  // A version that appears is found though the index is kept.
  const next = chartRepository({ web: ['1.0.0', '1.1.0'] });
  for (const [path, file] of next.files) files.set(path, file);
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 5_000 });
  assert.equal((await ask('1.1.x')).version, '1.1.0');
});

test('who may not see a repository does not see it in what is kept', async t => {
  const { url, context } = await serve(t, { web: ['1.0.0'] }, { authorization: `Basic ${Buffer.from('me:hunter2').toString('base64')}` });
  await fetchChart({ repository: url, name: 'web' }, context({ username: 'me', password: 'hunter2' }));
  assert.match(await words(fetchChart({ repository: url, name: 'web' }, context())), /wants credentials/);
});

test('credentials do not follow a chart to another host', async t => {
  const other = await startSourceServer(t, chartRepository({ web: ['1.0.0'] }).answer);
  const { url, context } = await serve(t, { web: ['1.0.0'] }, { prefix: `https://127.0.0.1:${other.port}/` });
  await fetchChart({ repository: url, name: 'web' }, context({ username: 'me', password: 'hunter2' }));
  assert.deepEqual(
    other.requests.map(req => req.headers.authorization),
    [undefined],
  );
});

test('the query of a repository goes with its files', async t => {
  const { url, context, paths } = await serve(t, { web: ['1.0.0'] });
  await fetchChart({ repository: `${url}/?sig=abc`, name: 'web' }, context());
  assert.deepEqual(paths(), ['/index.yaml?sig=abc', '/web-1.0.0.tgz?sig=abc']);
});

test('bytes that are not those of the index are refused', async t => {
  const { url, context, files } = await serve(t, { web: ['1.0.0'] });
  files.set('/web-1.0.0.tgz', packedChart('web', '1.0.0', { 'more.txt': 'x' }));
  assert.match(
    await words(fetchChart({ repository: url, name: 'web' }, context())),
    /is not what the index says of version 1.0.0: its digest differs/,
  );
});

test('an archive comes from its address', async t => {
  const { url, context, files } = await serve(t, { web: ['1.0.0'] });
  assert.equal((await fetchChart({ repository: `${url}/web-1.0.0.tgz` }, context())).name, 'web');
  files.set('/x.tgz', Buffer.from('<html>'));
  assert.match(
    await words(fetchChart({ repository: `${url}/x.tgz?sig=hunter2` }, context())),
    /x.tgz" holds is no chart: file does not appear to be a gzipped archive$/,
  );
});

for (const repository of ['ftp://x/y', 'file:///etc', '/etc', 'stable', '', 'ext::sh -c id', 'javascript:1']) {
  test(`${JSON.stringify(repository)} is no source`, async t => {
    const { context } = await serve(t, {});
    await assert.rejects(async () => fetchChart({ repository, name: 'web' }, context()), /is no source|is no address/);
  });
}

test('versions are chosen as Helm chooses', () => {
  assert.equal(chooseVersion(['1.0.0', 'nonsense', 'v1.1'], undefined), 'v1.1');
  assert.equal(chooseVersion(['1.0.0+a', '1.0.0+b'], '1.0.0+b'), '1.0.0+b');
  assert.equal(chooseVersion([], undefined), undefined);
  assert.throws(() => chooseVersion(['1.0.0'], 'no range at all'));
  assert.equal(versionsInWords([]), 'it has none');
});
