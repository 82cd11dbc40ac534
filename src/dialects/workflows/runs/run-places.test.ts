import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOfRun, type RunWithStatus } from './run-facts.ts';
import { runPlaces } from './run-places.ts';
import type { RunStatus } from './run-status.ts';

const run = (name: string, status?: RunStatus): RunWithStatus =>
  ({
    apiVersion: 'delivery.drover.io/v1alpha1',
    kind: 'WorkflowRun',
    metadata: { namespace: 'shop', name, uid: name, creationTimestamp: '2026-11-17T04:35:02Z' },
    spec: { workflowRef: { name } },
    ...(status && { status }),
  }) as RunWithStatus;

/** What a run is made of, as far as its place depends on it. */
const made = (infrastructure: string): RunStatus =>
  ({
    phase: 'Queued',
    snapshot: {
      workflow: { spec: {} },
      provider: { name: 'hub' },
      infrastructure: { name: infrastructure, namespace: infrastructure, releaseName: 'web' },
      service: 'web',
      services: { web: { artifact: { name: 'image', tag: infrastructure } } },
    },
  }) as unknown as RunStatus;

test('who waited for a run of another line is looked at again when that line is known', () => {
  const places = runPlaces();
  places.note(run('first'));
  places.note(run('second', made('east')));
  assert.equal(places.factsFor(run('second', made('east'))).queue.ahead, 1, 'it could be the same line');

  places.note(run('first', made('west')));

  assert.deepEqual(places.neighbours('shop/first'), ['shop/second']);
  assert.equal(places.factsFor(run('second', made('east'))).queue.ahead, 0);
});

test('whoever has ended waits for nobody', () => {
  const places = runPlaces();
  places.note(run('first'));
  places.note(run('second', { ...made('east'), phase: 'Aborted' }));
  places.note(run('first', made('west')));
  assert.deepEqual(places.neighbours('shop/first'), []);
});

test('of two runs of the same second the one that was asked for first goes first, in whatever order they are seen', () => {
  const places = runPlaces();
  const at = (name: string, requestedAt: string): RunWithStatus => {
    const one = run(name, made('east'));
    return { ...one, metadata: { ...one.metadata, annotations: { 'delivery.drover.io/requested-at': requestedAt } } };
  };
  const second = at('a', '2026-11-17T04:35:02.500001Z');
  const first = at('b', '2026-11-17T04:35:02.500000Z');
  // As a hub reads them that was started anew: by name.
  places.note(second);
  places.note(first);

  assert.equal(places.factsFor(first).queue.ahead, 0);
  assert.equal(places.factsFor(second).queue.ahead, 1);
});

test('a later run takes the place of one with the same release on the same clusters only, in whatever namespace', () => {
  const places = runPlaces();
  const on = (name: string, infrastructure: string, clusters: string[], second: number): RunWithStatus => {
    const status = made('east');
    const resolvedClusters = clusters.map(id => ({ id, name: id }));
    const counts = { total: clusters.length, succeeded: clusters.length };
    Object.assign(status.snapshot!.infrastructure, { name: infrastructure });
    const one = run(name, { ...status, phase: 'Succeeded', startedAt: `2026-11-17T04:35:0${second}Z`, resolvedClusters, clusters: counts });
    return { ...one, metadata: { ...one.metadata, namespace: name } };
  };
  const prod = on('prod', 'prod', ['p1', 'p2'], 1);
  places.note(prod);
  places.note(on('dev', 'dev', ['d1'], 2));
  assert.equal(places.factsFor(prod).isNewest, true, 'dev has other clusters');

  places.note(on('other', 'other', ['d1', 'p2'], 3));
  assert.equal(places.factsFor(prod).isNewest, false);
});

test('the newest run that succeeded tells what it deployed', () => {
  const places = runPlaces();
  places.note(run('web', { ...made('1.0'), phase: 'Succeeded', releaseNo: 1 }));
  const next = { ...run('next'), spec: { workflowRef: { name: 'web' } } };
  const { lastGood } = places.factsFor(next);
  assert.deepEqual(lastGood, { releaseNo: 1, name: 'web', artifact: { name: 'image', tag: '1.0' } });
  const begun = {
    ...next,
    status: { engine: { lastId: 0, leg: 0, stage: 'Before' as const, lastGood: { ...lastGood! } }, url: 'https://hub.example/x' },
  };
  const facts = factsOfRun(begun);
  assert.equal(facts.rollbackArtifact?.['buildNo'], '1.0');
  assert.equal(facts.run?.url, 'https://hub.example/x');
});
