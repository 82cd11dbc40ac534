import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { newToken } from '../../../core/registration/registration-token.ts';
import { hashKey, isKeyOf, newSuffix, parseBearer } from './token-key.ts';

test('a key is recognised by its hash, which is another every time', () => {
  const key = newToken();
  const hash = hashKey(key);
  assert.match(hash, /^\$3:/);
  assert.ok(!hash.includes(key));
  assert.notEqual(hashKey(key), hash);
  assert.equal(isKeyOf(hash, key), true);
  assert.equal(isKeyOf(hash, newToken()), false);
});

test('nothing but a hash of ours recognises a key', () => {
  const key = newToken();
  const parts = fc.array(fc.constantFrom('$3', '$2', ':', '', 'AAAA', key), { maxLength: 7 }).map(list => list.join(':'));
  fc.assert(fc.property(fc.oneof(fc.string(), parts), hash => assert.equal(isKeyOf(hash, key), false)));
});

test('a bearer is a name and a key', () => {
  const key = newToken();
  const names = fc.constantFrom('token-abcde', 'kubeconfig-u-abcde9x2', 'a', 'token-1.2');
  fc.assert(
    fc.property(names, fc.boolean(), (name, isNewer) =>
      assert.deepEqual(parseBearer(`${isNewer ? 'ext/' : ''}${name}:${key}`), { name, key }),
    ),
  );
  for (const wrong of [
    key,
    `:${key}`,
    `token-abcde:${key}x`,
    `token-abcde:${key}:`,
    `Token:${key}`,
    `a/b:${key}`,
    `-a:${key}`,
    `token-abcde:`,
  ])
    assert.equal(parseBearer(wrong), undefined, wrong);
});

test('no text makes the reader of bearers stumble', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 600 }), text => {
      const shown = parseBearer(text);
      if (shown) assert.ok(text.endsWith(`${shown.name}:${shown.key}`));
    }),
  );
});

test('generated names are as long as Rancher’s', () => assert.match(newSuffix(), /^[bcdfghjklmnpqrstvwxz2456789]{5}$/));
