import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { isJsonObject, parseJson, printJson, type JsonObject } from '../../util/json.ts';
import type { HelmRelease } from './helm-release.ts';
import { decodeRelease, encodeRelease } from './release-codec.ts';
import { parseProgress, recordOf, secretOf, type Progress } from './release-record.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 30 });
const time = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }).map(date => date.toISOString());
const object = fc
  .jsonValue({ maxDepth: 2 })
  .filter(isJsonObject)
  // What JSON cannot tell apart.
  .map(value => parseJson(printJson(value)) as JsonObject);
const status = fc.constantFrom('deployed', 'failed', 'superseded', 'uninstalling', 'pending-install', 'pending-upgrade') as fc.Arbitrary<
  HelmRelease['status']
>;
const unknownFields = object.map(value => ({ 'x-unknown': value }));

const hook = fc.record(
  {
    name: text,
    kind: text,
    path: text,
    manifest: text,
    events: fc.array(fc.constantFrom('pre-install', 'post-delete')),
    weight: fc.integer({ min: -100, max: 100 }),
    deletePolicies: fc.array(fc.constantFrom('hook-succeeded', 'hook-failed')),
    lastRun: fc.record(
      { startedAt: time, completedAt: time, phase: fc.constantFrom('', 'Running', 'Failed') },
      { requiredKeys: ['phase'], noNullPrototype: true },
    ) as fc.Arbitrary<HelmRelease['hooks'][number]['lastRun']>,
    rest: unknownFields,
  },
  { noNullPrototype: true },
);

const release: fc.Arbitrary<HelmRelease> = fc.record(
  {
    name: fc.constantFrom('web', 'a.b'),
    namespace: fc.constantFrom('shop', 'default'),
    revision: fc.integer({ min: 1, max: 1e6 }),
    status,
    description: text,
    firstDeployedAt: time,
    lastDeployedAt: time,
    deletedAt: time,
    rollbackRevision: fc.integer({ min: 1, max: 100 }),
    notes: text,
    chart: fc
      .record({ metadata: object, values: object }, { noNullPrototype: true })
      .map(chart => ({ metadata: chart.metadata, parts: [printJson(chart)] })),
    config: object,
    manifest: text,
    hooks: fc.array(hook, { maxLength: 3 }),
    applyMethod: fc.constantFrom('', 'csa', 'ssa'),
    labels: fc.constantFrom({}, { team: 'a' }),
    rest: fc.record({ release: unknownFields, info: unknownFields }, { noNullPrototype: true }),
  },
  {
    noNullPrototype: true,
    requiredKeys: [
      'name',
      'namespace',
      'revision',
      'status',
      'description',
      'notes',
      'chart',
      'config',
      'manifest',
      'hooks',
      'applyMethod',
      'labels',
      'rest',
    ],
  },
);

const progress: fc.Arbitrary<Progress> = fc.record(
  {
    inputs: text,
    attempt: fc.nat(),
    begun: text,
    ended: fc.array(text),
    undoes: fc.nat(),
    mustUndo: fc.constant(true),
  },
  { requiredKeys: ['inputs', 'attempt', 'ended'], noNullPrototype: true },
);

test('a record is read as it was written, with what we do not know', async () => {
  await fc.assert(
    fc.asyncProperty(release, fc.option(progress, { nil: undefined }), async (written, how) => {
      const secret = await secretOf({ release: written, progress: how }, new Date());
      const record = await recordOf({ ...secret, metadata: { ...secret.metadata, resourceVersion: '7' } });
      assert.deepEqual(record.release, written);
      assert.deepEqual(record.progress, how);
      assert.equal(record.problem, undefined);
    }),
    { numRuns: 100 },
  );
});

test('charts that come in large parts read as one', async () => {
  const body = JSON.stringify('templates '.repeat(10_000));
  const parts = ['{"metadata":{"name":"web"},"body":', body, '}'];
  const [written] = fc.sample(release, 1);
  const first = await encodeRelease({ ...written!, chart: { metadata: { name: 'web' }, parts } });
  const second = await encodeRelease({ ...written!, revision: 7, chart: { metadata: { name: 'web' }, parts } });
  for (const [encoded, revision] of [[first, written!.revision] as const, [second, 7] as const]) {
    const read = await decodeRelease(encoded);
    assert.equal(read.revision, revision);
    assert.deepEqual(JSON.parse(read.chart.parts.join('')), JSON.parse(parts.join('')));
    assert.deepEqual(read.chart.metadata, { name: 'web' });
  }
});

test('whatever lies in a record, it is read or refused, and counts as a revision', async () => {
  const metadata = { name: 'sh.helm.release.v1.web.v12', namespace: 'shop', labels: { name: 'web', owner: 'helm', status: 'deployed' } };
  const inside = fc.oneof(
    fc.uint8Array().map(bytes => Buffer.from(bytes).toString('latin1')),
    fc.json(),
    fc.json().map(json => gzipSync(json).toString('base64')),
    fc.uint8Array().map(bytes => Buffer.concat([Buffer.from([0x1f, 0x8b, 8]), bytes]).toString('base64')),
  );
  await fc.assert(
    fc.asyncProperty(inside, async data => {
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata, data: { release: Buffer.from(data).toString('base64') } };
      const record = await recordOf(secret);
      if (record.problem === undefined) return;
      assert.equal(record.release.revision, 12);
      assert.equal(record.release.status, 'deployed');
    }),
    { numRuns: 100 },
  );
});

test('times that Helm 3 leaves empty are not set', async () => {
  const hook = { name: 'h', events: ['pre-install'], last_run: { started_at: '', completed_at: '0001-01-01T00:00:00Z', phase: '' } };
  const info = { first_deployed: '2026-11-16T08:19:42.65Z', last_deployed: '', deleted: '', status: 'deployed' };
  const written = JSON.stringify({ name: 'web', version: 1, info, chart: { metadata: { name: 'shop' } }, hooks: [hook] });
  const { firstDeployedAt, lastDeployedAt, deletedAt, hooks } = await decodeRelease(gzipSync(written).toString('base64'));
  assert.deepEqual([firstDeployedAt, lastDeployedAt, deletedAt], ['2026-11-16T08:19:42.65Z', undefined, undefined]);
  assert.deepEqual(hooks[0]?.lastRun, { phase: '' });
});

test('a record that unpacks without end is refused', async () => {
  const bomb = gzipSync(Buffer.alloc(40 * 1024 * 1024, 32)).toString('base64');
  await assert.rejects(decodeRelease(bomb), /at most 33554432 bytes when unpacked/);
});

test('what is not progress of ours counts as none', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), words => {
      const read = parseProgress(words);
      assert.ok(read === undefined || typeof read.inputs === 'string');
    }),
  );
});

test('the labels are those that Helm selects by', async () => {
  const [written] = fc.sample(release, 1);
  const now = new Date('2026-01-02T03:04:05Z');
  const fresh = { ...written!, name: 'web', revision: 3, status: 'deployed' as const, labels: { team: 'a' } };
  const secret = await secretOf({ release: fresh, progress: undefined }, now);
  assert.equal(secret.metadata.name, 'sh.helm.release.v1.web.v3');
  assert.equal(secret.type, 'helm.sh/release.v1');
  const labels = { team: 'a', name: 'web', owner: 'helm', status: 'deployed', version: '3', createdAt: '1767323045' };
  assert.deepEqual(secret.metadata.labels, labels);
  const changed = await secretOf({ release: fresh, progress: undefined, stored: { resourceVersion: '9', createdAt: '1' } }, now);
  assert.deepEqual(changed.metadata.labels, { ...labels, createdAt: '1', modifiedAt: '1767323045' });
  assert.equal(changed.metadata.resourceVersion, '9');
});
