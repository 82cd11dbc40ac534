import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { challengeOf, isSameState, newLoginState, openState, sealState, stateKey } from './login-state.ts';
import { localPath } from './oidc-routes.ts';

const key = stateKey('the key of the hub');

test('what the hub seals it can open, for ten minutes', () => {
  const state = newLoginState('/back', 1000);
  const sealed = sealState(state, key);
  assert.deepEqual(openState(sealed, key, 1000 + 599_999), state);
  assert.equal(openState(sealed, key, 1000 + 600_000), undefined);
  assert.equal(openState(sealed, stateKey('another'), 1000), undefined);
  assert.ok(!Buffer.from(sealed, 'base64url').includes(state.verifier), 'the browser learns no secret');
});

test('nothing that was not sealed by the hub is opened', () => {
  const sealed = Buffer.from(sealState(newLoginState('/', 0), key), 'base64url');
  fc.assert(
    fc.property(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const other = Buffer.from(sealed);
      other[at]! ^= change;
      assert.equal(openState(other.toString('base64url'), key, 0), undefined);
    }),
  );
  fc.assert(fc.property(fc.string({ maxLength: 200 }), text => assert.equal(openState(text, key, 0), undefined)));
});

test('a state is compared as a whole', () => {
  const state = newLoginState('/', 0);
  assert.ok(isSameState(state.state, state));
  for (const other of ['', state.state.slice(1), `${state.state}x`, state.nonce]) assert.ok(!isSameState(other, state));
});

test('the challenge is that of RFC 7636', () => {
  assert.equal(challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'), 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
});

test('nobody is sent on to another site', () => {
  for (const path of ['/', '/v3/clusters?x=y', '/a//b']) assert.equal(localPath(path), path);
  for (const path of [
    null,
    '',
    '//evil.example.com',
    '/\\evil.example.com',
    'https://evil.example.com',
    '/a\r\nSet-Cookie: x',
    '/a\\b',
    '/ü',
  ])
    assert.equal(localPath(path), '/');
  fc.assert(
    fc.property(fc.string(), text => {
      assert.equal(new URL(localPath(text), 'https://hub.example.com').origin, 'https://hub.example.com');
    }),
  );
});
