import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../util/json.ts';
import * as types from '../go/go-type.ts';
import { GoError, GoFunction, type GoMap } from '../go/go-value.ts';
import { toGoValue } from '../go/to-go-value.ts';
import answers from './go-answers.json' with { type: 'json' };
import { TemplateSet } from './template-set.ts';

const functions = new Map<string, GoFunction>([
  ['str', new GoFunction([types.stringType], args => args[0])],
  ['i', new GoFunction([types.intType], args => args[0])],
  ['f', new GoFunction([types.float64Type], args => args[0])],
  ['b', new GoFunction([types.boolType], args => args[0])],
  ['any', new GoFunction([types.anyType], args => args[0])],
  ['list', new GoFunction([types.anyType], args => args, true)],
  ['m', new GoFunction([types.anyMap], args => (args[0] as GoMap).size)],
  [
    'fail',
    new GoFunction([types.stringType], args => {
      throw new GoError(args[0] as string);
    }),
  ],
]);

function render(text: string): { result: string } | { error: string } {
  const set = new TemplateSet(functions, { limits: { steps: 1e6, output: 1e6, deadline: performance.now() + 60_000 } });
  try {
    set.parse('t', text);
    return { result: set.execute('t', toGoValue(answers.data as Json)) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

test('templates give the results and the errors that Go gives', async t => {
  for (const { template, ...expected } of answers.cases) {
    await t.test(JSON.stringify(template), () => assert.deepEqual(render(template), expected));
  }
});

test('a template that never ends is stopped', () => {
  const endless = '{{define "x"}}{{range 1000000}}{{range 1000000}}{{end}}{{end}}{{end}}{{template "x"}}';
  assert.match((render(endless) as { error: string }).error, /takes too many steps/);
});

test('a template that calls itself for ever is stopped', () => {
  assert.match(
    (render('{{define "x"}}{{template "x"}}{{end}}{{template "x"}}') as { error: string }).error,
    /exceeded maximum template depth/,
  );
});

test('a template that writes without end is stopped', () => {
  assert.match((render(`{{range 1000000}}${'x'.repeat(100)}{{end}}`) as { error: string }).error, /output is too large/);
});
