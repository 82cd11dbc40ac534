import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isClean, judge, type History } from './history.ts';

const clean: History = {
  attempts: [
    { key: 'a', operation: 'create', sequence: 1, acknowledgedRevision: 10 },
    { key: 'a', operation: 'update', sequence: 2, acknowledgedRevision: 11 },
    { key: 'b', operation: 'create', sequence: 1, acknowledgedRevision: 12 },
    { key: 'b', operation: 'delete', sequence: 1, acknowledgedRevision: 13 },
    { key: 'a', operation: 'update', sequence: 3 },
  ],
  watches: [
    [
      { type: 'ADDED', key: 'a', sequence: 1, revision: 10 },
      { type: 'MODIFIED', key: 'a', sequence: 2, revision: 11 },
      { type: 'ADDED', key: 'b', sequence: 1, revision: 12 },
      { type: 'DELETED', key: 'b', sequence: 1, revision: 13 },
    ],
  ],
  final: [{ key: 'a', sequence: 2, revision: 11 }],
};

test('accepts a history in which an unanswered write did not happen', () => assert.ok(isClean(judge(clean))));

test('accepts a history in which an unanswered write did happen', () => {
  const seen = [...clean.watches[0]!, { type: 'MODIFIED', key: 'a', sequence: 3, revision: 14 } as const];
  assert.ok(isClean(judge({ ...clean, watches: [seen], final: [{ key: 'a', sequence: 3, revision: 14 }] })));
});

test('finds a lost write', () => {
  assert.equal(judge({ ...clean, final: [{ key: 'a', sequence: 1, revision: 10 }] }).lost.length, 1);
  assert.equal(judge({ ...clean, final: [] }).lost.length, 1);
});

test('finds a deletion that came back', () => {
  const back = { key: 'b', sequence: 1, revision: 12 };
  assert.equal(judge({ ...clean, final: [...clean.final, back] }).lost.length, 1);
});

test('finds content that nobody wrote', () => {
  assert.ok(judge({ ...clean, final: [{ key: 'c', sequence: 9, revision: 9 }, ...clean.final] }).phantom.length > 0);
});

test('finds missed, repeated and reordered events', () => {
  const [seen] = clean.watches as [readonly (typeof clean.watches)[0][number][]];
  assert.equal(judge({ ...clean, watches: [seen.slice(1)] }).missed.length, 1);
  assert.equal(judge({ ...clean, watches: [[...seen, seen[0]!]] }).repeated.length, 1);
  assert.equal(judge({ ...clean, watches: [[seen[1]!, seen[0]!, ...seen.slice(2)]] }).outOfOrder.length, 1);
});
