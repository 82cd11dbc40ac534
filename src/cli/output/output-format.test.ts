import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../util/json.ts';
import { CommandError } from '../exit-codes.ts';
import { parseOutputFormat, type OutputOptions } from './output-format.ts';
import { sortBy } from './sort-by.ts';

const object = (name: string, rest: JsonObject = {}): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, managedFields: [{ manager: 'x' }] },
  ...rest,
});

function printed(format: string, objects: JsonObject[], isSingle = false, options: OutputOptions = {}): string {
  const parsed = parseOutputFormat(format, options);
  assert.ok(parsed.as === 'objects');
  return parsed.printer.printAll(objects, isSingle);
}

test('one object is itself, several are a List, managed fields are left out', () => {
  assert.equal(printed('yaml', [object('a')], true), 'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a\n');
  assert.equal(
    printed('yaml', [object('a')]),
    'apiVersion: v1\nitems:\n- apiVersion: apps/v1\n  kind: Deployment\n  metadata:\n    name: a\nkind: List\nmetadata:\n  resourceVersion: ""\n',
  );
  assert.match(printed('json', [object('a')], true, { showManagedFields: true }), /"managedFields"/);
});

test('JSON has sorted keys, four spaces and no markup', () => {
  assert.equal(
    printed('json', [{ kind: 'A', b: '<&>', a: 1 }], true),
    '{\n    "a": 1,\n    "b": "\\u003c\\u0026\\u003e",\n    "kind": "A"\n}\n',
  );
});

test('names have their type, and their member when they come from members', () => {
  const marked = object('a', { metadata: { name: 'a', annotations: { 'drover.io/cluster': 'east' } } });
  assert.equal(printed('name', [marked, object('b')]), 'deployment.apps/a\ndeployment.apps/b\n');
  assert.equal(printed('name', [marked], false, { ofMembers: true }), 'east/deployment.apps/a\n');
});

test('paths and columns are kubectl’s', () => {
  const list = [object('a', { n: 1 }), object('bb')];
  assert.equal(printed('jsonpath={.items[*].metadata.name}', list), 'a bb');
  assert.equal(printed('jsonpath-as-json={.items[*].metadata.name}', list), '[\n    "a",\n    "bb"\n]\n');
  assert.equal(printed('custom-columns=NAME:.metadata.name,N:{n}', list), 'NAME   N\na      1\nbb     <none>\n');
  assert.equal(printed('custom-columns=NAME:metadata.name', list, false, { noHeaders: true }), 'a\nbb\n');
});

test('what cannot be read is a mistake of usage', () => {
  for (const format of ['bogus', 'jsonpath', 'jsonpath={.a', 'custom-columns=', 'custom-columns=NAME', 'go-template={{.x}}', 'json=x'])
    assert.throws(
      () => parseOutputFormat(format),
      (error: unknown) => error instanceof CommandError && error.exitCode === 2,
      format,
    );
});

test('sorting knows numbers, amounts and text; what is missing comes first', () => {
  const sorted = (path: string, ...values: unknown[]) =>
    sortBy(
      values.map((v, i) => ({ i, v })),
      path,
      one => one as never,
    ).map(({ v }) => v);
  assert.deepEqual(sorted('.v', 10, 9, 2n), [2n, 9, 10]);
  assert.deepEqual(sorted('{.v}', '1Gi', '100m', '5'), ['100m', '5', '1Gi']);
  assert.deepEqual(sorted('v', 'b', 'a', 'b'), ['a', 'b', 'b']);
  assert.deepEqual(
    sortBy([{ n: 'x', v: 1 }, { n: 'y' }, { n: 'z', v: 0 }], '.v', one => one as never).map(({ n }) => n),
    ['y', 'z', 'x'],
  );
  const pairs = [{ a: 2, b: 'x' }, { a: 1, b: 'z' }, { a: 1 }, { a: 1, b: 'y' }];
  assert.deepEqual(
    sortBy(pairs, ['.a', '.b'], one => one as never),
    [pairs[2], pairs[3], pairs[1], pairs[0]],
  );
  assert.throws(() => sorted('.w', 1), /couldn't find any field with path "\{\.w\}"/);
});
