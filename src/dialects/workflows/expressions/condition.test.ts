import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionPaths, evaluateCondition } from './condition.ts';
import { UnresolvedExpression } from './expression-error.ts';

const known: Readonly<Record<string, unknown>> = {
  'env.name': 'prod',
  'workflow.variables.dry': 'false',
  'workflow.variables.version': '1.10',
  result: [0.97, 12],
  httpResponseCode: 503,
  'context.approval': { approvalStatus: 'SUCCESS' },
};
const scope = (path: string): unknown => known[path];

const judged: readonly (readonly [string, boolean])[] = [
  ['true', true],
  ['${env.name} == "prod"', true],
  ['env.name != "prod"', false],
  ['${env.name} == "prod" && !${workflow.variables.dry}', true],
  ['${env.name == "prod"}', true],
  ['result[0] >= 0.95 && result[1] < 20', true],
  ['httpResponseCode >= 500', true],
  ['httpResponseCode == "503"', true],
  ['workflow.variables.version == "1.1"', false],
  ['workflow.variables.version < "1.9"', true],
  ['"b" > "a"', true],
  ['false || (true && env.name.startsWith("pr"))', true],
  ['${context.approval.approvalStatus} == "SUCCESS"', true],
  ['true || gone.away', true],
  ['false && gone.away', false],
  ['gone.away == null', true],
  ['env.name != null', true],
  ['!!true', true],
  ['1 < 2 == true', true],
];
for (const [text, wanted] of judged) test(`${text} is ${wanted}`, () => assert.equal(evaluateCondition(text, scope), wanted));

for (const text of ['${gone.away} == "x"', 'gone.away', '!gone.away', 'false || gone.away']) {
  test(`${text} is unresolved`, () => {
    assert.throws(() => evaluateCondition(text, scope), new UnresolvedExpression('gone.away', textAt(text)));
  });
}

/** Where the part is that could not be decided. */
function textAt(text: string): number {
  if (text.includes('==')) return text.indexOf('==');
  return text.startsWith('!') ? 0 : text.includes('||') ? text.indexOf('||') : 0;
}

const wrong: readonly (readonly [string, string])[] = [
  ['env.name', '"prod" is neither true nor false'],
  ['env.name == ', 'the expression ends too early'],
  ['(true', '")" is missing'],
  ['true true', 'unexpected "true"'],
  ['env.name = "prod"', 'unexpected "="'],
  ['', 'the expression ends too early'],
];
for (const [text, message] of wrong) {
  test(`"${text}" is an error`, () => assert.throws(() => evaluateCondition(text, scope), { name: 'ExpressionError', message }));
}

test('the paths of a condition are those it names', () => {
  assert.deepEqual(conditionPaths('${a.b} == c.d && !e[f.g]'), ['a.b', 'c.d', 'e', 'f.g']);
});
