import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { RolloutSpec } from '../../api/rollout.ts';
import { planWaves, waveOfLatecomer } from './plan-waves.ts';
import { durationMs } from '../../util/duration.ts';
import { countOf } from './rollout-limits.ts';

const cluster = (name: string, labels: Record<string, string> = {}) => ({ name, labels });
const fleet = [
  cluster('ns/a', { tier: 'prod', order: '3' }),
  cluster('ns/b', { tier: 'canary', order: '10' }),
  cluster('ns/c', { tier: 'prod', order: '20' }),
  cluster('ns/d', { tier: 'prod' }),
  cluster('ns/e', { tier: 'lab' }),
];
const planned = (spec: RolloutSpec) => planWaves(fleet, spec).waves.map(({ name, clusters }) => `${name}: ${clusters.join(' ')}`.trim());

test('all clusters are one wave when none is named', () => {
  assert.deepEqual(planned({}), ['all: ns/a ns/b ns/c ns/d ns/e']);
});

test('a cluster joins the first wave that selects it, and the last takes who is left', () => {
  const spec: RolloutSpec = {
    waves: [
      { name: 'canary', clusterSelector: { matchLabels: { tier: 'canary' } } },
      { name: 'named', clusterNames: ['c', 'ns/b'] },
      { name: 'prod', clusterSelector: { matchExpressions: [{ key: 'tier', operator: 'In', values: ['prod', 'canary'] }] } },
    ],
  };
  assert.deepEqual(planned(spec), ['canary: ns/b', 'named: ns/c', 'prod: ns/a ns/d ns/e']);
  const skipped = planWaves(fleet, { ...spec, unassigned: 'Skip' });
  assert.deepEqual(skipped.waves.at(-1)?.clusters, ['ns/a', 'ns/d']);
  assert.deepEqual(skipped.unassigned, ['ns/e']);
});

test('shares are of all clusters, rounded down and never none, and are taken in order', () => {
  const waves = [
    { name: 'first', count: '10%' },
    { name: 'second', count: '40%' },
    { name: 'rest', remainder: true },
  ];
  assert.deepEqual(planned({ waves, orderBy: 'order' }), ['first: ns/a', 'second: ns/b ns/c', 'rest: ns/d ns/e']);
  assert.deepEqual(
    planned({
      waves: [
        { name: 'none', count: 0 },
        { name: 'two', count: 2, orderBy: 'order' },
        { name: 'rest', remainder: true },
      ],
    }),
    ['none:', 'two: ns/a ns/b', 'rest: ns/c ns/d ns/e'],
  );
});

test('who comes later joins the wave that selects it, never one of a number of clusters', () => {
  const waves = [
    { name: 'some', count: 5 },
    { name: 'prod', clusterSelector: { matchLabels: { tier: 'prod' } } },
    { name: 'last', clusterNames: ['ns/x'] },
  ];
  assert.equal(waveOfLatecomer(cluster('ns/z', { tier: 'prod' }), { waves }), 'prod');
  assert.equal(waveOfLatecomer(cluster('ns/z'), { waves }), 'last');
  assert.equal(waveOfLatecomer(cluster('ns/z'), { waves, unassigned: 'Skip' }), undefined);
});

test("every cluster is in exactly one wave, or is nobody's", () => {
  const selection = fc.oneof(
    fc.record({
      count: fc.oneof(
        fc.nat(6),
        fc.nat(120).map(share => `${share}%`),
      ),
    }),
    fc.record({ clusterNames: fc.array(fc.constantFrom('a', 'b', 'ns/c', 'z')) }),
    fc.record({ clusterSelector: fc.record({ matchLabels: fc.dictionary(fc.constantFrom('tier'), fc.constantFrom('prod', 'lab')) }) }),
  );
  fc.assert(
    fc.property(fc.array(selection, { maxLength: 5 }), fc.constantFrom('LastWave', 'Skip', 'Fail'), (chosen, unassigned) => {
      const waves = chosen.map((one, i) => ({ name: `w${i}`, ...one }));
      const plan = planWaves(fleet, { waves, unassigned });
      const all = [...plan.waves.flatMap(wave => wave.clusters), ...plan.unassigned];
      assert.deepEqual(
        all.toSorted(),
        fleet.map(({ name }) => name),
      );
    }),
  );
});

test('amounts and times are read as people write them', () => {
  assert.deepEqual(
    [countOf('10%', 5, 0), countOf('10%', 5, 1), countOf('50%', 5, 0), countOf(3, 5, 0), countOf('7', 5, 0)],
    [0, 1, 2, 3, 7],
  );
  assert.deepEqual(
    [durationMs('90s'), durationMs('1h30m'), durationMs('1.5d'), durationMs(undefined)],
    [90_000, 5_400_000, 129_600_000, 0],
  );
});
