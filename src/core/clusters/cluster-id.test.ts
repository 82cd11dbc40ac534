import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clusterId } from './cluster-id.ts';

const spec = { connection: { mode: 'Tunnel' } } as const;

test('an id has the form of a Rancher id, whatever the uid', () => {
  fc.assert(fc.property(fc.uuid(), uid => assert.match(clusterId({ metadata: { name: 'a', uid }, spec }), /^c-m-[a-z0-9]{8}$/)));
});

test('an id stays the same for the same object', () => {
  const metadata = { name: 'a', uid: '6f1c1e66-3fd3-4a3c-8a51-0f0ac9a4f4b1' };
  assert.equal(clusterId({ metadata, spec }), clusterId({ metadata: { ...metadata, name: 'b' }, spec }));
});

test('an id that is fixed needs no uid', () => {
  assert.equal(clusterId({ metadata: { name: 'local' }, spec: { ...spec, id: 'local' } }), 'local');
});
