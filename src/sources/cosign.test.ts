import assert from 'node:assert/strict';
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { packedChart } from '../../test/helpers/chart-files.ts';
import { ociRegistry } from '../../test/helpers/oci-registry.ts';
import { startSourceServer } from '../../test/helpers/source-server.ts';
import { errorText } from '../util/error-text.ts';
import { SignatureError } from './cosign.ts';
import { digestOf } from './digest.ts';
import { createEgress } from './egress.ts';
import { fetchChart } from './fetch-chart.ts';
import { fetchFolder } from './fetch-folder.ts';
import { createSourceCaches } from './source-caches.ts';

const payloadType = 'application/vnd.dev.cosign.simplesigning.v1+json';
const chart = packedChart('web', '1.0.0');
const pemOf = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();
const ec = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const statementOf = (digest: string, type = 'cosign container image signature') =>
  Buffer.from(
    JSON.stringify({
      critical: { identity: { 'docker-reference': '' }, image: { 'docker-manifest-digest': digest }, type },
      optional: null,
    }),
  );

async function serve(t: TestContext) {
  const registry = ociRegistry();
  const server = await startSourceServer(t, registry.answer);
  const context = {
    egress: createEgress({ allow: ['127.0.0.1/32'] }),
    caches: createSourceCaches(),
    credentials: { tls: { ca: server.ca.certificate } },
    signal: new AbortController().signal,
  };
  const repository = `oci://localhost:${server.port}/charts`;
  return {
    registry,
    digest: registry.pushChart('charts/web', '1.0.0', chart),
    get: (signers?: string[], version = '1.0.0') => fetchChart({ repository, name: 'web', version, signers }, context),
    folder: (signers: string[]) =>
      fetchFolder({ repository: `${repository}/web`, version: '1.0.0', signers, layerType: registryLayer }, context),
    /** As `cosign sign --key` does it. */
    attach(digest: string, signed: readonly { statement: Buffer; signature: Buffer }[], mediaType = payloadType) {
      const layers = signed.map(({ statement, signature }) => {
        registry.blobs.set(digestOf(statement), statement);
        const annotations = { 'dev.cosignproject.cosign/signature': signature.toString('base64') };
        return { mediaType, digest: digestOf(statement), size: statement.length, annotations };
      });
      registry.putManifest('charts/web', [`${digest.replace(':', '-')}.sig`], { schemaVersion: 2, layers });
    },
  };
}
const registryLayer = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';

async function refusal(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => assert.fail('it should have been refused'),
    (error: unknown) => error,
  );
  assert.ok(error instanceof SignatureError, String(error));
  return errorText(error);
}

test('a chart that a trusted key has signed is taken, whatever the key is made of', async t => {
  const { get, folder, attach, digest } = await serve(t);
  const keys = [
    { ...ec(), hash: 'sha256' },
    { ...generateKeyPairSync('rsa', { modulusLength: 2048 }), hash: 'sha256' },
    { ...generateKeyPairSync('ed25519'), hash: null },
  ];
  const statement = statementOf(digest);
  for (const { publicKey, privateKey, hash } of keys) {
    attach(digest, [{ statement, signature: sign(hash, statement, privateKey) }]);
    assert.equal((await get([pemOf(ec().publicKey), pemOf(publicKey)])).version, '1.0.0', String(publicKey.asymmetricKeyType));
    assert.ok((await folder([pemOf(publicKey)])).bytes.length > 0);
  }
});

test('one of many signatures is enough', async t => {
  const { get, attach, digest } = await serve(t);
  const [theirs, ours] = [ec(), ec()];
  const statement = statementOf(digest);
  attach(
    digest,
    [theirs, ours].map(({ privateKey }) => ({ statement, signature: sign('sha256', statement, privateKey) })),
  );
  assert.equal((await get([pemOf(ours.publicKey)])).version, '1.0.0');
});

test('a chart without a signature is not taken, and one for which none is asked is', async t => {
  const { get, digest } = await serve(t);
  const said = await refusal(get([pemOf(ec().publicKey)]));
  assert.match(
    said,
    new RegExp(`charts/web:1.0.0" is not signed: there are no signatures of cosign at the tag "${digest.replace(':', '-')}.sig"`),
  );
  assert.equal((await get()).version, '1.0.0');
});

test('who asks at the same time without keys does not lend the answer to who asks with them', async t => {
  const { get } = await serve(t);
  const [free, bound] = await Promise.allSettled([get(), get([pemOf(ec().publicKey)])]);
  assert.deepEqual([free.status, bound.status], ['fulfilled', 'rejected']);
});

test('signatures of others, of other things and of other bytes do not count', async t => {
  const { get, attach, digest, registry } = await serve(t);
  const { publicKey, privateKey } = ec();
  const signed = (statement: Buffer, key = privateKey) => ({ statement, signature: sign('sha256', statement, key) });
  const other = registry.pushChart('charts/web', '2.0.0', packedChart('web', '2.0.0'));
  const cases = {
    'another key': signed(statementOf(digest), ec().privateKey),
    'another chart': signed(statementOf(other)),
    'another type': signed(statementOf(digest, 'something else')),
    'no statement': signed(Buffer.from('nonsense')),
    'no signature': { statement: statementOf(digest), signature: Buffer.alloc(0) },
    'a changed statement': { statement: statementOf(digest), signature: sign('sha256', statementOf(other), privateKey) },
  };
  for (const [what, one] of Object.entries(cases)) {
    attach(digest, [one]);
    assert.match(await refusal(get([pemOf(publicKey)])), /is not signed by any of the keys that are trusted$/, what);
  }
  attach(digest, [signed(statementOf(digest))], 'application/json');
  assert.match(await refusal(get([pemOf(publicKey)])), /is not signed by any/);
  attach(digest, [signed(statementOf(digest))]);
  assert.match(await refusal(get([])), /is not signed by any/);
  assert.match(await refusal(get(['no key'])), /is no public key in PEM/);
  assert.equal((await get([pemOf(publicKey)])).version, '1.0.0');
  assert.match(await refusal(get([pemOf(publicKey)], '2.0.0')), /web:2.0.0" is not signed/);
});

test('a statement whose bytes were changed in the registry is refused', async t => {
  const { get, attach, digest, registry } = await serve(t);
  const { publicKey, privateKey } = ec();
  const statement = statementOf(digest);
  attach(digest, [{ statement, signature: sign('sha256', statement, privateKey) }]);
  registry.blobs.set(digestOf(statement), Buffer.from(statement.toString().replace('null', '1111')));
  await assert.rejects(get([pemOf(publicKey)]), /has another digest/);
});

test('signatures are asked for only where they can be', async () => {
  const context = {} as never;
  await assert.rejects(async () => fetchFolder({ repository: 'git+https://x/y', signers: [] }, context), /in registries only/);
});
