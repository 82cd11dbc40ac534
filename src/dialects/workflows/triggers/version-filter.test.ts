import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOneTag, versionFilterFault, versionTest } from './version-filter.ts';

const versions = ['1.0.0', 'v1.2.3', '1.10.0-rc.1', '2.0.0', 'latest', 'main-7', '1.2'];

test('versions are chosen by a star, by a range or by an expression', () => {
  const chosen = (filter: string | undefined) => versions.filter(versionTest(filter));
  assert.deepEqual(chosen(undefined), versions);
  assert.deepEqual(chosen('1.*'), ['1.0.0', '1.10.0-rc.1', '1.2']);
  assert.deepEqual(chosen('latest'), ['latest']);
  assert.deepEqual(chosen('semver:^1.1'), ['v1.2.3', '1.2']);
  assert.deepEqual(chosen('semver:>=1.0.0-0 <2'), ['1.0.0', 'v1.2.3', '1.10.0-rc.1', '1.2']);
  assert.deepEqual(chosen('regex:^main-[0-9]+$'), ['main-7']);
  assert.deepEqual(chosen('regex:rc'), ['1.10.0-rc.1']);
});

test('what cannot be read is told, and one tag by itself may move', () => {
  for (const good of ['', '*', '1.*', 'semver:~1.2', 'regex:^v']) assert.equal(versionFilterFault(good), undefined, good);
  for (const bad of ['semver:x y z', 'semver:>>1', 'regex:(', 'regex:(?=a)']) assert.ok(versionFilterFault(bad), bad);
  assert.deepEqual(['latest', '', '1.*', 'semver:1.2.3', 'regex:latest', undefined].filter(isOneTag), ['latest']);
});
