import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../../test/helpers/memory-hub.ts';
import {
  createValidTemplate,
  reportDelivery,
  reportReadiness,
  startMultiClusterServices,
  type Failing,
} from '../../../test/helpers/multi-cluster-services.ts';
import { ControllerRevision, Namespace } from '../../api/builtin-kinds.ts';
import { Cluster } from '../../api/cluster.ts';
import { findCondition } from '../../api/conditions.ts';
import { newObject, type KindRef } from '../../api/define-kind.ts';
import { Work } from '../../api/work.ts';
import type { JsonObject } from '../../util/json.ts';
import { clusterDeploymentAnnotation } from './cluster-of.ts';
import { k0rdentKinds } from './k0rdent-kinds.ts';
import { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { systemNamespace as namespace } from './kinds/group.ts';
import { Management } from './kinds/management.ts';
import { MultiClusterService } from './kinds/multi-cluster-service.ts';
import { ServiceSet } from './kinds/service-set.ts';
import { ServiceTemplate } from './kinds/template.ts';
import { revisionOf } from './rollout-revisions.ts';

const names = ['a', 'b', 'c', 'd'];
const services = (template: string) => [{ name: 'web', namespace: 'web', template }];
const waves = [
  { name: 'first', clusterNames: ['a', 'b'], maxConcurrency: 1 },
  { name: 'rest', remainder: true },
];

/** A hub with a MultiClusterService for four clusters whose ServiceSets nobody delivers but the test. */
async function start(t: TestContext) {
  const { client: hub } = await startMemoryHub(t, [...k0rdentKinds, Cluster, Work]);
  for (const name of [namespace, 'c-m-12345678']) await hub.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await hub.create(Management, newObject(Management, { name: 'kcm' }, { release: 'drover' }));
  for (const name of ['web-1', 'web-2', 'web-3']) await createValidTemplate(hub, { namespace, name }, name);
  for (const name of names) {
    await hub.create(ClusterDeployment, newObject(ClusterDeployment, { namespace, name, labels: { app: 'web' } }, { template: 'sandbox' }));
    const annotations = { [clusterDeploymentAnnotation]: `${namespace}/${name}` };
    await hub.create(Cluster, newObject(Cluster, { name, annotations }, { connection: { mode: 'Sandbox' } }));
    await reportReadiness(hub, name, 'True');
  }
  let running = run();
  t.after(() => running.abort());
  return {
    hub,
    setReady: (name: string, status: 'True' | 'False') => reportReadiness(hub, name, status),
    /** Ends the controllers and starts others, who know nothing but what is written, and hear of these kinds later than of all others. */
    restart(...late: readonly KindRef[]) {
      running.abort();
      running = run(late);
    },
    wants: (template: string) => patch({ spec: { serviceSpec: { services: services(template) } } }),
    patch,
    rollout: async () => (await hub.get(MultiClusterService, { name: 'web' }))?.status?.rollout,
    told,
    /** Says of what clusters were told how it went. */
    deliver: async (failing?: Failing) => reportDelivery(hub, (await hub.list(ServiceSet)).items, failing),
    phase: (phase: string) =>
      eventually(
        async () => (await hub.get(MultiClusterService, { name: 'web' }))?.status?.rollout,
        state => state?.phase === phase,
        { what: `phase ${phase}` },
      ),
  };

  function run(late: readonly KindRef[] = []): AbortController {
    const stop = new AbortController();
    startMultiClusterServices(hub, { hasRollouts: true, late, signal: stop.signal });
    return stop;
  }

  async function patch(body: JsonObject): Promise<void> {
    await hub.patch(MultiClusterService, { name: 'web' }, { type: 'merge', body });
  }

  async function told(): Promise<Record<string, string>> {
    const { items } = await hub.list(ServiceSet);
    return Object.fromEntries(items.map(({ spec }) => [spec.cluster, spec.services?.[0]?.template ?? '']).sort());
  }
}

type World = Awaited<ReturnType<typeof start>>;

async function rollOut(world: World, template: string): Promise<void> {
  await world.hub.create(
    MultiClusterService,
    newObject(
      MultiClusterService,
      { name: 'web' },
      {
        clusterSelector: { matchLabels: { app: 'web' } },
        serviceSpec: { services: services(template) },
        rollout: { waves, onFailure: 'Rollback' },
      },
    ),
  );
  await finish(world, 'Succeeded');
}

/** Delivers whatever is told until a phase is reached. */
async function finish(world: World, phase: string, failing?: Parameters<World['deliver']>[0]): Promise<void> {
  await eventually(
    async () => {
      await world.deliver(failing);
      const mcs = await world.hub.get(MultiClusterService, { name: 'web' });
      const state = mcs?.status?.rollout;
      return mcs && state?.revision === revisionOf(mcs) ? state.phase : undefined;
    },
    found => found === phase,
    { what: `phase ${phase}` },
  );
}

const all = (template: string) => Object.fromEntries(names.map(name => [name, template]));
const toldBecomes = (world: World, expected: Record<string, string>) =>
  eventually(world.told, found => JSON.stringify(found) === JSON.stringify(expected), { what: 'what clusters are told' });

test('clusters are told the change wave by wave, and controllers that start anew go on', async t => {
  const world = await start(t);
  await rollOut(world, 'web-1');
  assert.deepEqual(await world.told(), all('web-1'));
  await world.wants('web-2');
  await toldBecomes(world, { ...all('web-1'), a: 'web-2' });
  world.restart();
  await world.deliver();
  await toldBecomes(world, { ...all('web-1'), a: 'web-2', b: 'web-2' });
  await finish(world, 'Succeeded');
  assert.deepEqual(await world.told(), all('web-2'));
  const mcs = await world.hub.get(MultiClusterService, { name: 'web' });
  assert.equal(findCondition(mcs, 'RolledOut')?.message, `Revision ${mcs?.status?.rollout?.revision} is on 4 of 4 clusters`);
  assert.equal((await world.hub.list(ControllerRevision, { namespace })).items.length, 2);
});

test('a change whose template is not there yet begins when it is', async t => {
  const world = await start(t);
  await rollOut(world, 'web-1');
  await world.wants('web-4');
  await eventually(
    async () => findCondition(await world.hub.get(MultiClusterService, { name: 'web' }), 'ServicesReferencesValidation')?.status,
    status => status === 'False',
    { what: 'the fault to be seen' },
  );
  await createValidTemplate(world.hub, { namespace, name: 'web-4' });
  await finish(world, 'Succeeded');
  assert.deepEqual(await world.told(), all('web-4'));
});

test('a rollout that soaks goes on after a restart, though templates are known last', async t => {
  const world = await start(t);
  await rollOut(world, 'web-1');
  const soaking = waves.map(wave => ({ ...wave, soak: '200ms' }));
  await world.patch({ spec: { rollout: { waves: soaking }, serviceSpec: { services: services('web-2') } } });
  await finish(world, 'Soaking');
  world.restart(ServiceTemplate);
  await finish(world, 'Succeeded');
  assert.deepEqual(await world.told(), all('web-2'));
});

test('one that is being deleted stays until nothing of it is left, also for those who have just started', async t => {
  const world = await start(t);
  await rollOut(world, 'web-1');
  for (const { metadata } of (await world.hub.list(ServiceSet)).items)
    await world.hub.patch(ServiceSet, metadata as never, { type: 'merge', body: { metadata: { finalizers: ['test.io/held'] } } });
  await world.hub.delete(MultiClusterService, { name: 'web' });
  world.restart(ServiceSet);
  const isLeaving = ({ metadata }: ServiceSet) => metadata.deletionTimestamp !== undefined;
  const { items } = await eventually(
    () => world.hub.list(ServiceSet),
    found => found.items.every(isLeaving),
  );
  assert.ok(await world.hub.get(MultiClusterService, { name: 'web' }), 'it is still there');
  for (const { metadata } of items)
    await world.hub.patch(ServiceSet, metadata as never, { type: 'merge', body: { metadata: { finalizers: null } } });
  await eventually(
    () => world.hub.get(MultiClusterService, { name: 'web' }),
    found => found === undefined,
  );
});

test('who waits for a turn says so, and is not counted as ready', async t => {
  const world = await start(t);
  await rollOut(world, 'web-1');
  await world.wants('web-2');
  const mcs = await eventually(
    () => world.hub.get(MultiClusterService, { name: 'web' }),
    found => findCondition(found, 'ClusterInReadyState')?.message === '0/4',
  );
  const { verified, revision } = mcs!.status!.rollout!;
  const c = mcs?.status?.matchingClusters?.find(one => one.name === 'c');
  assert.deepEqual(
    [c?.deployed, c?.reason, c?.message],
    [false, 'RolloutPending', `at revision ${verified}: waits for revision ${revision} with wave rest`],
  );
});

test('a change that fails is put back where it was, and reaches nobody else', async t => {
  const world = await start(t);
  await rollOut(world, 'web-1');
  await world.wants('web-2');
  await finish(world, 'RolledBack', (cluster, template) => cluster === 'b' && template === 'web-2');
  assert.deepEqual(await world.told(), all('web-1'));
  const state = await world.rollout();
  assert.match(state?.breach?.message ?? '', /1 failed in wave first, 0 may/);
  await world.wants('web-3');
  await finish(world, 'Succeeded');
  assert.deepEqual(await world.told(), all('web-3'));
});

test('clusters that are away do not hold others up, and those that are held neither', async t => {
  const world = await start(t);
  await rollOut(world, 'web-1');
  await world.setReady('a', 'False');
  await world.hub.patch(
    ClusterDeployment,
    { namespace, name: 'c' },
    { type: 'merge', body: { metadata: { annotations: { 'drover.io/hold': 'true' } } } },
  );
  await world.wants('web-2');
  await finish(world, 'Succeeded');
  assert.deepEqual(await world.told(), { a: 'web-1', b: 'web-2', c: 'web-1', d: 'web-2' });
  await world.setReady('a', 'True');
  await toldBecomes(world, { ...all('web-2'), c: 'web-1' });
});

test('a request of an annotation is taken up', async t => {
  const world = await start(t);
  await rollOut(world, 'web-1');
  await world.wants('web-2');
  await toldBecomes(world, { ...all('web-1'), a: 'web-2' });
  await world.patch({ metadata: { annotations: { 'drover.io/rollout-request': 'abort' } } });
  await world.phase('Aborted');
  await world.patch({ metadata: { annotations: { 'drover.io/rollout-request': 'undo' } } });
  await finish(world, 'RolledBack');
  assert.deepEqual(await world.told(), all('web-1'));
});

test('who only plans plans on all clusters at once, also while paused, and the rollout goes on afterwards where it was', async t => {
  const world = await start(t);
  await rollOut(world, 'web-1');
  await world.wants('web-2');
  await toldBecomes(world, { ...all('web-1'), a: 'web-2' });
  await world.patch({ spec: { rollout: { paused: true } } });
  await world.deliver();
  const before = await eventually(world.rollout, state => state?.phase === 'Paused' && state.updated === '1/4', { what: 'a to be done' });
  await world.patch({ spec: { serviceSpec: { syncMode: 'DryRun', services: services('web-3') } } });
  await toldBecomes(world, all('web-3'));
  const modes = async () => (await world.hub.list(ServiceSet)).items.map(({ spec }) => spec.provider.config?.['syncMode']);
  await eventually(modes, found => found.every(mode => mode === 'DryRun'), { what: 'all to only plan' });
  await world.deliver();
  const resting = await eventually(world.rollout, state => state?.message?.includes('only plans: nothing is rolled out') === true, {
    what: 'the rollout to rest',
  });
  assert.deepEqual(
    [resting?.phase, resting?.revision, resting?.updated],
    ['Paused', before?.revision, before?.updated],
    'a plan is no revision',
  );
  await world.patch({ spec: { serviceSpec: { syncMode: null, services: services('web-2') } } });
  await toldBecomes(world, { ...all('web-1'), a: 'web-2' });
  await world.patch({ spec: { rollout: { paused: null } } });
  await finish(world, 'Succeeded');
  assert.deepEqual(await world.told(), all('web-2'));
});

test('when the rollout is taken away, all clusters get what is said, and nothing is remembered', async t => {
  const world = await start(t);
  await rollOut(world, 'web-1');
  await world.patch({ spec: { rollout: null, serviceSpec: { services: services('web-2') } } });
  await toldBecomes(world, all('web-2'));
  const mcs = await eventually(
    () => world.hub.get(MultiClusterService, { name: 'web' }),
    found => found?.status?.rollout === undefined,
  );
  assert.equal(findCondition(mcs, 'RolledOut'), undefined);
});

test('waves that cannot be are refused', async t => {
  const { hub } = await start(t);
  const create = (rollout: MultiClusterService['spec']['rollout']) =>
    hub.create(MultiClusterService, newObject(MultiClusterService, { name: 'bad' }, { rollout: rollout! }));
  await assert.rejects(
    create({ waves: [{ name: 'a', count: 1, remainder: true }] }),
    /exactly one of clusterSelector, clusterNames, count and remainder/,
  );
  await assert.rejects(
    create({
      waves: [
        { name: 'a', remainder: true },
        { name: 'b', count: 1 },
      ],
    }),
    /only the last wave can take the remainder/,
  );
  await assert.rejects(
    create({
      waves: [
        { name: 'a', count: 1 },
        { name: 'a', count: 1 },
      ],
    }),
    /waves need different names/,
  );
  await assert.rejects(create({ waves: [{ name: 'a', count: 'some' }] }), /spec.rollout.waves\[0\].count/);
  await assert.rejects(create({ waves: [{ name: 'a', count: 1, soak: 'long' }] }), /spec.rollout.waves\[0\].soak/);
});
