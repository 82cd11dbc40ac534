import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newObject } from '../../api/define-kind.ts';
import { Work, workAnnotations } from '../../api/work.ts';
import { digestOf } from '../../sources/digest.ts';
import { sourceDigest, sourceOf, wantedContent } from './wanted-content.ts';

const digest = digestOf('x');
const release = { name: 'web', namespace: 'web' };
const work = (spec: Partial<Work['spec']>, contentOf?: string): Work =>
  newObject(
    Work,
    { name: 'web', ...(contentOf !== undefined && { annotations: { [workAnnotations.contentOf]: contentOf } }) },
    { release, ...spec },
  );

test('manifests in the Work need no content', () => {
  assert.equal(wantedContent(work({ manifests: [] })), undefined);
});

test('content that is named is wanted', () => {
  assert.deepEqual(wantedContent(work({ content: digest })), { digest });
  assert.deepEqual(wantedContent(work({ chart: { content: digest } })), { digest });
  assert.deepEqual(wantedContent(work({ chart: { content: digest, repository: 'https://a' } })), { digest });
});

test('a Work waits until its source was fetched, and again when the source has changed', () => {
  const chart = { repository: 'https://charts.example.com', name: 'web', version: '1.x' };
  const fetched = sourceDigest(sourceOf(work({ chart }))!);
  assert.equal(wantedContent(work({ chart })), 'waiting');
  assert.deepEqual(wantedContent(work({ chart: { ...chart, content: digest } }, fetched)), { digest });
  assert.equal(wantedContent(work({ chart: { ...chart, version: '2.x', content: digest } }, fetched)), 'waiting');
  assert.equal(wantedContent(work({ kustomization: { repository: chart.repository, content: digest } }, fetched)), 'waiting');
});

test('another Secret for the same source changes nothing', () => {
  const of = (secretName: string) => sourceDigest(sourceOf(work({ chart: { repository: 'https://a', secretName } }))!);
  assert.equal(of('a'), of('b'));
});
