import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineKind, newObject } from '../../api/define-kind.ts';
import { inert } from '../../api/inert-fields.ts';
import { flag, mapOf, object, optional, text } from '../../api/schema.ts';
import { inertWarnings } from './inert-warnings.ts';

const Thing = defineKind({
  group: 'test.drover.io',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  scope: 'Namespaced',
  description: 'Something.',
  spec: object('What it is.', {
    cache: optional(flag(inert('Whether there is a cache.', 'nothing is slow'))),
    each: optional(mapOf('By name.', object('One.', { colour: optional(text(inert('Which colour.'))) }))),
  }),
});
const thing = (spec: object) => newObject(Thing, { name: 'a', namespace: 'b' }, spec);

test('what is written and changes nothing is warned of, once', () => {
  const object = thing({ cache: true, each: { a: { colour: 'red' } } });
  assert.deepEqual(inertWarnings(Thing, { object, oldObject: undefined }), [
    'spec.cache is not acted upon here: nothing is slow',
    'spec.each.a.colour is not acted upon here',
  ]);
  assert.deepEqual(inertWarnings(Thing, { object, oldObject: thing({ cache: true }) }), ['spec.each.a.colour is not acted upon here']);
});

test('many of them are counted', () => {
  const each = Object.fromEntries([...'abcdefg'].map(name => [name, { colour: 'red' }]));
  assert.equal(inertWarnings(Thing, { object: thing({ each }), oldObject: undefined }).at(-1), '2 more fields are not acted upon here');
});
