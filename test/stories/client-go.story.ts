import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../helpers/eventually.ts';
import { freePort } from '../helpers/free-port.ts';
import { startHub, type Hub } from '../helpers/hub.ts';
import { managerDefinition, startInformerJudge, startManagerJudge, type Judge } from '../helpers/judges.ts';
import { scratchDir } from '../helpers/real-cluster.ts';
import { missingRig } from '../helpers/rig.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const echoes = '/apis/judge.drover.io/v1/namespaces/default/echoes';
const configMaps = '/api/v1/namespaces/default/configmaps';
const options = { timeout: 120_000 };

async function serveEchoes(hub: Hub): Promise<void> {
  assert.equal((await hub.request('POST', definitions, managerDefinition())).code, 201);
  await eventually(async () => (await hub.request('GET', echoes)).code === 200);
}

const echo = (name: string, message: string): object => ({
  apiVersion: 'judge.drover.io/v1',
  kind: 'Echo',
  metadata: { name },
  spec: { message },
});
const errors = (judge: Judge): string[] =>
  judge.lines().flatMap(line => (line.type === 'ERROR' ? [`${line.resource}: ${line.error}`] : []));

/** ConfigMaps that the hub makes itself. */
const furniture = new Set(['kube-root-ca.crt', 'extension-apiserver-authentication', 'drover-gateway', 'admincreated']);

test(
  'client-go informers see every change, once, and go on after the hub restarts',
  { ...options, skip: missingRig('informer') ?? false },
  async () => {
    using scratch = scratchDir('client-go');
    const at = { dataDir: `${scratch.dir}/data`, port: await freePort() };
    const events = (judge: Judge): string[] =>
      judge
        .lines()
        .flatMap(line =>
          ['v1/configmaps', 'judge.drover.io/v1/echoes'].includes(line.resource ?? '') &&
          /^(ADDED|MODIFIED|DELETED)/.test(line.type) &&
          !furniture.has(line.name ?? '')
            ? [`${line.type} ${line.name}`]
            : [],
        );
    await using judges = new AsyncDisposableStack();
    let informer: Judge;
    {
      await using hub = await startHub(at);
      await serveEchoes(hub);
      await hub.request('POST', configMaps, { metadata: { name: 'old' } });
      informer = judges.use(startInformerJudge({ kubeconfig: hub.kubeconfig, dir: scratch.dir, dynamic: ['judge.drover.io/v1/echoes'] }));
      await informer.hears(line => line.type === 'ALL_SYNCED', 'that all caches are filled');

      await hub.request('POST', configMaps, { metadata: { name: 'fresh' } });
      await hub.request('PATCH', `${configMaps}/fresh`, { data: { a: '1' } }, { 'Content-Type': 'application/merge-patch+json' });
      await hub.request('DELETE', `${configMaps}/fresh`);
      await hub.request('POST', echoes, echo('hello', 'hi'));
      await informer.hears(line => line.name === 'hello', 'of the custom resource');
      await informer.hears(line => line.type === 'DELETED' && line.name === 'fresh', 'of the deletion');
      assert.deepEqual(events(informer).toSorted(), ['ADDED fresh', 'ADDED hello', 'ADDED old', 'DELETED fresh', 'MODIFIED fresh']);
      assert.deepEqual(errors(informer), []);
    }
    await using hub = await startHub(at);
    assert.equal((await hub.request('POST', configMaps, { metadata: { name: 'after' } })).code, 201);
    assert.equal((await hub.request('DELETE', `${configMaps}/old`)).code, 200);
    await hub.request('PATCH', `${echoes}/hello`, { spec: { message: 'ho' } }, { 'Content-Type': 'application/merge-patch+json' });
    await informer.hears(line => line.type === 'ADDED' && line.name === 'after', 'of what was made after the restart');
    await informer.hears(line => line.type.startsWith('DELETED') && line.name === 'old', 'of what was deleted after the restart');
    await informer.hears(line => line.type === 'MODIFIED' && line.name === 'hello', 'of the changed custom resource');
    assert.deepEqual(
      events(informer).slice(5).toSorted(),
      ['ADDED after', 'DELETED old', 'MODIFIED hello'],
      'nothing is told twice and nothing is left out',
    );
  },
);

test(
  'a controller-runtime manager leads, reconciles, and goes on after the hub restarts',
  { ...options, skip: missingRig('manager') ?? false },
  async () => {
    using scratch = scratchDir('manager');
    const at = { dataDir: `${scratch.dir}/data`, port: await freePort() };
    let manager: Judge;
    {
      await using hub = await startHub(at);
      await serveEchoes(hub);
      manager = startManagerJudge({ kubeconfig: hub.kubeconfig, dir: scratch.dir });
      await manager.hears(line => line.type === 'elected', 'that it leads');
      const lease = await hub.request('GET', '/apis/coordination.k8s.io/v1/namespaces/default/leases/judge-manager');
      assert.match(lease.json<{ spec: { holderIdentity: string } }>().spec.holderIdentity, /./);

      await hub.request('POST', configMaps, {
        metadata: { name: 'box', labels: { 'judge.drover.io/seal': 'yes' } },
        data: { a: '1', b: '2' },
      });
      await manager.hears(line => line.type === 'sealed' && line.name === 'box', 'that it sealed the config map');
      await hub.request('POST', echoes, echo('hello', 'hi'));
      await manager.hears(line => line.type === 'reported' && line.name === 'hello', 'that it reported the echo');
      const copied = (await hub.request('GET', `${configMaps}/hello-echo`)).json<{
        data: object;
        metadata: { ownerReferences: { kind: string }[] };
      }>();
      assert.deepEqual([copied.data, copied.metadata.ownerReferences[0]?.kind], [{ message: 'hi' }, 'Echo']);
      await eventually(
        async () => (await hub.request('GET', '/apis/events.k8s.io/v1/namespaces/default/events')).text,
        text => text.includes('Sealed 2 keys'),
      );
    }
    await using hub = await startHub(at);
    await using _stopped = manager;
    assert.equal((await hub.request('POST', echoes, echo('again', 'still here'))).code, 201);
    await manager.hears(line => line.type === 'reported' && line.name === 'again', 'of the echo made after the restart');
    await hub.request('DELETE', `${echoes}/hello`);
    await manager.hears(line => line.type === 'farewell' && line.name === 'hello', 'farewell');
    await eventually(
      async () => (await hub.request('GET', `${echoes}/hello`)).code,
      code => code === 404,
    );
    await eventually(
      async () => (await hub.request('GET', `${configMaps}/hello-echo`)).code,
      code => code === 404,
      { what: 'what the echo owned' },
    );
    assert.ok(manager.program.isRunning, 'it has not lost its lease');
    assert.deepEqual(
      manager.lines().filter(line => line.type === 'failed'),
      [],
    );
  },
);

test('of two managers one leads, and the other takes over', { ...options, skip: missingRig('manager') ?? false }, async () => {
  using scratch = scratchDir('managers');
  await using hub = await startHub();
  await serveEchoes(hub);
  const first = startManagerJudge({ kubeconfig: hub.kubeconfig, dir: scratch.dir });
  await first.hears(line => line.type === 'elected', 'that it leads');
  await using second = startManagerJudge({ kubeconfig: hub.kubeconfig, dir: scratch.dir });
  await hub.request('POST', echoes, echo('one', '1'));
  await first.hears(line => line.type === 'reported', 'that it works');
  assert.deepEqual(second.lines(), []);
  await first[Symbol.asyncDispose]();
  await hub.request('POST', echoes, echo('two', '2'));
  await second.hears(line => line.type === 'reported' && line.name === 'two', 'that it took over');
});
