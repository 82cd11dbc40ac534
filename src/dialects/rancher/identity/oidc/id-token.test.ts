import assert from 'node:assert/strict';
import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { jwkOf, signJwt, tokenKey } from '../../../../auth/jwt.ts';
import { verifyIdToken, type ExpectedIdToken } from './id-token.ts';
import { parseJwks } from './jwks.ts';

const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const own = pair();
const stranger = pair();
const keys = parseJwks({ keys: [jwkOf(tokenKey(own))] });
const nowMs = Date.UTC(2026, 0, 1);
const now = nowMs / 1000;
const good = { iss: 'https://id.example.com', aud: 'hub', sub: 'jane', nonce: 'n', iat: now, exp: now + 300 };
const expected: ExpectedIdToken = { issuer: good.iss, clientId: 'hub', nonce: 'n', nowMs };
const signed = (claims: object, key: KeyObject = own) => signJwt(key, tokenKey(key), claims);
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

test('what the provider says to us about somebody is believed', () => {
  assert.equal(verifyIdToken(signed(good), keys, expected).sub, 'jane');
  assert.equal(verifyIdToken(signed({ ...good, aud: ['hub', 'other'], azp: 'hub' }), keys, expected).sub, 'jane');
});

test('whatever is wrong with a token is enough to refuse it', async t => {
  const table: [string, object, RegExp][] = [
    ['issuer', { iss: 'https://id.example.com/' }, /another issuer/],
    ['audience', { aud: 'other' }, /somebody else/],
    ['audience that looks like ours', { aud: 'hub2' }, /somebody else/],
    ['two audiences and nobody named', { aud: ['hub', 'other'] }, /given to somebody else/],
    ['given to another', { azp: 'other' }, /given to somebody else/],
    ['expired', { exp: now - 61 }, /expired/],
    ['no end', { exp: undefined }, /expired/],
    ['end that is text', { exp: String(now + 300) }, /expired/],
    ['made later', { iat: now + 61 }, /future/],
    ['not yet', { nbf: now + 61 }, /not hold yet/],
    ['nonce', { nonce: 'm' }, /another question/],
    ['no nonce', { nonce: undefined }, /another question/],
    ['nobody', { sub: '' }, /names nobody/],
    ['no name', { sub: 7 }, /names nobody/],
    ['endless name', { sub: 'x'.repeat(256) }, /names nobody/],
  ];
  for (const [what, change, words] of table)
    await t.test(what, () => assert.throws(() => verifyIdToken(signed({ ...good, ...change }), keys, expected), words));
});

test('a token is checked by the keys of the provider, whatever it says itself', () => {
  const { id } = tokenKey(own);
  const body = encode(good);
  const refuse = (token: string) => assert.throws(() => verifyIdToken(token, keys, expected), /signature|no token/);
  refuse(signed(good, stranger));
  refuse(signJwt(stranger, { ...tokenKey(stranger), id }, good));
  for (const alg of ['none', 'None', '']) refuse(`${encode({ alg, kid: id })}.${body}.`);
  // The public key as the secret of an HMAC.
  const pem = createPublicKey(own).export({ type: 'spki', format: 'pem' });
  const head = encode({ alg: 'HS256', kid: id });
  refuse(`${head}.${body}.${createHmac('sha256', pem).update(`${head}.${body}`).digest('base64url')}`);
  // A key that the token brings along.
  const brought = `${encode({ alg: 'ES256', kid: id, jwk: jwkOf(tokenKey(stranger)), jku: 'https://evil.example.com' })}.${body}`;
  refuse(`${brought}.${signed(good, stranger).split('.')[2]}`);
  refuse(`${encode({ alg: 'ES256', kid: '../../keys' })}.${body}.${signed(good).split('.')[2]}`);
});

test('no token that was changed by one character is believed', () => {
  const token = signed(good);
  fc.assert(
    fc.property(fc.nat(token.length - 1), fc.constantFrom(...'Aa0_-.'), (at, letter) => {
      const changed = token.slice(0, at) + letter + token.slice(at + 1);
      // The last letter of a part holds bits that mean nothing.
      if (Buffer.from(changed.split('.').join(''), 'base64url').equals(Buffer.from(token.split('.').join(''), 'base64url'))) return;
      if (changed.split('.').every((part, i) => Buffer.from(part, 'base64url').equals(Buffer.from(token.split('.')[i] ?? '', 'base64url'))))
        return;
      assert.throws(() => verifyIdToken(changed, keys, expected));
    }),
  );
});

test('keys of no use are passed over', () => {
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
  const curve = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  const ec = jwkOf(tokenKey(own));
  const useless = [
    weak,
    curve,
    { kty: 'oct', k: 'AAAA' },
    { ...ec, use: 'enc' },
    { ...ec, alg: 'RS256' },
    { ...ec, x: 'AAAA' },
    null,
    'text',
    {},
  ];
  assert.deepEqual(parseJwks({ keys: useless }), []);
  assert.equal(parseJwks({ keys: [...useless, ec] }).length, 1);
  fc.assert(fc.property(fc.jsonValue(), value => assert.deepEqual(parseJwks(value), [])));
});
