import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldPath, fieldsAt, type KindSchema } from '../../src/ui/screens/object/schema-fields.ts';

const yaml = `apiVersion: apps/v1
metadata:
  labels:
    app: web
spec:
  template:
    spec:
      containers:
        - name: web
          image: nginx
          ports:
          - containerPort: 80
`;
const lineOf = (part: string) => yaml.split('\n').findIndex(line => line.includes(part));

test('a line of YAML knows the fields that lead to it', () => {
  assert.deepEqual(fieldPath(yaml, lineOf('apiVersion')), ['apiVersion']);
  assert.deepEqual(fieldPath(yaml, lineOf('app: web')), ['metadata', 'labels', 'app']);
  assert.deepEqual(fieldPath(yaml, lineOf('- name')), ['spec', 'template', 'spec', 'containers', 'name']);
  assert.deepEqual(fieldPath(yaml, lineOf('image')), ['spec', 'template', 'spec', 'containers', 'image']);
  assert.deepEqual(fieldPath(yaml, lineOf('containerPort')), ['spec', 'template', 'spec', 'containers', 'ports', 'containerPort']);
});

test('fields are found through references, lists and maps', () => {
  const Spec = {
    type: 'object',
    required: ['image'],
    properties: {
      image: { type: 'string', description: 'The image.' },
      when: { type: 'string', enum: ['', 'Always', 'Never'] },
      ports: { type: 'array', items: { type: 'object', properties: { number: { type: 'integer', description: 'Its number.' } } } },
      extra: { type: 'object', additionalProperties: { type: 'object', properties: { deep: { type: 'boolean' } } } },
    },
  };
  const spec = { allOf: [{ $ref: '#/components/schemas/Spec' }], description: 'What is wanted.' };
  const schema: KindSchema = { document: { components: { schemas: { Spec } } }, schema: { type: 'object', properties: { spec } } };
  assert.deepEqual(fieldsAt(schema, []), [{ name: 'spec', type: 'object', description: 'What is wanted.', isRequired: false, values: [] }]);
  assert.deepEqual(fieldsAt(schema, ['spec'])[0], {
    name: 'image',
    type: 'string',
    description: 'The image.',
    isRequired: true,
    values: [],
  });
  assert.deepEqual(fieldsAt(schema, ['spec', 'ports'])[0]?.name, 'number');
  assert.deepEqual(fieldsAt(schema, ['spec', 'extra', 'any'])[0]?.name, 'deep');
  assert.deepEqual(fieldsAt(schema, ['nothing', 'here']), []);
  assert.deepEqual(fieldsAt(schema, ['spec']).find(one => one.name === 'when')?.values, ['Always', 'Never']);
  assert.deepEqual(fieldsAt(schema, ['spec', 'extra', 'any'])[0]?.values, ['true', 'false']);
});
