import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { chartFiles, packedChart } from '../../test/helpers/chart-files.ts';
import { objectStore, type ObjectStoreOptions } from '../../test/helpers/object-store.ts';
import { startPlainServer, startSourceServer } from '../../test/helpers/source-server.ts';
import { readFolderArchive } from '../render/archive.ts';
import { errorText } from '../util/error-text.ts';
import { locateBucket, parseBucketAddress, printBucketAddress, type BucketAddress } from './bucket-address.ts';
import type { SourceCredentials } from './credentials.ts';
import { createEgress } from './egress.ts';
import { fetchChart } from './fetch-chart.ts';
import { fetchFolder } from './fetch-folder.ts';
import { readBucket } from './read-bucket.ts';
import { createSourceCaches } from './source-caches.ts';
import { SourceError } from './source-error.ts';

const reader = { username: 'AKIDREADER', password: 'secret/of+reader=' };
const keys = { [reader.username]: reader.password };
const plain: BucketAddress = {
  endpoint: 's3.example.com',
  bucket: 'files',
  isPlainHttp: false,
  provider: 'generic',
  region: '',
  prefix: '',
  ignore: '',
  timeoutMs: 60_000,
};

async function serve(t: TestContext, files: Record<string, string | Buffer>, options: ObjectStoreOptions = {}) {
  const store = objectStore('files', files, options);
  const server = await startSourceServer(t, store.answer);
  const caches = createSourceCaches();
  const context = (credentials: SourceCredentials = {}, signal = new AbortController().signal) => ({
    egress: createEgress({ allow: ['127.0.0.1/32'] }),
    caches,
    credentials: { tls: { ca: server.ca.certificate }, ...credentials },
    signal,
  });
  const address = (more: Partial<BucketAddress> = {}) => printBucketAddress({ ...plain, endpoint: `localhost:${server.port}`, ...more });
  const read = async (more: Partial<BucketAddress> = {}, credentials: SourceCredentials = {}) =>
    Object.fromEntries([...(await readBucket(address(more), context(credentials))).files].map(([key, data]) => [key, data.toString()]));
  return { ...store, ...server, context, address, read };
}

async function words(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => assert.fail('it should have been refused'),
    (error: unknown) => error,
  );
  assert.ok(error instanceof SourceError, String(error));
  const text = errorText(error);
  assert.ok(!text.includes(reader.password) && !text.includes(reader.username), text);
  return text;
}

test('a bucket is read over pages, signed, whatever its keys are', async t => {
  const odd = ["a b+c&d=e;'(x)!*.yaml", 'ä/€/𝒳.yaml', '%2e%2e/%41.yaml', 'a:b@c,$~-_.yaml', 'q?x#y.yaml', '<&>"\'.yaml', 'folder/..x/...'];
  const files = Object.fromEntries([...odd, 'x/1', 'x/2', 'x/3'].map((key, i) => [key, `data ${i}`]));
  const { read, requests } = await serve(t, { ...files, 'folder/': '' }, { keys, region: 'eu-1', pageSize: 3 });
  const found = await read({ region: 'eu-1' }, reader);
  assert.deepEqual(
    found,
    Object.fromEntries(
      Object.keys(files)
        .sort()
        .map(key => [key, files[key]]),
    ),
  );
  assert.deepEqual(Object.keys(found), Object.keys(files).sort());
  assert.equal(requests.filter(req => req.url!.includes('list-type=2')).length, 4);
});

test('nobody has to say who they are where everybody may read', async t => {
  const { read, requests } = await serve(t, { 'a.yaml': 'a' });
  assert.deepEqual(await read(), { 'a.yaml': 'a' });
  assert.ok(requests.every(req => req.headers.authorization === undefined));
});

test('only what the prefix and the rules leave is fetched', async t => {
  const files = { 'a/1.yaml': '1', 'a/2.md': '2', 'ab.yaml': '3', 'b/4.yaml': '4', '.sourceignore': '/ab.yaml\n' };
  const { read, requests } = await serve(t, files);
  assert.deepEqual(await read(), { 'a/1.yaml': '1', 'a/2.md': '2', 'b/4.yaml': '4' });
  assert.deepEqual(await read({ prefix: 'a' }), { 'a/1.yaml': '1', 'a/2.md': '2' });
  assert.deepEqual(await read({ prefix: 'a', ignore: '*.md\n!ab.yaml' }), { 'a/1.yaml': '1', 'ab.yaml': '3' });
  assert.equal(requests.filter(req => req.url === '/files/a/1.yaml').length, 1, 'what has not changed is not fetched again');
});

test('the same objects are the same folder, and other objects another', async t => {
  const { objects, context, address } = await serve(t, { 'b.yaml': 'b', 'a.yaml': 'a' });
  const first = await fetchFolder({ repository: address() }, context());
  assert.deepEqual([...readFolderArchive(first.bytes).keys()], ['a.yaml', 'b.yaml']);
  assert.equal((await fetchFolder({ repository: address() }, context())).digest, first.digest);
  objects.set('a.yaml', Buffer.from('c'));
  const second = await fetchFolder({ repository: address() }, context());
  assert.equal(readFolderArchive(second.bytes).get('a.yaml')?.toString(), 'c');
  objects.clear();
  assert.match(await words(fetchFolder({ repository: address() }, context())), /has nothing that is wanted$/);
});

test('a chart is a folder of a bucket, or packed in it', async t => {
  const folder = Object.fromEntries(Object.entries(chartFiles('web', '1.0.0')).map(([path, text]) => [`charts/web/${path}`, text]));
  const { context, address } = await serve(t, { ...folder, 'charts/web-2/x': '', 'charts/web-2.0.0.tgz': packedChart('web', '2.0.0') });
  const version = async (name: string, more: Partial<BucketAddress> = {}) =>
    (await fetchChart({ repository: address(more), name }, context())).version;
  assert.equal(await version('./charts/web/'), '1.0.0');
  assert.equal(await version('charts/web', { prefix: 'charts' }), '1.0.0');
  assert.equal(await version('charts/web-2.0.0.tgz'), '2.0.0');
  assert.match(await words(version('nothing')), /^there is no folder "nothing" in "https:\/\/localhost:\d+\/files"$/);
  assert.match(await words(version('../x')), /is no folder/);
  assert.match(await words(version('charts/web-2')), /is no chart/);
});

test('what a store refuses is said in our own words', async t => {
  const { read, port } = await serve(t, { 'a.yaml': 'a' }, { keys });
  const place = `"https://localhost:${port}/files"`;
  assert.equal(await words(read()), `${place}: access is denied (403)`);
  assert.equal(await words(read({}, { ...reader, password: 'x' })), `${place}: the secret key is not that of the access key (403)`);
  assert.equal(await words(read({}, { ...reader, username: 'AKIDOTHER' })), `${place}: the access key is not known there (403)`);
  assert.equal(await words(read({ region: 'eu-1' }, reader)), `${place}: the region of the bucket is another one (403)`);
  assert.equal(await words(read({}, { username: 'AKIDREADER' })), 'a bucket needs both an access key and a secret key');
  assert.match(await words(read({ bucket: 'other' }, reader)), /\/other": there is no such bucket \(404\)$/);
  assert.deepEqual(await read({}, reader), { 'a.yaml': 'a' });
});

for (const key of ['../a', 'a/../../b', '/a', 'a//b', './a', 'a\\..\\b', 'a\u0000b', '..'])
  test(`the key ${JSON.stringify(key)} is refused`, async t => {
    const { read, requests } = await serve(t, { 'a.yaml': 'a', [key]: 'x' });
    assert.match(await words(read()), /has an object whose key .* is no path$/);
    assert.ok(requests.every(req => req.url!.includes('list-type') || req.url!.endsWith('.sourceignore')));
  });

const listing = (inner: string) => `<ListBucketResult>${inner}</ListBucketResult>`;
const answering = (xml: string | (() => string), object = 'x') => ({
  instead: (req: { url?: string }, res: { writeHead(status: number): { end(text?: string): void } }) => {
    const isList = req.url!.includes('list-type');
    res.writeHead(req.url!.endsWith('.sourceignore') ? 404 : 200).end(isList ? (typeof xml === 'string' ? xml : xml()) : object);
    return true;
  },
});
const object = (key: string, size: number) => `<Contents><Key>${key}</Key><Size>${size}</Size></Contents>`;
let pages = 0;
for (const [what, options, said] of [
  ['lists more bytes than are allowed', answering(listing(object('a', 200_000_000))), /more than the 104857600 bytes/],
  ['sends more than it listed', answering(listing(object('a', 1)), 'x'.repeat(100_000)), /sends more than/],
  ['sends something else than it listed', answering(listing(object('a', 1)), 'xx'), /"a" of .* changed while it was read$/],
  ['lists an object twice', answering(listing(object('a', 1).repeat(2))), /names an object twice$/],
  [
    'gives the same page for ever',
    answering(listing(`${object('a', 1)}<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>`)),
    /does not come to an end$/,
  ],
  [
    'gives new pages for ever',
    answering(() =>
      listing(
        `${object(`k${pages}`, 1).repeat(1000)}<IsTruncated>true</IsTruncated><NextContinuationToken>${pages++}</NextContinuationToken>`,
      ),
    ),
    /has more than 100000 objects$/,
  ],
  ['answers with something else', answering('<html></html>'), /cannot be used: it is no list of objects$/],
  ['answers with endless text', answering('x'.repeat(9 * 1024 * 1024)), /sends more than/],
] as const)
  test(`a store that ${what}`, async t => {
    const { read } = await serve(t, {}, options as ObjectStoreOptions);
    assert.match(await words(read()), said);
  });

test('redirects get no signature, and go nowhere that is not allowed', async t => {
  const inner = await startPlainServer(t, (_, res) => res.end('secret'), '127.0.0.2');
  const other = await startSourceServer(t, (_, res) => res.writeHead(403).end());
  let location = `http://127.0.0.2:${inner.port}/`;
  const { read } = await serve(t, {}, { instead: (_, res) => (res.writeHead(307, { location }).end(), true) });
  assert.match(await words(read({}, reader)), /^refused to ask "http:\/\/127.0.0.2/);
  assert.equal(inner.requests.length, 0);
  location = `${other.url}/x`;
  assert.match(await words(read({}, reader)), /refuses access \(403\)$/);
  assert.equal(other.requests[0]?.headers.authorization, undefined);
});

test('reading ends when nobody wants it, or when it takes too long', async t => {
  const { context, address } = await serve(t, {}, { instead: () => true });
  const stop = new AbortController();
  const reading = readBucket(address(), context({}, stop.signal));
  stop.abort(new Error('enough'));
  await assert.rejects(reading, /^Error: enough$/);
  assert.match(await words(readBucket(address({ timeoutMs: 1000 }), context())), /could not be read within 1 s$/);
});

test('an address is what it was made of', () => {
  const host = fc.constantFrom('s3.example.com', 'localhost:9000', '10.0.0.1', '[::1]:9000');
  const some = fc.record({
    endpoint: host,
    bucket: fc.stringMatching(/^[a-z0-9][a-z0-9.-]{1,20}$/),
    isPlainHttp: fc.boolean(),
    provider: fc.constantFrom('generic' as const, 'aws' as const),
    region: fc.stringMatching(/^[a-z0-9-]{0,10}$/),
    prefix: fc.string({ unit: 'grapheme' }),
    ignore: fc.string({ unit: 'grapheme' }),
    timeoutMs: fc.integer({ min: 1000, max: 600_000 }),
  });
  fc.assert(fc.property(some, address => assert.deepEqual(parseBucketAddress(printBucketAddress(address)), { ...address })));
  for (const endpoint of ['https://x', 'me@x', 'x?y', 'x#y', '', 'a b', 'x:99999'])
    assert.throws(() => parseBucketAddress(printBucketAddress({ ...plain, endpoint })), SourceError, endpoint);
  for (const bucket of ['', '..', 'a/b', '-a', 'a?b', 'a b'])
    assert.throws(() => parseBucketAddress(printBucketAddress({ ...plain, bucket })), SourceError, bucket);
  assert.throws(() => parseBucketAddress('s3+https://x/files?provider=gcp'), /the provider "gcp" cannot be read here/);
});

test('Amazon has buckets in the name of the host, others in the path', () => {
  const at = (more: Partial<BucketAddress>) => Object.values(locateBucket({ ...plain, ...more }));
  assert.deepEqual(at({}), ['https://s3.example.com/files', 'us-east-1']);
  assert.deepEqual(at({ provider: 'aws', endpoint: 's3.amazonaws.com', region: 'eu-west-1' }), [
    'https://files.s3.eu-west-1.amazonaws.com',
    'eu-west-1',
  ]);
  assert.deepEqual(at({ provider: 'aws', endpoint: 's3.eu-west-1.amazonaws.com' }), [
    'https://files.s3.eu-west-1.amazonaws.com',
    'eu-west-1',
  ]);
  assert.deepEqual(at({ provider: 'aws', endpoint: 's3.amazonaws.com', bucket: 'a.b' }), [
    'https://s3.us-east-1.amazonaws.com/a.b',
    'us-east-1',
  ]);
  assert.deepEqual(at({ provider: 'aws', endpoint: '10.0.0.1:9000', isPlainHttp: true }), ['http://10.0.0.1:9000/files', 'us-east-1']);
});
