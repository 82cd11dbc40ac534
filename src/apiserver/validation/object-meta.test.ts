import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObjectMeta } from '../../api/object.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

const lines = (errors: { field: string; message: string }[]) => errors.map(e => `${e.field}: ${e.message}`);
const good: ObjectMeta = { name: 'a', namespace: 'ns', resourceVersion: '1' };

const creates: [string, ObjectMeta, string[]][] = [
  ['accepts a plain object', good, []],
  ['wants a name', { namespace: 'ns' }, ['metadata.name: Required value: name or generateName is required']],
  ['wants a namespace', { name: 'a' }, ['metadata.namespace: Required value']],
  [
    'refuses two controllers',
    {
      ...good,
      ownerReferences: [
        { apiVersion: 'v1', kind: 'A', name: 'a', uid: '1', controller: true },
        { apiVersion: 'v1', kind: 'B', name: 'b', uid: '2', controller: true },
      ],
    },
    [
      'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"A","name":"a","uid":"1","controller":true},{"apiVersion":"v1","kind":"B","name":"b","uid":"2","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for A/a and B/b',
    ],
  ],
  [
    'refuses an incomplete owner',
    { ...good, ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }] },
    [
      'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
      'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
      'metadata.ownerReferences.name: Invalid value: "": must not be empty',
      'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
    ],
  ],
  [
    'refuses annotations beyond 256 KiB',
    { ...good, annotations: { a: 'x'.repeat(262144) } },
    ['metadata.annotations: Too long: may not be more than 262144 bytes'],
  ],
  [
    'refuses both deletion finalizers',
    { ...good, finalizers: ['orphan', 'foregroundDeletion'] },
    ['metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set'],
  ],
];
for (const [name, meta, expected] of creates)
  test(`create ${name}`, () => assert.deepEqual(lines(validateObjectMeta(meta, { namespaced: true })), expected));

test('a generated name may end with a dash', () => {
  assert.deepEqual(validateObjectMeta({ ...good, generateName: 'a-' }, { namespaced: true }), []);
});

test('a cluster object has no namespace', () => {
  assert.deepEqual(lines(validateObjectMeta(good, { namespaced: false })), ['metadata.namespace: Forbidden: not allowed on this type']);
});

const deleting = { ...good, deletionTimestamp: '2026-01-01T00:00:00Z' };
const updates: [string, ObjectMeta, ObjectMeta, string[]][] = [
  ['accepts no change', good, good, []],
  [
    'wants a version',
    { name: 'a', namespace: 'ns' },
    good,
    ['metadata.resourceVersion: Invalid value: "": must be specified for an update'],
  ],
  ['keeps the name', { ...good, name: 'b' }, good, ['metadata.name: Invalid value: "b": field is immutable']],
  [
    'refuses new finalizers while deleting',
    { ...deleting, finalizers: ['a/b', 'a/a'] },
    deleting,
    [
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a/a", "a/b"}',
    ],
  ],
  ['keeps the deletion time', good, deleting, ['metadata.deletionTimestamp: Invalid value: null: field is immutable']],
];
for (const [name, next, old, expected] of updates)
  test(`update ${name}`, () => assert.deepEqual(lines(validateObjectMetaUpdate(next, old)), expected));
