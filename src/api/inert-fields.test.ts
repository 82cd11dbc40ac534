import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canBeInert, inert, inertFieldsIn, whyInert } from './inert-fields.ts';
import type { OpenApiSchema } from './openapi-schema.ts';

const schema: OpenApiSchema = {
  properties: {
    spec: {
      'x-kubernetes-preserve-unknown-fields': true,
      properties: {
        name: { type: 'string' },
        values: { 'x-kubernetes-preserve-unknown-fields': true },
        options: {
          items: {
            properties: {
              cache: { type: 'boolean', description: inert('Whether there is a cache.') },
              replace: { type: 'boolean', default: true, description: inert('Whether to replace.', 'it is always so') },
            },
          },
        },
      },
    },
    status: { 'x-kubernetes-preserve-unknown-fields': true, properties: { a: {} } },
  },
};

test('fields that nothing comes of are found where they are written, with the reason', () => {
  const object = {
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { name: 'a' },
    spec: {
      name: 'a',
      values: { any: 1 },
      options: [
        { cache: true, replace: false },
        { cache: true, replace: true },
      ],
      colour: 'red',
      none: {},
    },
    status: { b: 1 },
  };
  assert.deepEqual(inertFieldsIn(object, schema), [
    { path: '.spec.options[0].cache', why: '' },
    { path: '.spec.options[1].cache', why: '' },
    { path: '.spec.colour', why: 'the hub does not know it' },
  ]);
});

test('the reason is read from the description, and other descriptions have none', () => {
  assert.equal(whyInert(inert('What for.', 'nobody asks')), 'nobody asks');
  assert.equal(whyInert('What for.'), undefined);
  assert.equal(canBeInert(schema), true);
  assert.equal(canBeInert({ properties: { spec: { properties: { a: {} } }, status: schema } }), false);
});

test('what is any object of Kubernetes is meant as it is written', () => {
  const anyObject = { 'x-kubernetes-preserve-unknown-fields': true, properties: { apiVersion: {}, kind: {}, metadata: {} } };
  const object = { apiVersion: 'v1', kind: 'Thing', metadata: {}, spec: { manifests: [{ kind: 'Secret', data: { a: 'b' } }] } };
  const listed = { properties: { spec: { properties: { manifests: { items: anyObject } } } } };
  assert.deepEqual(inertFieldsIn(object, listed), []);
  assert.equal(canBeInert(listed), false);
});
