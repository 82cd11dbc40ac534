import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { gitBackend, testRepository } from '../../../../test/helpers/git-server.ts';
import { startMemoryHub } from '../../../../test/helpers/memory-hub.ts';
import { ociRegistry } from '../../../../test/helpers/oci-registry.ts';
import { startPlainServer } from '../../../../test/helpers/source-server.ts';
import { tempDir } from '../../../../test/helpers/temp-dir.ts';
import { newObject } from '../../../api/define-kind.ts';
import { createEgress } from '../../../sources/egress.ts';
import { ServiceDefinition } from '../kinds/service-definition.ts';
import { Trigger } from '../kinds/trigger.ts';
import { WorkflowRun } from '../kinds/workflow-run.ts';
import { workflowKinds } from '../workflow-kinds.ts';
import { workflowObjects } from '../workflow-objects.ts';
import { mergeVersions, type SeenVersion } from './merge-versions.ts';
import { runSources } from './sources-controller.ts';
import { runTriggers } from './trigger-controller.ts';

const ns = 'default';

test('what is new comes first, what is gone is forgotten, and nothing is new twice', () => {
  const tag = fc.oneof(fc.constantFrom('1.0.0', '1.1.0', '2.0.0', 'latest', 'main'), fc.stringMatching(/^[a-z]{1,3}$/));
  fc.assert(
    fc.property(fc.array(fc.uniqueArray(tag, { maxLength: 8 }), { minLength: 1, maxLength: 6 }), looks => {
      let known: SeenVersion[] = [];
      for (const [index, tags] of looks.entries()) {
        const before = new Set(known.map(one => one.tag));
        const now = new Date(Date.UTC(2026, 0, 1, index));
        known = mergeVersions(
          known,
          'image',
          tags.map(one => ({ tag: one })),
          now,
        );
        assert.deepEqual(new Set(known.map(one => one.tag)), new Set(tags));
        const fresh = known.filter(one => one.seenAt === now.toISOString());
        assert.ok(fresh.every(one => !before.has(one.tag)));
        assert.deepEqual(known.slice(0, fresh.length), fresh);
      }
    }),
  );
  const first = mergeVersions([], 'image', [{ tag: '1.2.0' }, { tag: '1.10.0' }, { tag: 'edge' }], new Date());
  assert.deepEqual(
    first.map(one => one.tag),
    ['1.10.0', '1.2.0', 'edge'],
  );
  const moved = mergeVersions(
    [{ artifact: 'image', tag: 'edge', digest: 'a', seenAt: '' }],
    'image',
    [{ tag: 'edge', digest: 'b' }],
    new Date(),
  );
  assert.deepEqual(
    moved.map(one => one.digest),
    ['b'],
  );
});

test('a version that is pushed, and a commit, start what waits for them', async t => {
  const scratch = tempDir('sources');
  const { client } = await startMemoryHub(t, workflowKinds);
  const stop = new AbortController();
  const { signal } = stop;
  t.after(() => {
    stop.abort();
    scratch[Symbol.dispose]();
  });
  const registry = ociRegistry();
  const oci = await startPlainServer(t, registry.answer);
  const repository = testRepository(join(scratch.dir, 'repositories/files'));
  const git = await startPlainServer(t, gitBackend(join(scratch.dir, 'repositories')));
  const push = (tag: string) => registry.putManifest('shop/web', [tag], { schemaVersion: 2, tag, layers: [] });
  push('1.0.0');
  push('nightly');
  repository.commit({ 'a.yaml': 'a: 1\n' });

  const objects = workflowObjects(client, { dataDir: scratch.dir, signal, onError: () => () => {} });
  const egress = createEgress({ allow: ['127.0.0.0/8', '::1/128'] });
  let nowMs = Date.now();
  const now = () => new Date(nowMs);
  const sources = runSources({ ...objects, hub: client, egress, signal, now });
  runTriggers({ ...objects, hub: client, manifests: sources.manifests, addressOf: () => undefined, signal });
  await client.create(
    ServiceDefinition,
    newObject(
      ServiceDefinition,
      { namespace: ns, name: 'web' },
      {
        artifacts: [{ name: 'image', type: 'OCIImage', image: `localhost:${oci.port}/shop/web`, insecure: true, tagFilter: '*.*.*' }],
        manifests: [{ git: { repo: `http://localhost:${git.port}/files` } }],
      },
    ),
  );
  const trigger = (name: string, type: 'NewArtifact' | 'NewManifest') =>
    client.create(
      Trigger,
      newObject(Trigger, { namespace: ns, name }, { condition: { type, service: 'web' }, action: { workflowRef: { name } } }),
    );
  await trigger('image', 'NewArtifact');
  await trigger('files', 'NewManifest');
  const seen = async (name: string) => JSON.stringify((await client.get(Trigger, { namespace: ns, name }))?.status?.seen ?? {});
  await eventually(
    () => seen('image'),
    text => text.includes('1.0.0'),
  );
  await eventually(
    () => seen('files'),
    text => text.includes('revision'),
  );
  const runs = async () => (await client.list(WorkflowRun, { namespace: ns })).items;
  assert.deepEqual(await runs(), []);

  const lookAgain = () => {
    nowMs += 300_000;
    sources.controller.add(`${ns}/web`);
  };
  push('1.1.0');
  lookAgain();
  const [first] = await eventually(runs, all => all.length === 1);
  assert.deepEqual([first!.spec.workflowRef.name, first!.spec.artifacts?.[0]?.tag], ['image', '1.1.0']);
  repository.commit({ 'a.yaml': 'a: 2\n' });
  lookAgain();
  await eventually(runs, all => all.some(one => one.spec.workflowRef.name === 'files'));
  assert.equal((await runs()).length, 2);

  const chart = `oci://localhost:${oci.port}/shop/chart`;
  const pushChart = (tag: string) => registry.putManifest('shop/chart', [tag], { schemaVersion: 2, tag, layers: [] });
  for (const tag of ['1.0.0', '2.0.0']) pushChart(tag);
  const charts = newObject(ServiceDefinition, { namespace: ns, name: 'charts' }, { manifests: [{ helm: { chart, insecure: true } }] });
  await client.create(ServiceDefinition, charts);
  for (const major of ['1', '2']) {
    const condition = { type: 'NewManifest' as const, service: 'charts', tagFilter: `${major}.*` };
    const name = `chart-${major}`;
    await client.create(Trigger, newObject(Trigger, { namespace: ns, name }, { condition, action: { workflowRef: { name } } }));
    await eventually(
      () => seen(name),
      text => text.includes('revision'),
    );
  }
  pushChart('1.1.0');
  nowMs += 300_000;
  sources.controller.add(`${ns}/charts`);
  await eventually(runs, all => all.some(one => one.spec.workflowRef.name === 'chart-1'));
  await sources.controller.idle();
  assert.deepEqual(
    (await runs()).filter(one => one.spec.workflowRef.name === 'chart-2'),
    [],
  );
  const { status } = (await client.get(ServiceDefinition, { namespace: ns, name: 'web' }))!;
  assert.deepEqual(
    status?.artifactVersions?.map(one => one.tag),
    ['1.1.0', '1.0.0'],
  );
});
