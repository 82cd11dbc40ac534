import assert from 'node:assert/strict';
import { pbkdf2Sync } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { hashPassword, isPassword, parseArgon2, printArgon2 } from './password-hash.ts';

test('a password is recognised by its hash, and another is not', async () => {
  const phc = await hashPassword('correct horse');
  assert.match(phc, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.equal(await isPassword('correct horse', { phc }), true);
  assert.equal(await isPassword('correct horsE', { phc }), false);
  assert.notEqual(await hashPassword('correct horse'), phc);
});

test('a password that Rancher hashed is recognised', async () => {
  const salt = Buffer.alloc(32, 7);
  const hash = pbkdf2Sync('correct horse', salt, 210_000, 32, 'sha3-512');
  assert.equal(await isPassword('correct horse', { rancher: { salt, hash } }), true);
  assert.equal(await isPassword('wrong horse', { rancher: { salt, hash } }), false);
});

test('what is no hash of ours recognises nobody', async () => {
  for (const phc of ['', 'plain', '$argon2id$v=19$m=8,t=1,p=1$AAAA$AAAA', '$argon2i$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA'])
    assert.equal(await isPassword(phc, { phc }), false, phc);
});

test('hashes that would cost too much to check are none', () => {
  const [salt, hash] = [Buffer.alloc(16), Buffer.alloc(32)];
  const sane = { memory: 19_456, passes: 2, parallelism: 1, salt, hash };
  assert.ok(parseArgon2(printArgon2(sane)));
  for (const bad of [{ memory: 1_000_000 }, { memory: 4 }, { passes: 17 }, { passes: 0 }, { parallelism: 0 }, { parallelism: 9 }])
    assert.equal(parseArgon2(printArgon2({ ...sane, ...bad })), undefined, JSON.stringify(bad));
});

test('what is printed is read back, and nothing makes the reader stumble', () => {
  const bytes = (min: number) => fc.uint8Array({ minLength: min, maxLength: 64 }).map(array => Buffer.from(array));
  const hashes = fc.record({
    memory: fc.integer({ min: 64, max: 262_144 }),
    passes: fc.integer({ min: 1, max: 16 }),
    parallelism: fc.integer({ min: 1, max: 8 }),
    salt: bytes(8),
    hash: bytes(16),
  });
  fc.assert(fc.property(hashes, one => assert.deepEqual(parseArgon2(printArgon2(one)), { ...one })));
  const parts = fc.array(fc.constantFrom('$', 'argon2id', 'v=19', 'm=1,t=1,p=1', 'm=', 'AAAA', '=', ',', ':'), { maxLength: 12 });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        parts.map(list => list.join('')),
      ),
      text => void parseArgon2(text),
    ),
  );
});
