import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../../util/json.ts';
import { SchemaDocument } from './schema-document.ts';
import { printFaults } from './schema-error.ts';
import { validateValue } from './validate-value.ts';

const faults = (schema: JsonObject, value: Json): string => printFaults(validateValue(new SchemaDocument(schema), value));

describe('schemas of values', () => {
  test('types, limits and texts are told as Helm tells them', () => {
    assert.equal(faults({ type: 'object' }, {}), '');
    assert.equal(faults({ type: ['string', 'null'] }, 1), "\n- at '': got number, want null or string");
    assert.equal(faults({ type: 'integer' }, 1.5), "\n- at '': got number, want integer");
    assert.equal(faults({ maximum: 1000 }, 2000), "\n- at '': maximum: got 2,000, want 1,000");
    assert.equal(
      faults({ pattern: '^a$' }, "it's"),
      String.raw`
- at '': 'it\'s' does not match pattern '^a$'`,
    );
    assert.equal(faults({ enum: ['a', 1, null] }, 'b'), "\n- at '': value must be one of 'a', 1, <nil>");
  });

  test('faults inside are told at their place', () => {
    const schema = { properties: { 'a/b': { items: { required: ['x'] } } }, additionalProperties: false };
    assert.equal(faults(schema, { 'a/b': [{}, { x: 1 }] }), "\n- at '/a~1b/0': missing property 'x'");
    const several = { properties: { a: { properties: { b: { type: 'string' }, c: { type: 'string' } } } } };
    assert.equal(faults(several, { a: { b: 1, c: 2 } }), "\n- at '/a/b': got number, want string\n- at '/a/c': got number, want string");
    assert.equal(faults(schema, { other: 1, z: 2 }), "\n- at '': additional properties 'other', 'z' not allowed");
  });

  test('choices tell what each of them lacks', () => {
    const schema = { anyOf: [{ type: 'string' }, { type: 'object', required: ['a'] }] };
    assert.equal(faults(schema, {}), "\n- at '': 'anyOf' failed\n  - at '': got object, want string\n  - at '': missing property 'a'");
    assert.equal(faults({ oneOf: [true, { type: 'number' }] }, 1), "\n- at '': 'oneOf' failed, subschemas 0, 1 matched");
  });

  test('references are followed within the schema, and nowhere else', () => {
    const schema = { $ref: '#/$defs/port', $defs: { port: { type: 'integer' } } };
    assert.equal(faults(schema, 'x'), "\n- at '': got string, want integer");
    assert.throws(() => faults({ $ref: 'https://example.com/schema.json' }, 1), /only references within the chart/);
    assert.throws(() => faults({ $ref: '#' }, 1), /more than can be checked/);
  });

  test('properties that no schema has looked at', () => {
    const schema = { allOf: [{ properties: { a: true } }], unevaluatedProperties: false };
    assert.equal(faults(schema, { a: 1, b: 2 }), "\n- at '/b': false schema");
    assert.equal(faults({ ...schema, $schema: 'http://json-schema.org/draft-07/schema#' }, { a: 1, b: 2 }), '');
  });
});
