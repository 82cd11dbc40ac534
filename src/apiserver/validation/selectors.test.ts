import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { StatusError } from '../../api/status.ts';
import { fieldLabelProblem, parseFieldSelector, escapeFieldValue } from './field-selector.ts';
import { parseLabelSelector, printLabelSelector, printRequirements, selectorMatches, validateLabelSelector } from './label-selector.ts';

const failure = (parse: () => unknown): string => {
  try {
    parse();
  } catch (e) {
    if (e instanceof StatusError && e.code === 400) return e.message;
    throw e;
  }
  return '';
};

const labels = { app: 'web', tier: 'front', replicas: '5' };
const matching: [string, boolean][] = [
  ['', true],
  ['app=web', true],
  ['app==web,tier=front', true],
  ['app!=web', false],
  ['none!=web', true],
  ['app in (web,db)', true],
  ['app notin (web)', false],
  ['none notin (web)', true],
  ['app', true],
  ['!app', false],
  ['!none', true],
  ['replicas>4', true],
  ['replicas<5', false],
  ['app in ()', false],
  ['in in (a)', false],
];
for (const [text, expected] of matching)
  test(`label selector "${text}" ${expected ? 'matches' : 'does not match'}`, () =>
    assert.equal(parseLabelSelector(text).matches(labels), expected));

const keyText =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const refused: [string, string][] = [
  ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ['a=b=c', "found '=', expected: ',' or 'end of string'"],
  ['a,', "found '', expected: identifier after ','"],
  ['=a', "found '=', expected: !, identifier, or 'end of string'"],
  ['a in b', "unable to parse requirement: found 'b' expected: '('"],
  ['a>b', `unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`],
  ['_a', `unable to parse requirement: <nil>: Invalid value: "_a": ${keyText}`],
];
for (const [text, expected] of refused)
  test(`label selector "${text}" is refused`, () =>
    assert.equal(
      failure(() => parseLabelSelector(text)),
      expected,
    ));

test('a printed selector parses to itself', () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
  const requirement = fc.oneof(
    word,
    word.map(k => `!${k}`),
    fc.tuple(word, fc.constantFrom('=', '==', '!='), word).map(p => p.join('')),
    fc
      .tuple(word, fc.constantFrom('in', 'notin'), fc.array(word, { minLength: 1, maxLength: 4 }))
      .map(([k, o, v]) => `${k} ${o} (${v.join(',')})`),
  );
  fc.assert(
    fc.property(fc.array(requirement, { maxLength: 5 }), parts => {
      const once = printRequirements(parseLabelSelector(parts.join(',')).requirements);
      assert.equal(printRequirements(parseLabelSelector(once).requirements), once);
    }),
    { numRuns: 200 },
  );
});

test('a structured selector prints sorted and matches', () => {
  const selector = { matchLabels: { b: '1' }, matchExpressions: [{ key: 'a', operator: 'In', values: ['y', 'x'] }] };
  assert.equal(printLabelSelector(selector), 'a in (x,y),b=1');
  assert.equal(selectorMatches(selector, { a: 'x', b: '1' }), true);
  assert.equal(selectorMatches({}, {}), true);
  assert.equal(selectorMatches(undefined, {}), false);
});

test('a structured selector is validated', () => {
  const errors = validateLabelSelector(
    {
      matchExpressions: [
        { key: 'a', operator: 'In' },
        { key: 'a', operator: 'Exists', values: ['x'] },
        { key: 'a', operator: 'Like' },
      ],
    },
    'spec.selector',
  );
  assert.deepEqual(
    errors.map(e => `${e.field}: ${e.message}`),
    [
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      "spec.selector.matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      'spec.selector.matchExpressions[2].operator: Invalid value: "Like": not a valid selector operator',
    ],
  );
});

test('a field selector parses operators and escapes', () => {
  assert.deepEqual(parseFieldSelector('metadata.name=a\\,b,status.phase!=Running,x==y').requirements, [
    { field: 'metadata.name', operator: '=', value: 'a,b' },
    { field: 'status.phase', operator: '!=', value: 'Running' },
    { field: 'x', operator: '=', value: 'y' },
  ]);
});

const fieldFailures: [string, string][] = [
  ['abc', "invalid selector: 'abc'; can't understand 'abc'"],
  ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
  ['a=\\x', 'invalid field selector: invalid escape sequence: \\x'],
];
for (const [text, expected] of fieldFailures)
  test(`field selector "${text}" is refused`, () =>
    assert.equal(
      failure(() => parseFieldSelector(text)),
      expected,
    ));

test('an escaped value survives', () => {
  fc.assert(fc.property(fc.string(), value => parseFieldSelector(`f=${escapeFieldValue(value)}`).requirements[0]?.value === value));
});

test('unknown field labels are named as each kind names them', () => {
  const base = { group: '', version: 'v1', isCustom: false };
  assert.equal(
    fieldLabelProblem({ ...base, kind: 'ConfigMap', selectableFields: {} }, 'x'),
    '"x" is not a known field selector: only "metadata.name", "metadata.namespace"',
  );
  assert.equal(fieldLabelProblem({ ...base, kind: 'Secret', selectableFields: { type: 1 } }, 'x'), 'field label not supported: x');
  assert.equal(fieldLabelProblem({ ...base, kind: 'Secret', selectableFields: { type: 1 } }, 'metadata.namespace'), undefined);
});
