import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeS3, signS3 } from './s3-signature.ts';

// The examples that Amazon publishes in "Authenticating Requests (AWS Signature Version 4)".
const key = { id: 'AKIAIOSFODNN7EXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
const at = new Date('2013-05-24T00:00:00Z');
const examples = {
  'an object': {
    path: '/test.txt',
    headers: { range: 'bytes=0-9' },
    signed: 'host;range;x-amz-content-sha256;x-amz-date',
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  'a list': {
    path: '/?prefix=J&max-keys=2',
    headers: {},
    signed: 'host;x-amz-content-sha256;x-amz-date',
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
  'a query without a value': {
    path: '/?lifecycle',
    headers: {},
    signed: 'host;x-amz-content-sha256;x-amz-date',
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
};

for (const [what, { path, headers, signed, signature }] of Object.entries(examples))
  test(`the published signature of ${what}`, () => {
    const url = new URL(`https://examplebucket.s3.amazonaws.com${path}`);
    const { authorization, headers: sent } = signS3({ method: 'GET', url, region: 'us-east-1', headers }, key, at);
    const credential = 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request';
    assert.equal(authorization, `AWS4-HMAC-SHA256 Credential=${credential},SignedHeaders=${signed},Signature=${signature}`);
    assert.equal(sent['x-amz-date'], '20130524T000000Z');
    assert.ok(!JSON.stringify([authorization, sent]).includes(key.secret));
  });

test('what is signed is what is sent: an address does not change what was encoded', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', minLength: 1 }), { minLength: 1, maxLength: 4 }), parts => {
      const kept = parts.filter(part => part !== '.' && part !== '..');
      const path = `/bucket/${kept.map(encodeS3).join('/')}`;
      const url = new URL(`https://s3.example.com${path}?prefix=${encodeS3(parts.join('/'))}`);
      assert.equal(url.pathname, path);
      assert.match(url.search, /^\?prefix=[A-Za-z0-9._~%-]+$/);
      assert.equal(decodeURIComponent(url.pathname), `/bucket/${kept.join('/').toWellFormed()}`);
    }),
  );
});
