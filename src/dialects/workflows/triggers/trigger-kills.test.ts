import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../../../test/helpers/memory-hub.ts';
import { tempDir } from '../../../../test/helpers/temp-dir.ts';
import { newObject, type KindRef } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { InfrastructureDefinition } from '../kinds/infrastructure-definition.ts';
import { PipelineRun } from '../kinds/pipeline.ts';
import { ServiceDefinition } from '../kinds/service-definition.ts';
import { Trigger, type TriggerCondition } from '../kinds/trigger.ts';
import { WorkflowRun } from '../kinds/workflow-run.ts';
import { workflowKinds } from '../workflow-kinds.ts';
import { workflowObjects } from '../workflow-objects.ts';
import { runTriggers } from './trigger-controller.ts';

/** One of them does nothing at the place where it dies, the other dies before it hears that it was done. */
type Death = { readonly at: number; readonly isAfter: boolean };

const conditions: Readonly<Record<string, TriggerCondition>> = {
  artifact: { type: 'NewArtifact', service: 'web' },
  joined: { type: 'ClusterJoined', infrastructureRef: 'prod' },
  ended: { type: 'PipelineCompletion', pipeline: 'build' },
  timed: { type: 'Schedule', schedule: '0/15 * ? * *' },
};

test('a hub that is killed at any write of a trigger starts everything that happens once', async t => {
  const scratch = tempDir('trigger-kills');
  t.after(() => scratch[Symbol.dispose]());
  const calm = await play(t, scratch.dir, undefined);
  assert.ok(calm.writes > 12, `${calm.writes} writes`);
  assert.deepEqual(calm.started, ['artifact 1.1.0', 'artifact 1.2.0', 'ended', 'joined b', 'joined c', 'timed']);
  for (let at = 1; at <= calm.writes; at++)
    for (const isAfter of [false, true]) {
      const rough = await play(t, scratch.dir, { at, isAfter });
      assert.ok(rough.hasDied, `it died at write ${at}`);
      // Clusters that join at the same time, because the hub was away, are started together.
      assert.deepEqual(rough.started, calm.started, `killed ${isAfter ? 'after' : 'before'} write ${at}`);
    }
});

async function play(t: TestContext, dataDir: string, death: Death | undefined) {
  const { client } = await startMemoryHub(t, workflowKinds);
  let now = new Date('2026-03-10T11:00:00Z');
  let writes = 0;
  let hub: { stop: AbortController; isDead: boolean } | undefined;
  let hasDied = false;
  const start = () => {
    const stop = new AbortController();
    const { signal } = stop;
    const self = { stop, isDead: false };
    const objects = workflowObjects(client, { dataDir, signal, onError: () => () => {} });
    runTriggers({ ...objects, hub: dying(self), addressOf: () => undefined, signal, now: () => now });
    hub = self;
  };
  /** Whoever is dead neither writes nor hears anything any more. */
  function dying(self: { stop: AbortController; isDead: boolean }): KubeClient {
    const through = async <T>(write: () => Promise<T>): Promise<T> => {
      if (self.isDead) return new Promise<T>(() => {});
      const isMyTurn = ++writes === death?.at && !hasDied;
      if (!isMyTurn) return write();
      hasDied = true;
      self.isDead = true;
      if (death!.isAfter) await write();
      self.stop.abort();
      return new Promise<T>(() => {});
    };
    return {
      ...client,
      get: client.get.bind(client),
      create: <T extends KubeObject>(kind: KindRef<T>, obj: T) => through(() => client.create(kind, obj)),
      update: <T extends KubeObject>(kind: KindRef<T>, obj: T) => through(() => client.update(kind, obj, { subresource: 'status' })),
    } as KubeClient;
  }
  t.after(() => hub?.stop.abort());

  const key = (name: string) => ({ namespace: 'default', name });
  const report = <T extends KubeObject>(kind: KindRef<T>, name: string, status: object) =>
    client.apply(kind, { metadata: key(name), status } as never, { subresource: 'status' });
  const versions = (...tags: string[]) =>
    report(ServiceDefinition, 'web', {
      artifactVersions: tags.map((tag, i) => ({ artifact: 'image', tag, seenAt: `2026-03-10T1${tags.length - i}:00:00Z` })),
    });
  const matched = (...ids: string[]) =>
    report(InfrastructureDefinition, 'prod', { matched: ids.map(id => ({ id, name: id, ready: true })), matchedCount: ids.length });
  await client.create(ServiceDefinition, newObject(ServiceDefinition, key('web'), {}));
  await client.create(
    InfrastructureDefinition,
    newObject(InfrastructureDefinition, key('prod'), {
      environmentRef: 'prod',
      cloudProviderRef: 'hub',
      namespace: 'shop',
      allowAllClusters: true,
    } as never),
  );
  await client.create(WorkflowRun, newObject(WorkflowRun, key('released'), { workflowRef: { name: 'joined' } }));
  const snapshot = { infrastructure: { name: 'prod' }, services: {} };
  const finishedAt = '2026-03-01T00:00:00Z';
  await report(WorkflowRun, 'released', { phase: 'Succeeded', finishedAt, snapshot, resolvedClusters: [{ id: 'a', name: 'a' }] });
  await client.create(PipelineRun, newObject(PipelineRun, key('build-1'), { pipelineRef: { name: 'build' } }));
  await versions('1.0.0');
  await matched('a');
  for (const [name, condition] of Object.entries(conditions))
    await client.create(Trigger, newObject(Trigger, key(name), { condition, action: { workflowRef: { name } } }));

  const seen = async (name: string) => JSON.stringify((await client.get(Trigger, key(name)))?.status?.seen ?? {});
  const hasSeen = async (marks: Readonly<Record<string, string>>) => {
    for (const [name, mark] of Object.entries(marks)) {
      const text = await seen(name);
      if (!text.includes(mark) || text.includes('starting')) return false;
    }
    return true;
  };
  const happenings: readonly (readonly [happens: () => Promise<unknown>, marks: Record<string, string>])[] = [
    [async () => {}, { artifact: '1.0.0', joined: '"a"', ended: 'since', timed: 'at' }],
    [() => versions('1.1.0', '1.0.0'), { artifact: '1.1.0' }],
    [() => matched('a', 'b'), { joined: '"b"' }],
    [() => matched('a', 'b', 'c'), { joined: '"c"' }],
    [() => versions('1.2.0', '1.1.0', '1.0.0'), { artifact: '1.2.0' }],
    [
      async () => {
        now = new Date('2027-01-01T00:12:00Z');
        await report(PipelineRun, 'build-1', { phase: 'Succeeded', finishedAt: now.toISOString() });
      },
      { ended: 'uids":["' },
    ],
    [
      async () => {
        now = new Date('2027-01-01T00:15:01Z');
        await client.patch(Trigger, key('timed'), { type: 'merge', body: { metadata: { annotations: { look: 'again' } } } });
      },
      { timed: '00:15:00' },
    ],
  ];
  start();
  for (const [index, [happens, marks]] of happenings.entries()) {
    await happens();
    // The dead come back after the next thing happened.
    if (hub!.isDead) start();
    await eventually(async () => hub!.isDead || (await hasSeen(marks)), Boolean, { everyMs: 5 });
    // What is there when somebody first looks is not new.
    if (index > 0 || !hub!.isDead) continue;
    start();
    await eventually(() => hasSeen(marks), Boolean, { everyMs: 5 });
  }
  if (hub!.isDead) start();
  for (const [, marks] of happenings.slice(-6).filter(([, one]) => !('artifact' in one) || one['artifact'] === '1.2.0'))
    await eventually(() => hasSeen(marks), Boolean, { everyMs: 5 });
  hub!.stop.abort();
  const runs = (await client.list(WorkflowRun, { namespace: 'default' })).items.filter(one => one.metadata.name !== 'released');
  const started = runs
    .flatMap(({ spec }) => {
      const { name } = spec.workflowRef;
      const what = [...(spec.artifacts ?? []).map(one => one.tag), ...(spec.clusters?.only ?? [])];
      return what.length === 0 ? [name] : what.map(one => `${name} ${one}`);
    })
    .toSorted();
  return { writes, started, hasDied };
}
