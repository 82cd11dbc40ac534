import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import { test, type TestContext } from 'node:test';
import { TestCa } from '../../../test/helpers/certificates.ts';
import type { KubeObject } from '../../api/object.ts';
import { httpsPools } from '../aggregation/https-pools.ts';
import { versionConverter, type ConvertVersion } from './convert-versions.ts';
import type { CrdSpec } from './crd-object.ts';

interface Review {
  request: { uid: string; desiredAPIVersion: string; objects: KubeObject[] };
}

type Reply = (review: Review) => object;

/** A converter whose webhook answers as told. */
async function converter(t: TestContext, reply: Reply): Promise<ConvertVersion> {
  const ca = await TestCa.create('conversion');
  const pair = await ca.issue('webhook', { dnsNames: ['localhost'], ips: ['127.0.0.1'] });
  const server = createServer({ cert: pair.certificate, key: pair.key }, (req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const review = JSON.parse(Buffer.concat(chunks).toString()) as Review;
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(
        JSON.stringify({
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'ConversionReview',
          response: { uid: review.request.uid, ...reply(review) },
        }),
      );
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const pools = httpsPools();
  t.after(async () => {
    await pools[Symbol.asyncDispose]();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  const clientConfig = { url: `https://127.0.0.1:${port}/convert`, caBundle: Buffer.from(ca.certificate).toString('base64') };
  const spec = { conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } } } as unknown as CrdSpec;
  const resolveService = () => assert.fail('no service is referred to');
  return versionConverter(spec, { pools, resolveService });
}

const widget: KubeObject = {
  apiVersion: 'ex.io/v1',
  kind: 'Widget',
  metadata: { name: 'w', uid: 'u', labels: { a: 'b' }, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { size: 1 },
};
const success = { result: { status: 'Success' } };
const converted = ({ request }: Review, change: object): object => ({
  ...request.objects[0],
  apiVersion: request.desiredAPIVersion,
  ...change,
});

test('a webhook converts the object and may change its labels, not the rest of its metadata', async t => {
  const convert = await converter(t, review => ({
    ...success,
    convertedObjects: [converted(review, { spec: { width: 1 }, metadata: { name: 'w', uid: 'u', labels: { c: 'd' } } })],
  }));
  assert.deepEqual(await convert(widget, 'ex.io/v2'), {
    apiVersion: 'ex.io/v2',
    kind: 'Widget',
    metadata: { name: 'w', uid: 'u', labels: { c: 'd' }, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { width: 1 },
  });
});

const failures: [name: string, reply: Reply, message: RegExp][] = [
  [
    'a refusal',
    () => ({ result: { status: 'Failure', message: 'no way' } }),
    /conversion webhook for ex\.io\/v1, Kind=Widget failed: no way$/,
  ],
  ['another id', () => ({ ...success, uid: 'x' }), /failed: expected response\.uid="[0-9a-f-]+", got "x"$/],
  ['no objects', () => ({ ...success, convertedObjects: [] }), /returned 0 objects, expected 1$/],
  [
    'the wrong version',
    review => ({ ...success, convertedObjects: [converted(review, { apiVersion: 'ex.io/v3' })] }),
    /returned invalid object at index 0: invalid groupVersion \(expected ex\.io\/v2, received ex\.io\/v3\)$/,
  ],
  [
    'another name',
    review => ({ ...success, convertedObjects: [converted(review, { metadata: { name: 'x', uid: 'u' } })] }),
    /returned invalid object: must have the same name: w != x/,
  ],
];

for (const [name, reply, message] of failures) {
  test(`a webhook that answers with ${name} fails the request`, async t => {
    const convert = await converter(t, reply);
    await assert.rejects(async () => convert(widget, 'ex.io/v2'), message);
  });
}

test('without a webhook only the version changes', () => {
  const convert = versionConverter({ conversion: { strategy: 'None' } } as CrdSpec, undefined);
  assert.deepEqual(convert(widget, 'ex.io/v2'), { ...widget, apiVersion: 'ex.io/v2' });
});
