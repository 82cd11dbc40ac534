import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CelAuthorizer, authorizerType, type AccessQuestion } from './authorizer-library.ts';
import { CelCostError, CelError } from './cel.ts';
import { celTypes, escapeFieldName, unescapeFieldName } from './cel-type.ts';
import { compileCel } from './compile-cel.ts';
import { compileGoRegExp } from './go-regexp.ts';

const { dyn, int, string, list, map, object, double, timestamp } = celTypes;
const variables = {
  self: object('self', {
    n: int,
    d: double,
    s: string,
    l: list(int),
    m: map(string, string),
    at: timestamp,
    any: dyn,
    o: object('self.o', { x: string }),
  }),
  object: dyn,
};
const self = { n: 3, d: 2, s: 'hello', l: [1, 2, 3], m: { a: 'b' }, at: '2020-03-04T05:06:07Z', any: '5%', o: {} };
const obj = { metadata: { name: 'x', labels: { a: '1' } }, spec: { replicas: 3, ratio: 0.5, list: [{ v: 1 }, { v: 2 }] } };
const evaluate = (expression: string): unknown => compileCel(expression, { variables }).evaluate({ self, object: obj });

const results: [expression: string, result: unknown][] = [
  ['self.n + 1', 4],
  ['self.d / 4.0', 0.5],
  ['-self.n * 2 - 1 == -7', true],
  ['7 / 2 * 2 + 7 % 2', 7],
  ['self.s.startsWith("he") && !self.s.endsWith("x")', true],
  ['has(self.o.x) || has(self.m.a)', true],
  ['self.l.map(x, x * 2).filter(x, x > 2)', [4, 6]],
  ['self.l.all(x, x > 0) && self.l.exists_one(x, x == 2)', true],
  ['self.l.exists(x, 1 / (x - 1) > 0)', true],
  ['self.m.map(k, k)', ['a']],
  ['self.at + duration("1h")', '2020-03-04T06:06:07Z'],
  ['type(self.any) == string ? self.any.matches("^[0-9]+%$") : self.any > 4', true],
  ['object.spec.replicas + 1', 4],
  ['object.spec.replicas > 2.5', true],
  ['object.spec.ratio * 2.0', 1],
  ['object.spec.list.map(i, i.v)', [1, 2]],
  ['object.?spec.?missing.orValue("none")', 'none'],
  ['object.metadata.labels["a"] == "1"', true],
  ['"a" in object.metadata.labels && !("b" in object.metadata.labels)', true],
  ['{"a": [1], "b": [1, 2]}', { a: [1], b: [1, 2] }],
  ['[1, 2] + [3]', [1, 2, 3]],
  ['[?optional.none(), ?optional.of(2), 3]', [2, 3]],
  ['{?"a": optional.none(), "b": 1}', { b: 1 }],
  ['true || 1 / 0 == 1', true],
  ['1 / 0 == 1 || true', true],
  ['false && 1 / 0 == 1', false],
  ['"%s has %d".format([self.s, self.n])', 'hello has 3'],
  ['dyn(1) == 1.0', true],
  ['1u + 2u == 3u', true],
  ['r"\\d" + "\\u00e9\\n"', '\\d\u00e9\n'],
  ['self.l.transformList(i, v, i * v)', [0, 2, 6]],
  ['quantity("1Gi").isGreaterThan(quantity("1G"))', true],
  ['cidr("10.0.0.0/8").containsIP("10.1.2.3")', true],
  ['semver("1.2.3").isLessThan(semver("1.10.0"))', true],
  ['url("https://example.com:80/a?b=c").getHost()', 'example.com:80'],
  ['self.s.findAll("[lo]").size()', 3],
];

test('expressions have their values', () => {
  for (const [expression, result] of results) assert.deepEqual(evaluate(expression), result, expression);
});

const failures: [expression: string, message: string][] = [
  ['self.o.x == "a"', 'no such key: x'],
  ['self.l[7] == 1', 'index out of bounds: 7'],
  ['self.m["z"] == "a"', 'no such key: z'],
  ['self.n / 0 == 1', 'division by zero'],
  ['9223372036854775807 + self.n > 0', 'integer overflow'],
  ['self.any + 1 == 2', 'no such overload'],
  ['object.spec.replicas.startsWith("x")', 'no such overload: startsWith(int, string)'],
  ['optional.none().value() == 1', 'optional.none() dereference'],
];

test('expressions fail with the words of the real evaluator', () => {
  for (const [expression, message] of failures) assert.throws(() => evaluate(expression), new CelError(message), expression);
});

const issues: [expression: string, message: string][] = [
  ['self.foo == 1', "ERROR: <input>:1:5: undefined field 'foo'\n | self.foo == 1\n | ....^"],
  [
    'self.n +\n  self.s == 1',
    "ERROR: <input>:1:8: found no matching overload for '_+_' applied to '(int, string)'\n | self.n +\n | .......^",
  ],
  ['true &&\n nope', "ERROR: <input>:2:2: undeclared reference to 'nope' (in container '')\n |  nope\n | .^"],
  ['self.n b', "ERROR: <input>:1:8: Syntax error: extraneous input 'b' expecting <EOF>\n | self.n b\n | .......^"],
  [
    'self.s.all(x, true)',
    "ERROR: <input>:1:5: expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)\n | self.s.all(x, true)\n | ....^",
  ],
  ['self.s.matches("[")', 'ERROR: <input>:1:16: invalid matches argument\n | self.s.matches("[")\n | ...............^'],
];

test('what does not compile is told with its place', () => {
  for (const [expression, message] of issues)
    assert.throws(() => compileCel(expression, { variables }), { name: 'CelIssues', message }, expression);
});

test('literals that cannot be converted fail before evaluation', () => {
  assert.throws(() => compileCel('int("x") == 1', { variables }), new CelError("type conversion error from 'string' to 'int'"));
});

test('a program knows its result type and the variables it uses', () => {
  const program = compileCel('self.l.exists(object, object > 1)', { variables });
  assert.deepEqual([...program.references], ['self']);
  assert.deepEqual(program.resultType, celTypes.bool);
});

test('hostile expressions stop', () => {
  const hostile = [
    'lists.range(100000).all(a, lists.range(100000).all(b, a + b >= 0))',
    'lists.range(20).map(a, lists.range(9999).map(b, lists.range(9999)))',
    `${'"x" + '.repeat(200)}"x" == ${'"y"'}`.replace('"x"', 'lists.range(1000000).map(i, "abcdefghij").join("")'),
  ];
  for (const expression of hostile) {
    assert.throws(() => compileCel(expression, { variables }).evaluate({}), CelCostError, expression);
  }
  assert.throws(() => compileCel(`${'('.repeat(5000)}1${')'.repeat(5000)}`, { variables }), /recursion limit exceeded/);
  assert.throws(() => compileCel(`${'!'.repeat(5000)}true`, { variables }), /recursion limit exceeded/);
});

test('a budget pays for what was evaluated', () => {
  const budget = { remaining: 1000 };
  compileCel('self.l.all(x, x > 0)', { variables }).evaluate({ self }, budget);
  assert.ok(budget.remaining < 1000 && budget.remaining > 900);
});

test('an authorizer is asked what the expression spells out', () => {
  const asked: AccessQuestion[] = [];
  const authorizer = new CelAuthorizer(question => {
    asked.push(question);
    return { allowed: question.verb === 'get', reason: 'because' };
  });
  const ask = (expression: string): unknown =>
    compileCel(expression, { variables: { authorizer: authorizerType } }).evaluate({ authorizer });
  assert.equal(
    ask('authorizer.group("apps").resource("deployments").subresource("scale").namespace("a").name("b").check("get").allowed()'),
    true,
  );
  assert.equal(ask('authorizer.path("/healthz").check("put").allowed()'), false);
  assert.equal(ask('authorizer.serviceAccount("ns", "sa").group("").resource("pods").check("get").reason()'), 'because');
  assert.deepEqual(asked[0], { group: 'apps', resource: 'deployments', subresource: 'scale', namespace: 'a', name: 'b', verb: 'get' });
  assert.deepEqual(asked[2]?.serviceAccount, { namespace: 'ns', name: 'sa' });
});

test('objects may be built only where they are allowed', () => {
  assert.throws(() => compileCel('JSONPatch{op: "add"}', { variables }), /undeclared reference to 'JSONPatch'/);
  const program = compileCel('[JSONPatch{op: "add", path: "/a/" + jsonpatch.escapeKey("b/c"), value: 1}]', {
    variables,
    allowObjects: true,
  });
  assert.deepEqual(program.evaluate({}), [{ op: 'add', path: '/a/b~1c', value: 1 }]);
});

test('field names survive escaping', () => {
  for (const [name, escaped] of [
    ['a-b', 'a__dash__b'],
    ['a.b/c', 'a__dot__b__slash__c'],
    ['namespace', '__namespace__'],
    ['a__b', 'a__underscores__b'],
  ] as const) {
    assert.equal(escapeFieldName(name), escaped);
    assert.equal(unescapeFieldName(escaped), name);
  }
  assert.equal(escapeFieldName('1a'), undefined);
  assert.equal(escapeFieldName('a b'), undefined);
});

test('patterns mean the same to the native engine as to RE2', () => {
  const patterns = ['^[a-z]([-a-z0-9]*[a-z0-9])?$', 'a.c', '^\\d{2,4}$', '(foo|bar)+', '[^x]y', 'a{2}', '^(a|b)?c*$', '\\w+\\.\\w+'];
  fc.assert(
    fc.property(
      fc.constantFrom(...patterns),
      fc.string({ unit: fc.constantFrom(...'abcxy019.-foobar\n'), maxLength: 12 }),
      (pattern, text) => {
        const regExp = compileGoRegExp(pattern);
        assert.equal(regExp.test(text), regExp.find(text) !== undefined);
      },
    ),
  );
});
