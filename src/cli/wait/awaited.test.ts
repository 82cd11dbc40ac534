import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../util/json.ts';
import { parseAwaited } from './awaited.ts';

const object = (status: JsonObject, generation = 1): JsonObject => ({ metadata: { name: 'a', generation }, status });
const ready = (status: string, observedGeneration = 1): JsonObject =>
  object({ conditions: [{ type: 'Ready', status, reason: 'Why', message: 'because', observedGeneration }] }, 1);
const verdict = (text: string, of: JsonObject) => {
  const { isDone, state } = parseAwaited(text).judge(of);
  return `${isDone ? 'yes' : 'no'}: ${state}`;
};

test('a condition has to have the value, and to be about the present spec', () => {
  assert.equal(verdict('condition=ready', ready('True')), 'yes: ready is True: because');
  assert.equal(verdict('condition=Ready', ready('False')), 'no: Ready is False: because');
  assert.equal(verdict('condition=Ready=false', ready('False')), 'yes: Ready is False: because');
  assert.equal(verdict('condition=Ready', ready('True', 0)), 'no: was changed and not looked at since');
  assert.equal(verdict('condition=Ready', object({})), 'no: has no condition Ready yet');
});

test('a path has to lead to the value, or anywhere', () => {
  const running = object({ phase: 'Running' });
  assert.equal(verdict('jsonpath={.status.phase}=Running', running), 'yes: {.status.phase} is Running');
  assert.equal(verdict('jsonpath=.status.phase=Done', running), 'no: .status.phase is Running');
  assert.equal(verdict('jsonpath={.status.phase}', running), 'yes: {.status.phase} is Running');
  assert.equal(verdict('jsonpath={.status.other}', running), 'no: has no {.status.other}');
});

test('going and coming are told apart', () => {
  assert.deepEqual(
    [parseAwaited('delete').absence, parseAwaited('create').absence, parseAwaited('condition=A').absence],
    ['goal', 'start', 'failure'],
  );
  assert.equal(verdict('delete', { metadata: { name: 'a', deletionTimestamp: 'now' } }), 'no: is being deleted');
  for (const text of ['', 'condition=', 'jsonpath={.a', 'soon']) assert.throws(() => parseAwaited(text), text);
});
