import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareOutcomes } from './compare.ts';
import { normalise, type Outcome } from './normalise.ts';

const nowMs = Date.parse('2026-05-05T12:00:00Z');
const outcome = (body: unknown, extra: Partial<Outcome> = {}): Outcome => ({ title: 't', code: 200, headers: {}, body, ...extra });
const bodies = (...outcomes: Outcome[]): unknown[] => normalise(outcomes, { substitutions: [], nowMs }).map(o => o['body']);
const object = (metadata: object, rest: object = {}): object => ({ kind: 'ConfigMap', metadata, ...rest });

test('uids are numbered in order of appearance, whatever they are', () => {
  const run = (a: string, b: string): unknown => bodies(outcome(object({ uid: a, owner: b })), outcome({ message: `uid ${b}` }));
  assert.deepEqual(
    run('11111111-2222-4333-8444-555555555555', '21111111-2222-4333-8444-555555555555'),
    run('31111111-2222-4333-8444-555555555555', '01111111-2222-4333-8444-555555555555'),
  );
});

test('resource versions become ranks, so a write that should not happen shows', () => {
  const [first, second] = bodies(outcome(object({ resourceVersion: '100' })), outcome(object({ resourceVersion: '107' })));
  const [same, again] = bodies(outcome(object({ resourceVersion: '9' })), outcome(object({ resourceVersion: '9' })));
  assert.deepEqual(first, same);
  assert.notDeepEqual(second, again);
});

test('the version of a list is only known to be there', () => {
  assert.deepEqual(bodies(outcome({ kind: 'PodList', metadata: { resourceVersion: '5' }, items: [] })), [
    { items: [], kind: 'PodList', metadata: { resourceVersion: '<list version>' } },
  ]);
});

test('present times lose their value and keep their form, old times stay', () => {
  assert.deepEqual(bodies(outcome(['2026-05-05T11:59:59Z', '2026-05-05T11:59:59.123456Z', '2001-01-01T00:00:00Z'])), [
    ['<time>', '<time with 6 digits>', '2001-01-01T00:00:00Z'],
  ]);
});

test('generated names are numbered and recognised elsewhere', () => {
  assert.deepEqual(
    bodies(outcome(object({ generateName: 'x-', name: 'x-bcd45' })), outcome({ message: 'configmaps "x-bcd45" not found' })),
    [
      { kind: 'ConfigMap', metadata: { generateName: 'x-', name: 'x-<generated 1>' } },
      { message: 'configmaps "x-<generated 1>" not found' },
    ],
  );
});

test('the order of causes does not matter, a missing cause does', () => {
  const status = (...fields: string[]): Outcome =>
    outcome({
      kind: 'Status',
      message: `X is invalid: [${fields.map(f => `${f}: Required value`).join(', ')}]`,
      details: { causes: fields.map(field => ({ field, message: 'Required value' })) },
    });
  assert.deepEqual(bodies(status('a', 'b')), bodies(status('b', 'a')));
  assert.notDeepEqual(bodies(status('a', 'b')), bodies(status('a', 'c')));
});

test('ignored paths vanish and others are compared', () => {
  const run = (value: string, ignore: string[]): unknown => bodies(outcome({ a: { b: value }, list: [value] }, { ignore }));
  assert.deepEqual(run('1', ['a\\.b', 'list\\.0']), run('2', ['a\\.b', 'list\\.0']));
  assert.notDeepEqual(run('1', ['a\\.b']), run('2', ['a\\.b']));
});

test('a difference is told by step and line', () => {
  const [difference] = compareOutcomes([{ title: 'GET /x', code: 200 }], [{ title: 'GET /x', code: 404 }]);
  assert.match(difference?.title ?? '', /step 1: GET \/x/);
  assert.match(difference?.text ?? '', /- +"code": 200\n\+ +"code": 404/);
});
