import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newObject } from '../../api/define-kind.ts';
import { Work } from '../../api/work.ts';
import { readinessNews } from './readiness-news.ts';

type Ready = readonly [status: 'True' | 'False' | 'Unknown', reason: string];

const statusOf = (ready: Ready | undefined): NonNullable<Work['status']> => ({
  conditions: ready
    ? [{ type: 'Ready', status: ready[0], reason: ready[1], message: 'words', lastTransitionTime: '2026-01-01T00:00:00Z' }]
    : [],
});

function told(was: Ready | undefined, now: Ready): string | undefined {
  const work = {
    ...newObject(Work, { name: 'web', namespace: 'c' }, { release: { name: 'web', namespace: 'shop' }, manifests: [] }),
    status: statusOf(was),
  };
  const news = readinessNews(work, statusOf(now));
  return news && `${news.type} ${news.reason}`;
}

test('what changes for people is told once, and what is under way is not', () => {
  assert.equal(told(undefined, ['True', 'Healthy']), 'Normal Healthy');
  assert.equal(told(['True', 'Healthy'], ['False', 'Unhealthy']), 'Warning Unhealthy');
  assert.equal(told(['True', 'Healthy'], ['False', 'Drifted']), 'Warning Drifted');
  assert.equal(told(['False', 'Delivering'], ['False', 'Outranked']), 'Normal Outranked');
  assert.equal(told(['False', 'Progressing'], ['False', 'TimedOut']), 'Warning TimedOut');
  assert.equal(told(['False', 'Unhealthy'], ['True', 'Healthy']), 'Normal Healthy');
  for (const [was, now] of [
    [
      ['False', 'Unhealthy'],
      ['False', 'Unhealthy'],
    ],
    [
      ['True', 'Healthy'],
      ['True', 'Delivered'],
    ],
    [
      ['True', 'Healthy'],
      ['False', 'Progressing'],
    ],
    [undefined, ['False', 'Delivering']],
    [
      ['True', 'Healthy'],
      ['Unknown', 'ClusterUnreachable'],
    ],
  ] as const)
    assert.equal(told(was, now), undefined, `${was?.join(' ')} > ${now.join(' ')}`);
});
