import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeYaml } from '../../../yaml/write-yaml.ts';
import { hideSecrets } from './hide-secrets.ts';

test('a secret is hidden wherever it stands, the longest first, and short ones not', () => {
  const hide = hideSecrets(['hunter2', 'hunter2-and-more', 'abc']);
  assert.equal(hide('hunter2-and-more hunter2 abc'), '************** ************** abc');
});

test('a secret with lines is hidden line by line, as it stands in manifests', () => {
  const key = '-----BEGIN KEY-----\nMIIEvQIBADANBg\nq7Yd"x\\z\n-----END KEY-----\n';
  const hide = hideSecrets([key, 'from-a-file\n', 'say "friend"\tand enter']);
  const manifest = writeYaml({ key, file: 'from-a-file', door: 'say "friend"\tand enter' });
  const said = manifest.split('\n').map(hide).join('\n');
  for (const part of ['MIIEvQ', 'q7Yd', 'from-a-file', 'friend']) assert.ok(!said.includes(part), said);
});
