import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ManagedFieldsEntry } from '../../api/object.ts';
import { isJsonObject, type JsonObject } from '../../util/json.ts';
import { takeOverFields } from './take-over-fields.ts';

const entry = (
  manager: string,
  operation: 'Apply' | 'Update',
  fieldsV1: JsonObject,
  more: Partial<ManagedFieldsEntry> = {},
): ManagedFieldsEntry => ({
  manager,
  operation,
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
});

test('what helm wrote, in both ways, becomes what we applied', () => {
  const status = entry('helm', 'Update', { 'f:status': {} }, { subresource: 'status' });
  const scaler = entry('hpa', 'Update', { 'f:spec': { 'f:replicas': {} } });
  const own = entry('drover', 'Apply', { 'f:data': { 'f:a': {} } }, { time: 't' });
  const taken = takeOverFields(
    [
      entry('helm', 'Update', { 'f:data': { 'f:b': {} } }),
      own,
      entry('helm', 'Apply', { 'f:data': { '.': {}, 'f:c': {} } }),
      status,
      scaler,
    ],
    'drover',
  );
  assert.deepEqual(taken, [
    entry('drover', 'Apply', { 'f:data': { 'f:a': {}, 'f:b': {}, '.': {}, 'f:c': {} } }, { time: 't' }),
    status,
    scaler,
  ]);
});

test('what is nobody of helm stays as it is', () => {
  assert.equal(takeOverFields([entry('kubectl', 'Update', { 'f:data': {} }), entry('drover', 'Apply', {})], 'drover'), undefined);
});

test('fields of another version are left alone', () => {
  const old = entry('helm', 'Update', { 'f:spec': {} }, { apiVersion: 'apps/v1beta1' });
  assert.equal(takeOverFields([old, entry('drover', 'Apply', {}, { apiVersion: 'apps/v1' })], 'drover'), undefined);
});

test('no field is lost, and none is gained', () => {
  const set = (inside: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> =>
    fc.dictionary(fc.constantFrom('f:a', 'f:b', 'k:{"n":1}', '.'), inside, { maxKeys: 3, noNullPrototype: true });
  const fields = set(set(set(fc.constant({}))));
  const entries = fc.array(
    fc.tuple(fc.constantFrom('helm', 'drover', 'other'), fc.constantFrom('Apply' as const, 'Update' as const), fields),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(entries, given => {
      // A manager has one entry of a kind.
      const unique = [...new Map(given.map(one => [`${one[0]} ${one[1]}`, one])).values()].map(([manager, how, set]) =>
        entry(manager, how, set),
      );
      const after = takeOverFields(unique, 'drover') ?? unique;
      const all = (list: readonly ManagedFieldsEntry[]) => new Set(list.flatMap(({ fieldsV1 = {} }) => pathsOf(fieldsV1)));
      assert.deepEqual(all(after), all(unique));
      assert.ok(!after.some(({ manager }) => manager === 'helm'));
    }),
  );
});

function pathsOf(set: JsonObject, above = ''): string[] {
  return Object.entries(set).flatMap(([key, value]) => [
    `${above}/${key}`,
    ...(isJsonObject(value) ? pathsOf(value, `${above}/${key}`) : []),
  ]);
}
