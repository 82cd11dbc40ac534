import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newObject } from './define-kind.ts';
import { whyNotReapplied } from './why-not-reapplied.ts';
import { Work } from './work.ts';

const work = (spec: Partial<Work['spec']>, more: Partial<Work> = {}) => ({
  ...newObject(Work, { namespace: 'c', name: 'w' }, { release: { name: 'r', namespace: 'n' }, manifests: [], ...spec }),
  ...more,
});

test('what would not be delivered anyway is not applied again, and says why', () => {
  assert.equal(whyNotReapplied(work({})), undefined);
  assert.equal(whyNotReapplied(work({ sync: 'CorrectDrift' })), undefined);
  assert.match(whyNotReapplied(work({ suspend: true })) ?? '', /suspended/);
  assert.match(whyNotReapplied(work({ sync: 'Once' })) ?? '', /Once/);
  assert.match(whyNotReapplied(work({ sync: 'DryRun' })) ?? '', /only tells/);
  assert.match(whyNotReapplied(work({}, { status: { outrankedBy: { work: 'other', priority: 5 } } })) ?? '', /outranked by other/);
});
