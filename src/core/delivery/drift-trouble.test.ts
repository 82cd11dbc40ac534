import assert from 'node:assert/strict';
import { test } from 'node:test';
import { driftTrouble } from './drift-trouble.ts';

const object = { group: '', version: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'web' };
const quiet = { count: 1, fights: [], failures: [] };

test('drift that is about to be put right is no trouble', () => {
  assert.equal(driftTrouble(quiet), undefined);
});

test('whoever changes an object back each time is named', () => {
  const fight = { object, manager: 'argo (Apply)', corrections: 3, nextTryAt: new Date() };
  assert.equal(
    driftTrouble({ ...quiet, fights: [fight] }),
    '"argo (Apply)" changes ConfigMap shop/web back each time, and corrections wait longer and longer',
  );
});

test('a correction that the member refuses is told with its reason', () => {
  const error = new Error('cannot apply ConfigMap shop/web', { cause: new Error('it is immutable') });
  assert.equal(
    driftTrouble({ ...quiet, failures: [{ object, error }] }),
    'it cannot be put right: cannot apply ConfigMap shop/web: it is immutable',
  );
});
