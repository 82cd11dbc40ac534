import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ControllerRevision } from '../../api/builtin-kinds.ts';
import { newObject } from '../../api/define-kind.ts';
import { revisionMarks, Work } from '../../api/work.ts';
import type { ReleaseRecord } from '../../core/releases/release-record.ts';
import { joinRevisions } from './work-revisions.ts';

const work = newObject(Work, { name: 'web', namespace: 'c-m-1' }, { release: { name: 'web', namespace: 'shop' } });

function kept(revision: number, inputs: string, data: object = { chart: { name: 'web', version: '1.0.0' } }): ControllerRevision {
  const annotations = { [revisionMarks.inputs]: inputs, [revisionMarks.changedBy]: 'ann' };
  const metadata = { name: `web-${revision}`, creationTimestamp: '2026-05-01T11:00:00Z', annotations };
  return { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata, revision, data } as ControllerRevision;
}

function record(revision: number, status: string, inputs?: string): ReleaseRecord {
  const chart = { metadata: { name: 'web', version: `1.${revision}.0` }, parts: [] };
  const release = { revision, status, chart, lastDeployedAt: `2026-05-01T12:0${revision}:00Z` };
  return { release, progress: inputs === undefined ? undefined : { inputs, attempt: 1, ended: [] } } as unknown as ReleaseRecord;
}

test('a spec goes with the last release that was made from it', () => {
  const records = [record(1, 'superseded', 'a'), record(2, 'superseded', 'b'), record(3, 'superseded', 'a'), record(4, 'deployed')];
  const joined = joinRevisions(work, [kept(2, 'b'), kept(3, 'a'), kept(4, 'c')], records);
  assert.deepEqual(
    joined.map(({ revision, helmRevision, what, state, at, changedBy, isPresent }) => [
      revision,
      helmRevision,
      what,
      state,
      at,
      changedBy,
      isPresent,
    ]),
    [
      [2, 2, 'web-1.2.0', 'superseded', '2026-05-01T12:02:00Z', 'ann', false],
      [3, 3, 'web-1.3.0', 'superseded', '2026-05-01T12:03:00Z', 'ann', false],
      [4, null, 'web-1.0.0', null, '2026-05-01T11:00:00Z', 'ann', true],
    ],
  );
});

test('without releases the last delivery says what it can', () => {
  const delivered = { inputs: 'b', revision: 7, state: 'Failed' as const, chart: 'web-1.1.0', at: '2026-05-01T11:00:00Z' };
  const joined = joinRevisions({ ...work, status: { delivered } }, [kept(1, 'a', { manifests: [] }), kept(2, 'b')], []);
  assert.deepEqual(
    joined.map(({ what, helmRevision, state }) => [what, helmRevision, state]),
    [
      ['manifests', null, 'superseded'],
      ['web-1.1.0', 7, 'failed'],
    ],
  );
});
