import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../../util/json.ts';
import { checkFields } from './check-fields.ts';
import { NormanError } from './norman-error.ts';
import type { Fields } from './norman-type.ts';

const both = { create: true, update: true } as const;
const fields: Fields = {
  name: { type: 'string', ...both, required: true, maxLength: 5, minLength: 2 },
  clusterId: { type: 'reference[cluster]', create: true },
  count: { type: 'int', ...both },
  on: { type: 'boolean', ...both },
  at: { type: 'date', ...both },
  context: { type: 'enum', ...both, options: ['cluster', 'project'] },
  names: { type: 'array[string]', ...both },
  labels: { type: 'map[string]', ...both },
  free: { type: 'json', ...both },
  uuid: { type: 'string' },
};

test('what may be set is taken in its form, and the rest is not heard', () => {
  const body = {
    name: 12,
    clusterId: null,
    count: '7',
    on: 'true',
    labels: { a: 1 },
    uuid: 'mine',
    unknown: 1,
    context: 'project',
    free: [1],
  };
  assert.deepEqual(checkFields(body, fields, 'create'), {
    name: '12',
    clusterId: null,
    count: 7,
    on: true,
    context: 'project',
    labels: { a: '1' },
    free: [1],
  });
  assert.deepEqual(checkFields({ name: 'abc', clusterId: 'c-12345' }, fields, 'update'), { name: 'abc' });
});

test('what is wrong is told with its field and its code', () => {
  for (const [body, code, fieldName] of [
    [{}, 'MissingRequired', 'name'],
    [{ name: null }, 'MissingRequired', 'name'],
    [{ name: '' }, 'MinLengthExceeded', 'name'],
    [{ name: 'too long' }, 'MaxLengthExceeded', 'name'],
    [{ name: {} }, 'InvalidFormat', 'name'],
    [{ name: 'abc', count: 1.5 }, 'InvalidFormat', 'count'],
    [{ name: 'abc', on: 'yes' }, 'InvalidFormat', 'on'],
    [{ name: 'abc', at: 'yesterday' }, 'InvalidDateFormat', 'at'],
    [{ name: 'abc', context: 'moon' }, 'InvalidOption', 'context'],
    [{ name: 'abc', names: 'x' }, 'InvalidFormat', 'names'],
    [{ name: 'abc', names: [null] }, 'NotNullable', 'names'],
    [{ name: 'abc', labels: [] }, 'InvalidFormat', 'labels'],
  ] as const)
    assert.throws(
      () => checkFields(body as unknown as JsonObject, fields, 'create'),
      { status: 422, code, fieldName },
      JSON.stringify(body),
    );
  assert.throws(() => checkFields({ name: null }, fields, 'update'), { code: 'NotNullable' });
});

test('any body is taken or refused in words', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.oneof(fc.constantFrom(...Object.keys(fields)), fc.string()), fc.jsonValue()),
      fc.boolean(),
      (body, isNew) => {
        try {
          const checked = checkFields(body as JsonObject, fields, isNew ? 'create' : 'update');
          for (const name of Object.keys(checked)) assert.ok(fields[name]?.[isNew ? 'create' : 'update']);
        } catch (error) {
          assert.ok(error instanceof NormanError && error.status === 422 && error.fieldName !== undefined, String(error));
        }
      },
    ),
  );
});
