import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import { cloneJson, jsonEqual, type Json } from '../../util/json.ts';
import { checkSchemaDepth, type SchemaProps } from './schema-props.ts';
import { structuralSchema } from './structural-schema.ts';
import { validateSchema } from './validate-schema.ts';

const widget = (content: Record<string, unknown>): KubeObject =>
  ({ apiVersion: 'ex.io/v1', kind: 'Widget', metadata: { name: 'w' }, ...content }) as KubeObject;
const errorsOf = (schema: SchemaProps, value: unknown, old?: unknown, warnings: string[] = []): string[] =>
  structuralSchema({ type: 'object', properties: { spec: schema } })
    .validate(widget({ spec: value }), old === undefined ? undefined : widget({ spec: old }), text => warnings.push(text))
    .map(({ field, message }) => `${field}: ${message}`);

const leaf = fc.constantFrom<SchemaProps>(
  { type: 'string' },
  { type: 'string', default: 'd' },
  { type: 'integer', default: 3 },
  { type: 'string', nullable: true },
  { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  { type: 'object', additionalProperties: { type: 'string' } },
);
const names = fc.constantFrom('a', 'b', 'c');
const { tree } = fc.letrec<{ tree: SchemaProps }>(tie => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.record({ type: fc.constant('object'), properties: fc.dictionary(names, tie('tree')) }) as fc.Arbitrary<SchemaProps>,
    fc.record({ type: fc.constant('array'), items: tie('tree') }) as fc.Arbitrary<SchemaProps>,
  ),
}));
const json = fc.jsonValue({ maxDepth: 4 }).map(value => value as Json);
const objects = fc.dictionary(fc.oneof(names, fc.constantFrom('x', '__proto__', 'constructor')), json);
const prepared = (schema: SchemaProps, value: unknown): KubeObject => {
  const compiled = structuralSchema({ type: 'object', properties: { spec: schema } });
  const obj = compiled.prune(widget({ spec: value }), []);
  compiled.setDefaults(obj);
  return obj;
};

test('pruning and defaulting twice is the same as once, and leaves the original alone', () => {
  fc.assert(
    fc.property(tree, fc.oneof(objects, json), (schema, value) => {
      const before = cloneJson(value);
      const once = prepared(schema, value);
      assert.ok(jsonEqual(value, before));
      const twice = prepared(schema, once['spec']);
      // A null item of a list may have been filled in only now; nothing else may move.
      assert.ok(jsonEqual(once, twice), JSON.stringify([once, twice]));
    }),
    { numRuns: 300 },
  );
});

test('every problem names a field that pruning removed', () => {
  fc.assert(
    fc.property(tree, objects, (schema, value) => {
      const problems: string[] = [];
      const compiled = structuralSchema({ type: 'object', properties: { spec: schema } });
      const pruned = compiled.prune(widget({ spec: value }), problems);
      const again: string[] = [];
      compiled.prune(pruned, again);
      assert.deepEqual(again, []);
    }),
    { numRuns: 200 },
  );
});

test('what an update does not change is not complained about', () => {
  const schema: SchemaProps = { type: 'object', properties: { a: { type: 'integer', maximum: 5 }, b: { type: 'string' } } };
  assert.deepEqual(errorsOf(schema, { a: 9, b: 'new' }, { a: 9, b: 'old' }), []);
  assert.deepEqual(errorsOf(schema, { a: 8, b: 'old' }, { a: 9, b: 'old' }), [
    'spec.a: Invalid value: 8: spec.a in body should be less than or equal to 5',
  ]);
});

test('a broken rule of an unchanged part is a warning', () => {
  const schema: SchemaProps = {
    type: 'object',
    properties: {
      a: {
        type: 'object',
        properties: { n: { type: 'integer' } },
        'x-kubernetes-validations': [{ rule: 'self.n < 5', message: 'too big' }],
      },
      b: { type: 'string' },
    },
  };
  const warnings: string[] = [];
  assert.deepEqual(errorsOf(schema, { a: { n: 9 }, b: 'new' }, { a: { n: 9 }, b: 'old' }, warnings), []);
  assert.deepEqual(warnings, ['spec.a: Invalid value: too big']);
  assert.deepEqual(errorsOf(schema, { a: { n: 8 } }, { a: { n: 9 } }), ['spec.a: Invalid value: too big']);
});

test('items of a list with keys are compared with their former selves', () => {
  const item: SchemaProps = {
    type: 'object',
    required: ['k'],
    properties: {
      k: { type: 'string' },
      v: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self >= oldSelf', message: 'shrinks' }] },
    },
  };
  const schema: SchemaProps = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items: item };
  const old = [{ k: 'a', v: 3 }];
  assert.deepEqual(
    errorsOf(
      schema,
      [
        { k: 'b', v: 1 },
        { k: 'a', v: 4 },
      ],
      old,
    ),
    [],
  );
  assert.deepEqual(
    errorsOf(
      schema,
      [
        { k: 'b', v: 1 },
        { k: 'a', v: 2 },
      ],
      old,
    ),
    ['spec[1].v: Invalid value: 2: shrinks'],
  );
});

test('rules that may see no former self say so with an optional', () => {
  const rule = { rule: 'oldSelf.hasValue() || self == "first"', message: 'must start as first', optionalOldSelf: true };
  const schema: SchemaProps = { type: 'string', 'x-kubernetes-validations': [rule] };
  assert.deepEqual(errorsOf(schema, 'first'), []);
  assert.deepEqual(errorsOf(schema, 'second', 'first'), []);
  assert.deepEqual(errorsOf(schema, 'second'), ['spec: Invalid value: "second": must start as first']);
});

test('rules over large lists run out of budget', () => {
  const rule = { rule: 'self.all(a, self.all(b, self.all(c, a + b + c >= 0)))' };
  const schema: SchemaProps = { type: 'array', items: { type: 'integer' }, 'x-kubernetes-validations': [rule] };
  const [error] = errorsOf(
    schema,
    Array.from({ length: 1000 }, (_, i) => i),
  );
  assert.match(error ?? '', /actual cost limit exceeded/);
});

test('a pattern that would take for ever elsewhere takes no time', () => {
  const errors = errorsOf({ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(5000)}!`);
  assert.equal(errors.length, 1);
  assert.equal(errorsOf({ type: 'string', pattern: '^(a|a)*$' }, `${'a'.repeat(5000)}!`).length, 1);
});

test('schemas that are nested too deeply are refused', () => {
  let schema: SchemaProps = { type: 'string' };
  for (let i = 0; i < 20_000; i++) schema = { type: 'object', properties: { a: schema } };
  assert.throws(
    () => checkSchemaDepth(schema),
    (error: unknown) => error instanceof StatusError && error.code === 400,
  );
});

test('limits beyond 2^53, and formats that are called like what every object has, are no trouble', () => {
  const most = 9223372036854775807n as unknown as number;
  const rule = { 'x-kubernetes-validations': [{ rule: 'size(self) >= 0' }] };
  const spec: SchemaProps = {
    type: 'object',
    properties: {
      list: { type: 'array', items: { type: 'string' }, maxItems: most, ...rule },
      map: { type: 'object', additionalProperties: { type: 'string' }, maxProperties: most },
      text: { type: 'string', maxLength: most, ...rule },
      either: { 'x-kubernetes-int-or-string': true, maxLength: most },
      number: { type: 'integer', maximum: most, minimum: -5 },
      word: { type: 'string', format: 'constructor', 'x-kubernetes-validations': [{ rule: 'self == "a"' }] },
    },
  };
  assert.deepEqual(validateSchema({ type: 'object', properties: { spec } }, 'schema', true), []);
  assert.deepEqual(errorsOf(spec, { list: ['a'], map: { a: 'b' }, text: 'x', either: 1, number: 7, word: 'a' }), []);
  assert.equal(errorsOf(spec, { number: -6 }).length, 1);
});
