import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../util/json.ts';
import { toGoValue } from '../go/to-go-value.ts';
import { TemplateSet } from '../template/template-set.ts';
import answers from './go-answers.json' with { type: 'json' };
import { sprigFunctions } from './sprig-functions.ts';

function render(text: string): { result: string } | { error: string } {
  const set = new TemplateSet(sprigFunctions, { limits: { steps: 1e6, output: 1e6, deadline: performance.now() + 60_000 } });
  try {
    set.parse('t', text);
    return { result: set.execute('t', toGoValue(answers.data as Json)) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

test('functions give the results and the errors that Sprig gives', async t => {
  for (const { template, ...expected } of answers.cases) {
    await t.test(JSON.stringify(template), () => assert.deepEqual(render(template), expected));
  }
});
