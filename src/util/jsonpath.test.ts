import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from './json.ts';
import { compileJsonPath } from './jsonpath.ts';

const data: Json = {
  kind: 'List',
  items: [
    { metadata: { name: 'a', labels: { 'x.io/y': '1' } }, n: 1, on: true },
    { metadata: { name: 'b' }, n: 2.5, list: [1, 2, 3] },
    { metadata: { name: 'c' }, n: 3, none: null },
  ],
  conditions: [
    { type: 'Ready', status: 'True' },
    { type: 'Synced', status: 'False' },
  ],
};

for (const [template, expected] of [
  ['{.kind}', 'List'],
  ['kind is {.kind}!', 'kind is List!'],
  ['{.items[0].metadata.name}', 'a'],
  ['{.items[-1].metadata.name}', 'c'],
  ['{.items[*].metadata.name}', 'a b c'],
  ['{.items[0:2].n}', '1 2.5'],
  ['{.items[::2].n}', '1 3'],
  ['{.items[0,2].n}', '1 3'],
  ["{.items[0]['n','on']}", '1 true'],
  ["{.items[0].metadata.labels['x\\.io/y']}", '1'],
  ['{.items[0].metadata.labels.x\\.io/y}', '1'],
  ['{..name}', 'a b c'],
  ["{.conditions[?(@.type=='Ready')].status}", 'True'],
  ['{.conditions[?(@.type != "Ready")].status}', 'False'],
  ['{.items[?(@.n>=2.5)].metadata.name}', 'b c'],
  ['{.items[?(@.list)].metadata.name}', 'b'],
  ['{range .items[*]}{.metadata.name}={.n}{"\\n"}{end}done', 'a=1\nb=2.5\nc=3\ndone'],
  ['{range .items[*]}{range .list[*]}{@},{end}{end}', '1,2,3,'],
  ['{.items[1].list}', '[1,2,3]'],
  ['{.items[0].metadata.labels}', '{"x.io/y":"1"}'],
  ['{.missing}', ''],
  ['{.items[2].none}', '<no value>'],
  ['{@.kind} {$.kind}', 'List List'],
] as [string, string][]) {
  test(`${template} prints ${JSON.stringify(expected)}`, () =>
    assert.equal(compileJsonPath(template, { allowMissing: true }).print(data), expected));
}

for (const [template, message] of [
  ['{.missing}', 'missing is not found'],
  ['{.items[5]}', 'array index out of bounds: index 5, length 3'],
  ['{.kind[0]}', 'string is not array or slice'],
  ['{foo}', 'unrecognized identifier foo'],
] as [string, string][]) {
  test(`${template} fails`, () => assert.throws(() => compileJsonPath(template).find(data), { message }));
}

for (const [template, message] of [
  ['{.a', 'unclosed action'],
  ['{.a[0}', 'unterminated array'],
  ['{.a[x]}', 'invalid array index x'],
  ['{.a[?(@.b==1]}', 'unterminated filter'],
  ['{"abc}', 'unterminated quoted string'],
  ['{....a}', 'invalid multiple recursive descent'],
] as [string, string][]) {
  test(`${template} cannot be read`, () => assert.throws(() => compileJsonPath(template), { message }));
}
