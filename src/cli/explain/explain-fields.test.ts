import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandError } from '../exit-codes.ts';
import type { ApiResource } from '../../client/api-resources.ts';
import { explainFields, fieldsBelow } from './explain-fields.ts';
import { parseKindArgument } from './kind-argument.ts';
import type { OpenApiDocument } from '../../api/openapi-schema.ts';
import { wrapWords } from './wrap-words.ts';

const gvk = { group: 'x.io', version: 'v1', kind: 'Shop' };
const document: OpenApiDocument = {
  components: {
    schemas: {
      'io.x.v1.Shop': {
        type: 'object',
        description: 'A shop.',
        required: ['spec'],
        properties: {
          spec: { description: 'What it sells.', allOf: [{ $ref: '#/components/schemas/io.x.v1.ShopSpec' }] },
          open: { type: 'string', description: 'When.', enum: ['', 'Day', 'Night', 'Always', 'Never'] },
        },
        'x-kubernetes-group-version-kind': [gvk],
      },
      'io.x.v1.ShopSpec': {
        type: 'object',
        description: 'Goods of a shop.',
        properties: {
          goods: { type: 'array', items: { $ref: '#/components/schemas/io.x.v1.Good' } },
          labels: { type: 'object', additionalProperties: { type: 'string' } },
          branch: { $ref: '#/components/schemas/io.x.v1.ShopSpec' },
        },
      },
      'io.x.v1.Good': { type: 'object', properties: { price: { type: 'integer', description: 'In cents.' } } },
    },
  },
};
const explained = (path: string[], isRecursive = false) => explainFields({ document, gvk, path, isRecursive });

test('a kind is told in the form of kubectl', () => {
  assert.equal(
    explained([]),
    `GROUP:      x.io
KIND:       Shop
VERSION:    v1

DESCRIPTION:
    A shop.
    
FIELDS:
  open\t<string>
  enum: "", Day, Night, Always, ....
    When.

  spec\t<ShopSpec> -required-
    What it sells.


`,
  );
});

test('fields are found through lists, maps and references, and a kind within itself ends', () => {
  assert.match(explained(['open']), /FIELD: open <string>\nENUM:\n {4}""\n {4}Day\n(?: {4}\w+\n){3}\n/);
  assert.match(explained(['spec', 'goods', 'price']), /FIELD: price <integer>\n\n\nDESCRIPTION:\n {4}In cents\./);
  assert.match(
    explained([], true),
    /  spec\t<ShopSpec> -required-\n    branch\t<ShopSpec>\n    goods\t<\[\]Good>\n      price\t<integer>\n    labels\t<map\[string\]string>\n/,
  );
  assert.deepEqual(fieldsBelow({ document, gvk, path: ['spec', 'goods'] }), ['price']);
});

test('a field that is not there is named, with those that are', () => {
  const says = (path: string[]) => {
    try {
      explained(path);
      return '';
    } catch (error) {
      return `${(error as CommandError).message}; ${(error as CommandError).hint}`;
    }
  };
  assert.equal(says(['spec', 'good', 'price']), 'field "good" does not exist; spec has: branch, goods, labels');
  assert.equal(says(['toString']), 'field "toString" does not exist; there are: open, spec');
  assert.equal(says(['open', 'when']), 'field "when" does not exist; open has no fields of its own');
});

test('a type goes as far as the server knows it, fields come behind', () => {
  const served = (resource: string, kind: string, group: string): ApiResource => ({
    ...{
      resource,
      kind,
      group,
      version: 'v1',
      singular: kind.toLowerCase(),
      scope: 'Cluster',
      verbs: ['list'],
      shortNames: [],
      categories: [],
    },
  });
  const all = [served('pods', 'Pod', ''), served('clusters', 'Cluster', 'karmada.io'), served('clusters', 'Cluster', 'drover.io')];
  const parsed = (argument: string) => {
    const { resource, path } = parseKindArgument(all, argument);
    return `${resource.resource}/${resource.group} ${path.join('.')}`;
  };
  assert.equal(parsed('pods.spec.containers[0].image'), 'pods/ spec.containers.image');
  assert.equal(parsed('Pod'), 'pods/ ');
  assert.equal(parsed('cluster.spec'), 'clusters/drover.io spec');
  assert.equal(parsed('clusters.karmada.io.spec.id'), 'clusters/karmada.io spec.id');
  assert.equal(parsed('clusters.v1.karmada.io'), 'clusters/karmada.io ');
  assert.throws(() => parsed('web.spec'), /resource type "web"/);
});

test('lines are broken at spaces, kept where they are, and long words are left whole', () => {
  assert.equal(wrapWords('one two three', 8), 'one two\nthree');
  assert.equal(wrapWords('a\n\nb  c', 80), 'a\n\nb  c');
  assert.equal(wrapWords('x aaaaaaaaaaaa y', 6), 'x\naaaaaaaaaaaa\ny');
});
