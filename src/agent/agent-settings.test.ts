import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../../test/helpers/temp-dir.ts';
import { readSettings } from './agent-settings.ts';

const sum = 'a'.repeat(64);

test('flags win over the environment, the environment over mounted credentials', () => {
  using scratch = tempDir('agent-settings');
  writeFileSync(join(scratch.dir, 'url'), 'https://mounted.example/\n');
  writeFileSync(join(scratch.dir, 'token'), 'mounted-token\n');
  const env = { CATTLE_SERVER: 'https://env.example:8443', CATTLE_CA_CHECKSUM: sum.toUpperCase() };
  assert.deepEqual(readSettings({}, {}, scratch.dir), {
    server: 'https://mounted.example',
    token: 'mounted-token',
    caChecksum: undefined,
    acceptsSystemAuthorities: false,
  });
  assert.deepEqual(readSettings({}, { ...env, STRICT_VERIFY: 'false' }, scratch.dir), {
    server: 'https://env.example:8443',
    token: 'mounted-token',
    caChecksum: sum,
    acceptsSystemAuthorities: true,
  });
  const flags = { server: 'https://flag.example/hub/', token: 'flag-token', caChecksum: 'b'.repeat(64) };
  assert.deepEqual(readSettings(flags, env, scratch.dir), {
    server: 'https://flag.example/hub',
    token: 'flag-token',
    caChecksum: 'b'.repeat(64),
    acceptsSystemAuthorities: false,
  });
});

test('says what is missing or wrong', () => {
  const none = '/does/not/exist';
  assert.throws(() => readSettings({}, {}, none), /give it with --server/);
  assert.throws(() => readSettings({ server: 'http://hub' }, {}, none), /must begin with "https:\/\/"/);
  assert.throws(() => readSettings({ server: 'hub:443' }, {}, none), /must begin with "https:\/\/"/);
  assert.throws(() => readSettings({ server: 'https://me:secret@hub' }, {}, none), /more than host, port and path/);
  assert.throws(() => readSettings({ server: 'https://hub', caChecksum: 'abc' }, {}, none), /not a SHA-256/);
  assert.throws(() => readSettings({ server: 'https://hub', token: 'a b' }, {}, none), /characters that no token has/);
  assert.throws(() => readSettings({ server: 'https://hub', token: 'a', tokenFile: 'b' }, {}, none), /only one of/);
  assert.throws(() => readSettings({ server: 'https://hub', tokenFile: none }, {}, none), /cannot read the token/);
});
