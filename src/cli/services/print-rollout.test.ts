import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterEntry } from '../../api/rollout.ts';
import { printRollout } from './print-rollout.ts';

const entry = (name: string, state: ClusterEntry['state'], more: Partial<ClusterEntry> = {}): ClusterEntry => ({ name, state, ...more });

test('shows waves with their clusters, and why they are where they are', () => {
  const text = printRollout({
    revision: 'r2',
    phase: 'Progressing',
    waves: [
      { name: 'canary', phase: 'Done', clusters: [entry('a', 'Succeeded'), entry('b', 'Failed', { message: 'no\n\u001b[31mpods' })] },
      { name: 'rest', phase: 'Pending', clusters: [entry('c', 'Deferred', { reason: 'Held' })] },
      { name: 'none', phase: 'Skipped', clusters: [] },
    ],
  });
  assert.deepEqual(
    text.split('\n').map(line => line.trimEnd()),
    [
      'WAVE     PHASE     CLUSTER   STATE       WHY',
      'canary   Done      a         Succeeded',
      '                   b         Failed      no \\u001b[31mpods',
      'rest     Pending   c         Deferred    Held',
      'none     Skipped',
      '',
    ],
  );
});

test('of many clusters those are shown that need somebody', () => {
  const clusters = Array.from({ length: 30 }, (_, i) => entry(`c${i}`, i === 29 ? 'Failed' : i === 28 ? 'Running' : 'Pending'));
  const lines = printRollout({ revision: 'r', phase: 'Progressing', waves: [{ name: 'all', phase: 'Running', clusters }] }).split('\n');
  assert.match(lines[1]!, /all +Running +c29 +Failed/);
  assert.match(lines[2]!, /c28 +Running/);
  assert.match(lines[11]!, /and 20 more/);
});
