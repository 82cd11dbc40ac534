import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { packedChart } from '../../test/helpers/chart-files.ts';
import { ociRegistry, type OciRegistryOptions } from '../../test/helpers/oci-registry.ts';
import { startSourceServer } from '../../test/helpers/source-server.ts';
import { readFolderArchive } from '../render/archive.ts';
import { writeArchive } from '../render/write-archive.ts';
import { errorText } from '../util/error-text.ts';
import { parseChallenges } from './auth-challenge.ts';
import type { SourceCredentials } from './credentials.ts';
import { digestOf } from './digest.ts';
import { createEgress } from './egress.ts';
import { fetchChart } from './fetch-chart.ts';
import { fetchFolder } from './fetch-folder.ts';
import { parseOciReference } from './oci-reference.ts';
import { createSourceCaches } from './source-caches.ts';
import { SourceError } from './source-error.ts';

const egress = createEgress({ allow: ['127.0.0.1/32'] });
const password = 'hunter2';
const me = { username: 'me', password };

async function serve(t: TestContext, options: OciRegistryOptions = {}) {
  const registry = ociRegistry(options);
  const server = await startSourceServer(t, registry.answer);
  const context = (credentials: SourceCredentials = {}) => ({
    egress,
    caches: createSourceCaches(),
    credentials: { ...credentials, tls: { ca: server.ca.certificate } },
    signal: new AbortController().signal,
  });
  const repository = `oci://localhost:${server.port}/charts`;
  const get = (version?: string, credentials?: SourceCredentials, name = 'web') =>
    fetchChart({ repository, name, version }, context(credentials));
  return { ...registry, ...server, repository, context, get };
}

async function words(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => assert.fail('it should not have been found'),
    (error: unknown) => error,
  );
  assert.ok(error instanceof SourceError, String(error));
  return errorText(error);
}

test('a chart comes by tag, by digest, by range, or the newest', async t => {
  const { get, pushChart, repository, context } = await serve(t, { tagsPerPage: 2 });
  const digests = ['1.0.0', '1.1.0', '1.2.0-rc.1', '1.3.0+build.5', '0.1.0'].map(version =>
    pushChart('charts/web', version.replace('+', '_'), packedChart('web', version)),
  );
  pushChart('charts/web', 'latest', packedChart('web', '7.7.7'));
  assert.equal((await get('1.0.0')).version, '1.0.0');
  assert.equal((await get(digests[0])).version, '1.0.0');
  assert.equal((await get('1.3.0+build.5')).version, '1.3.0+build.5');
  assert.equal((await get('~1.1')).version, '1.1.0');
  assert.equal((await get('<1')).version, '0.1.0');
  assert.equal((await get()).version, '1.3.0+build.5');
  assert.equal((await get('latest')).version, '7.7.7');
  assert.equal((await fetchChart({ repository: `${repository}/web:1.0.0` }, context())).version, '1.0.0');
  assert.equal((await fetchChart({ repository: `${repository}/web@${digests[1]}` }, context())).version, '1.1.0');
});

test('what is not there is said', async t => {
  const { get, pushChart, repository } = await serve(t);
  pushChart('charts/web', '1.0.0', packedChart('web', '1.0.0'));
  assert.equal(await words(get('1.0.1')), `there is no "${repository}/web:1.0.1" (404)`);
  assert.equal(await words(get('>=2')), `version ">=2" not found in "${repository}/web"; it has 1.0.0`);
  assert.equal(await words(get(undefined, {}, 'wbe')), `there is no "${repository}/wbe" (404)`);
  assert.match(await words(get(`sha256:${'0'.repeat(64)}`)), /there is no .*@sha256:0000/);
  assert.match(await words(get('no tag at all')), /is no version, no range and no tag/);
});

for (const scheme of ['basic', 'bearer'] as const) {
  test(`a registry that wants ${scheme} credentials gets them, and nobody else sees them`, async t => {
    const { get, pushChart, repository } = await serve(t, { auth: { scheme, ...me } });
    pushChart('charts/web', '1.0.0', packedChart('web', '1.0.0'));
    assert.equal((await get('1.0.0', me)).version, '1.0.0');
    assert.equal((await get('1.x', me)).version, '1.0.0');
    for (const credentials of [{}, { ...me, password: 'hunter3' }]) {
      const said = await words(get('1.0.0', credentials));
      assert.match(said, /wants credentials \(401\)|does not accept the credentials \(401\)/);
      assert.doesNotMatch(said, /hunter|aHVudGVy|Basic/);
    }
    assert.match(repository, /^oci:/);
  });
}

test('tokens may come from elsewhere, and blobs too, which get no token', async t => {
  const places = { tokens: 0, blobs: 0 };
  const { get, pushChart, requests, answer, blobs } = await serve(t, {
    auth: { scheme: 'bearer', ...me },
    tokenRealm: () => `https://127.0.0.1:${places.tokens}/token`,
    blobsAt: digest => `https://127.0.0.1:${places.blobs}/${digest}`,
  });
  const tokenServer = await startSourceServer(t, answer);
  const blobServer = await startSourceServer(t, (req, res) => void res.end(blobs.get(req.url!.slice(1))));
  Object.assign(places, { tokens: tokenServer.port, blobs: blobServer.port });
  pushChart('charts/web', '1.0.0', packedChart('web', '1.0.0'));
  assert.equal((await get('1.0.0', me)).version, '1.0.0');
  assert.match(tokenServer.requests[0]?.headers.authorization ?? '', /^Basic /);
  assert.ok(
    requests.every(req => !req.headers.authorization?.startsWith('Basic')),
    'the password goes to who gives tokens',
  );
  assert.equal(blobServer.requests[0]?.headers.authorization, undefined);
});

test('a registry that sends for tokens to forbidden or unsafe places is not obeyed', async t => {
  for (const realm of ['https://169.254.169.254/token', 'http://localhost/token', 'file:///etc/passwd', 'nonsense']) {
    const { get, pushChart } = await serve(t, { auth: { scheme: 'bearer', ...me }, tokenRealm: () => realm });
    pushChart('charts/web', '1.0.0', packedChart('web', '1.0.0'));
    assert.match(await words(get('1.0.0', me)), /refused to ask|none can be asked for safely/);
  }
});

test('bytes that are not those of their digest are refused', async t => {
  const { get, pushChart, blobs, manifests } = await serve(t);
  const chart = packedChart('web', '1.0.0');
  const digest = pushChart('charts/web', '1.0.0', chart);
  const other = Buffer.from(chart);
  other[other.length - 1]! ^= 1;
  blobs.set(digestOf(chart), other);
  assert.match(await words(get('1.0.0')), /has another digest than its manifest says/);
  blobs.set(digestOf(chart), Buffer.concat([chart, chart]));
  assert.match(await words(get('1.0.0')), /sends more than/);
  manifests.set(`charts/web@${digest}`, { type: 'x', bytes: Buffer.from('{"layers":[]}') });
  assert.match(await words(get(digest)), /has another digest/);
});

test('what holds no chart is said to hold none', async t => {
  const { get, pushChart, putManifest } = await serve(t);
  pushChart('charts/web', 'image', Buffer.from('x'), 'application/vnd.oci.image.layer.v1.tar+gzip');
  assert.match(await words(get('image')), /holds something else: application\/vnd.oci.image.layer.v1.tar\+gzip/);
  putManifest('charts/web', ['empty'], {});
  assert.match(await words(get('empty')), /holds something else: nothing/);
  putManifest('charts/web', ['evil'], {
    layers: [{ mediaType: 'application/tar+gzip', digest: '../../x', size: 1 }],
    manifests: [{ mediaType: 'x', digest: '../x', size: 1 }],
  });
  assert.match(await words(get('evil')), /holds something else/);
});

test('a chart is found in an index', async t => {
  const { get, pushChart, putManifest } = await serve(t);
  const digest = pushChart('charts/web', 'x', packedChart('web', '1.0.0'));
  putManifest('charts/web', ['1.0.0'], { manifests: [{ mediaType: 'application/vnd.oci.image.manifest.v1+json', digest, size: 10 }] });
  assert.equal((await get('1.0.0')).version, '1.0.0');
});

test('a folder comes from a registry, in one form whoever packed it', async t => {
  const { pushChart, repository, context } = await serve(t);
  const [a, b] = [
    { name: 'a.yaml', data: Buffer.from('a') },
    { name: 'base/b.yaml', data: Buffer.from('b') },
  ];
  pushChart('charts/app', 'v1', writeArchive([a, b]), 'application/vnd.cncf.flux.content.v1.tar+gzip');
  pushChart('charts/app', 'v2', writeArchive([b, { ...a, name: './a.yaml' }]), 'application/vnd.oci.image.layer.v1.tar+gzip');
  const get = (version: string) => fetchFolder({ repository: `${repository}/app`, version }, context());
  const [first, second] = [await get('v1'), await get('v2')];
  assert.equal(first.digest, second.digest);
  assert.deepEqual([...readFolderArchive(first.bytes).keys()], ['a.yaml', 'base/b.yaml']);
  pushChart(
    'charts/app',
    'evil',
    writeArchive([{ name: '../x', data: Buffer.from('x') }]),
    'application/vnd.cncf.flux.content.v1.tar+gzip',
  );
  assert.match(await words(get('evil')), /cannot be used: folder contains the path "..\/x", which leads out of it/);
});

test('a tag that looks like a range is that tag, a range is the newest tag, and a layer may be chosen', async t => {
  const { pushChart, repository, context } = await serve(t);
  const type = 'application/vnd.example.files';
  for (const tag of ['1.2', '1.2.0', 'v1.9.0'])
    pushChart(
      'charts/app',
      tag,
      writeArchive([
        { name: 'tag', data: Buffer.from(tag) },
        { name: 'x.md', data: Buffer.from('x') },
      ]),
      type,
    );
  const get = async (tag: string, version?: string) =>
    readFolderArchive(
      (await fetchFolder({ repository: `${repository}/app${tag}`, version, layerType: type, ignore: '*.md' }, context())).bytes,
    );
  assert.equal((await get(':1.2')).get('tag')?.toString(), '1.2');
  assert.equal((await get('', 'semver:1.x')).get('tag')?.toString(), 'v1.9.0');
  assert.deepEqual([...(await get(':1.2')).keys()], ['tag']);
  assert.match(
    await words(fetchFolder({ repository: `${repository}/app:1.2` }, context())),
    /holds something else: application\/vnd.example.files/,
  );
});

test('addresses of registries are read', () => {
  const { registry, repository, tag } = parseOciReference('oci://docker.io/library/web:1.0', undefined);
  assert.deepEqual([registry, repository, tag], ['https://registry-1.docker.io', 'library/web', '1.0']);
  assert.equal(parseOciReference('oci://2130706433/web').registry, 'https://127.0.0.1');
  assert.equal(parseOciReference('oci://[::1]:5000/a', 'b').repository, 'a/b');
  for (const wrong of [
    'oci://',
    'oci://host',
    'oci://host/',
    'oci://host/UPPER',
    'oci://host/a//b',
    'oci://host/../a',
    'oci://ho st/a',
    'oci://host/a?b',
    'oci://host/a:b:c',
    'oci://host/a@md5:x',
    'https://host/a',
  ])
    assert.throws(() => parseOciReference(wrong), /is no address of the form oci/, wrong);
  assert.throws(() => parseOciReference('oci://host/a', '../b'), /is no address/);
});

test('challenges are read', () => {
  const [basic, bearer] = parseChallenges(
    'Basic realm="x", Bearer realm="https://a/t?x=\\"1\\"",service=a,scope="repository:a/b:pull,push"',
  );
  assert.equal(basic?.scheme, 'basic');
  assert.deepEqual(bearer && [...bearer.parameters], [
    ['realm', 'https://a/t?x="1"'],
    ['service', 'a'],
    ['scope', 'repository:a/b:pull,push'],
  ]);
  fc.assert(fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[A-Za-z]+ [a-z="\\, ]*$/)), text => void parseChallenges(text)));
});
