import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { createKey } from '../pki/certificate-authority.ts';
import { bitString, explicit, implicit, octetString, oid, sequence, set, tags, utf8String, writeDer } from '../pki/der.ts';
import { printPem } from '../pki/pem.ts';
import { requestedKey } from './agent-certificate.ts';

const id = 'c-m-ab12cd34';
const key = createKey();
const otherKey = createKey();
const weakKey = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey;

const publicBytes = new Map([key, weakKey].map(one => [one, createPublicKey(one).export({ type: 'spki', format: 'der' })]));

interface Request {
  /** Object identifier and value of each attribute of the subject, one list for each part of the name. */
  subject: (readonly [string, string])[][];
  extensions: Buffer[];
  key: KeyObject;
  signer: KeyObject;
}

const allowed: Request = {
  subject: [[['2.5.4.10', 'system:drover:agents']], [['2.5.4.3', `system:drover:agent:${id}`]]],
  extensions: [],
  key,
  signer: key,
};

function write({ subject, extensions, key, signer }: Request): string {
  const name = sequence(...subject.map(part => set(...part.map(([type, value]) => sequence(oid(type), utf8String(value))))));
  const requested = sequence(oid('1.2.840.113549.1.9.14'), set(sequence(...extensions)));
  const info = sequence(
    writeDer(tags.integer, Buffer.from([0])),
    name,
    publicBytes.get(key)!,
    extensions.length === 0 ? explicit(0) : explicit(0, requested),
  );
  const signature = sign('sha256', info, signer);
  return printPem('CERTIFICATE REQUEST', sequence(info, sequence(oid('1.2.840.10045.4.3.2')), bitString(signature)));
}

const asks = (request: Request, mayBeEmpty = false) => requestedKey(write(request), id, { mayBeEmpty });

test('the one request that is allowed is granted its key', () => {
  assert.ok(asks(allowed).equals(createPublicKey(key)));
  assert.ok(asks({ ...allowed, subject: [allowed.subject.flat()] }).equals(createPublicKey(key)), 'both attributes in one part');
  assert.ok(asks({ ...allowed, subject: [] }, true).equals(createPublicKey(key)), 'no subject, the first time');
});

test('of ten thousand requests that differ from it, none is granted', { timeout: 120_000 }, () => {
  const organization = fc.constantFrom(
    'system:drover:agents',
    'system:masters',
    'system:nodes',
    'System:drover:agents',
    'system:drover:agents ',
    '',
  );
  const commonName = fc.constantFrom(
    `system:drover:agent:${id}`,
    'system:drover:agent:c-m-zzzzzzzz',
    'system:drover:agent:',
    `system:drover:agent:${id}\u0000`,
    ` system:drover:agent:${id}`,
    'system:kube-controller-manager',
    'kubernetes-admin',
    '',
  );
  const attribute: fc.Arbitrary<readonly [string, string]> = fc.oneof(
    organization.map(value => ['2.5.4.10', value] as const),
    commonName.map(value => ['2.5.4.3', value] as const),
    fc.constantFrom(['2.5.4.11', 'unit'] as const, ['1.3.6.1.4.1.57683.2', 'uid'] as const),
  );
  const extension = fc.constantFrom(
    sequence(oid('2.5.29.17'), octetString(sequence(implicit(2, Buffer.from('hub.example.com'))))),
    sequence(oid('2.5.29.19'), octetString(sequence(writeDer(tags.boolean, Buffer.from([0xff]))))),
    sequence(oid('2.5.29.37'), octetString(sequence(oid('1.3.6.1.5.5.7.3.1')))),
  );
  const request: fc.Arbitrary<Request> = fc.record({
    subject: fc.oneof(fc.constant(allowed.subject), fc.array(fc.array(attribute, { minLength: 1, maxLength: 3 }), { maxLength: 3 })),
    extensions: fc.oneof(fc.constant<Buffer[]>([]), fc.array(extension, { maxLength: 2 })),
    key: fc.constantFrom(key, key, key, weakKey),
    signer: fc.constantFrom(key, key, key, otherKey),
  });
  const sorted = (subject: Request['subject']) =>
    subject
      .flat()
      .map(one => one.join('='))
      .sort()
      .join();
  const isAllowed = (one: Request) =>
    one.key === key && one.signer === key && one.extensions.length === 0 && sorted(one.subject) === sorted(allowed.subject);
  fc.assert(
    fc.property(request, one => {
      fc.pre(!isAllowed(one));
      assert.throws(() => asks(one), { code: 400 });
    }),
    { numRuns: 10_000 },
  );
});

test('bytes that are no request are refused', () => {
  const good = Buffer.from(write(allowed).replace(/-----.*-----|\n/g, ''), 'base64');
  fc.assert(
    fc.property(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const bytes = Buffer.from(good);
      bytes[at]! ^= flip;
      let granted: KeyObject | undefined;
      try {
        granted = requestedKey(printPem('CERTIFICATE REQUEST', bytes), id, { mayBeEmpty: false });
      } catch (error) {
        assert.equal((error as { code?: number }).code, 400, String(error));
      }
      assert.equal(granted, undefined);
    }),
    { numRuns: 2000 },
  );
});
