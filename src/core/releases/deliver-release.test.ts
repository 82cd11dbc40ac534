import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';
import { chartInput, clientOf, configMap, historyOf, hookJob, Job, type ChartInput } from '../../../test/helpers/release-rig.ts';
import { startSandboxCluster, type SandboxCluster } from '../../../test/helpers/sandbox-cluster.ts';
import { ConfigMap, CustomResourceDefinition, Namespace, Secret } from '../../api/builtin-kinds.ts';
import { workReasons } from '../../api/work.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { errorText } from '../../util/error-text.ts';
import { DeliveryError } from '../delivery/delivery-error.ts';
import { openMember, type Member } from '../delivery/member.ts';
import { deliverRelease } from './deliver-release.ts';
import type { ReleaseKey } from './helm-release.ts';
import { readReleases } from './read-releases.ts';
import { ReleaseError } from './release-error.ts';
import type { ReleaseContext } from './release-input.ts';
import { updateRecord } from './release-store.ts';
import { uninstallRelease } from './uninstall-release.ts';

describe('releases on a member', { timeout: 180_000 }, () => {
  const ended = new AbortController();
  let sandbox: SandboxCluster;
  let client: KubeClient;
  let member: Member;
  before(async () => {
    sandbox = await startSandboxCluster({ nodes: 1 });
    client = clientOf(sandbox.kubeconfig);
    member = openMember('sandbox', client, ended);
  });
  after(async () => {
    ended.abort();
    await client?.[Symbol.asyncDispose]();
    await sandbox?.[Symbol.asyncDispose]();
  });

  const ctx = (parts: Partial<ReleaseContext> = {}): ReleaseContext => ({
    signal: AbortSignal.timeout(120_000),
    now: () => new Date(),
    ...parts,
  });
  const deliver = (chart: ChartInput, context = ctx()) => deliverRelease(member, chartInput(member, chart), context);
  const names = async (namespace: string): Promise<string[]> =>
    (await client.list(ConfigMap, { namespace })).items.map(({ metadata }) => metadata.name!).filter(name => name !== 'kube-root-ca.crt');
  const lastRecord = async (key: ReleaseKey) => (await readReleases(member, key, ctx())).at(-1)!;
  /** Every test has a release of its own. */
  const releaseOf = (t: TestContext): ReleaseKey => ({
    name: 'web',
    namespace: t.name
      .replaceAll(/[^a-z]+/g, '-')
      .slice(0, 50)
      .replaceAll(/^-|-$/g, ''),
  });

  /** Counts Jobs by name as they are created. */
  function countJobs(t: TestContext, namespace: string): Map<string, number> {
    const uids = new Set<string>();
    const counts = new Map<string, number>();
    const stop = new AbortController();
    t.after(() => stop.abort());
    void (async () => {
      for await (const event of client.watch(Job, { namespace, signal: stop.signal, sendInitialEvents: true })) {
        if (event.type === 'EXPIRED' || event.type === 'BOOKMARK') continue;
        const { uid = '', name = '' } = event.object.metadata;
        if (!uids.has(uid)) counts.set(name, (counts.get(name) ?? 0) + 1);
        uids.add(uid);
      }
    })().catch(() => {});
    return counts;
  }

  test('an installation is recorded, marked and done once', async t => {
    const release = releaseOf(t);
    const files = {
      'templates/a.yaml': configMap('a', { rev: '{{ .Release.Revision }}', is: '{{ .Release.IsInstall }}' }),
      'templates/NOTES.txt': 'hello',
    };
    const first = await deliver({ files, release, values: { x: 1 } });
    assert.deepEqual(
      { ...first, objects: first.objects.map(({ name }) => name) },
      { revision: 1, chart: 'shop-1.0.0', appVersion: '7', notes: 'hello', objects: ['a'], isUnchanged: false },
    );
    const a = await client.get(ConfigMap, { ...release, name: 'a' });
    assert.deepEqual(a?.data, { rev: '1', is: 'true' });
    assert.equal(a.metadata.labels?.['app.kubernetes.io/managed-by'], 'Helm');
    assert.equal(a.metadata.annotations?.['meta.helm.sh/release-name'], 'web');

    const { release: recorded } = await lastRecord(release);
    assert.equal(recorded.status, 'deployed');
    assert.equal(recorded.description, 'Install complete');
    assert.deepEqual(recorded.config, { x: 1 });
    const again = await deliver({ files, release, values: { x: 1 } });
    assert.equal(again.isUnchanged, true);
    assert.deepEqual(again.objects, first.objects);
    assert.deepEqual(await historyOf(member, release), ['1 deployed']);
    assert.equal((await client.get(ConfigMap, { ...release, name: 'a' }))?.metadata.resourceVersion, a.metadata.resourceVersion);
  });

  test('an upgrade deletes what left and leaves what is to be kept', async t => {
    const release = releaseOf(t);
    const keep = configMap('kept', {}, { 'helm.sh/resource-policy': 'keep' });
    await deliver({
      release,
      files: { 'templates/a.yaml': configMap('a', { x: '1', y: '1' }), 'templates/b.yaml': configMap('b'), 'templates/k.yaml': keep },
    });
    const outcome = await deliver({ release, files: { 'templates/a.yaml': configMap('a', { x: '2' }) } });
    assert.equal(outcome.revision, 2);
    assert.deepEqual(await names(release.namespace), ['a', 'kept']);
    assert.deepEqual((await client.get(ConfigMap, { ...release, name: 'a' }))?.data, { x: '2' });
    assert.deepEqual(await historyOf(member, release), ['1 superseded', '2 deployed']);
    assert.equal((await lastRecord(release)).release.description, 'Upgrade complete');
  });

  test('hooks run by weight and name, once, and go as their policy says', async t => {
    const release = releaseOf(t);
    const counts = countJobs(t, release.namespace);
    const order: string[] = [];
    const files = {
      'templates/a.yaml': configMap('a'),
      'templates/1.yaml': hookJob('second', 'pre-install,pre-upgrade', { weight: 5 }),
      'templates/2.yaml': hookJob('first', 'pre-install', { weight: -5, policy: 'hook-succeeded' }),
      'templates/3.yaml': hookJob('third', 'post-install, pre-install', { weight: 5 }),
      'templates/4.yaml': hookJob('never', 'test'),
    };
    const onProgress: ReleaseContext['onProgress'] = ({ step, object }) => order.push(object?.name ?? step);
    await deliver({ files, release }, ctx({ onProgress }));
    assert.deepEqual(order, ['first', 'second', 'third', 'Applying', 'Waiting', 'third']);
    const jobs = (await client.list(Job, { namespace: release.namespace })).items.map(({ metadata }) => metadata.name);
    assert.deepEqual(jobs.sort(), ['second', 'third']);
    await deliver({ files, release, values: { changed: true } });
    assert.deepEqual(Object.fromEntries([...counts].sort()), { first: 1, second: 2, third: 2 });
    const { release: recorded } = await lastRecord(release);
    assert.equal(recorded.hooks.find(({ name }) => name === 'second')?.lastRun.phase, 'Succeeded');
  });

  test('a hook that fails makes the release fail, in words that people of helm know', async t => {
    const release = releaseOf(t);
    const files = {
      'templates/a.yaml': configMap('a'),
      'templates/h.yaml': hookJob('check', 'pre-install', { fails: true, policy: 'hook-failed' }),
    };
    await assert.rejects(deliver({ files, release }), error => {
      assert.ok(error instanceof ReleaseError);
      assert.equal(error.reason, workReasons.hookFailed);
      assert.match(errorText(error), /^release web failed: failed pre-install: hook shop\/templates\/h\.yaml failed: .*Job .*check/);
      return true;
    });
    assert.match((await lastRecord(release)).release.description, /^Release "web" failed: failed pre-install: hook shop/);
    assert.deepEqual(await names(release.namespace), []);
    assert.deepEqual((await client.list(Job, { namespace: release.namespace })).items, []);
    const good = { ...files, 'templates/h.yaml': hookJob('check', 'pre-install') };
    assert.equal((await deliver({ files: good, release })).revision, 2);
    assert.deepEqual(await historyOf(member, release), ['1 failed', '2 deployed']);
    assert.deepEqual(
      (await client.list(Job, { namespace: release.namespace })).items.map(({ metadata }) => metadata.name),
      ['check'],
    );
  });

  test('what does not get healthy in time makes the release fail, and says what it is', async t => {
    const release = releaseOf(t);
    const front = (annotations: object) =>
      JSON.stringify({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'front' },
        spec: {
          selector: { matchLabels: { app: 'front' } },
          template: { metadata: { labels: { app: 'front' }, annotations }, spec: { containers: [{ name: 'front', image: 'nginx' }] } },
        },
      });
    const bad = { 'templates/d.yaml': front({ 'sandbox.drover.io/behavior': 'not-ready' }) };
    await assert.rejects(deliver({ files: bad, release, options: { timeout: '1500ms' } }), error => {
      assert.ok(error instanceof ReleaseError && error.reason === workReasons.timedOut && error.revision === 1);
      assert.match(errorText(error), /not healthy within 1.5 s: Deployment .*front/);
      return true;
    });
    const good = { 'templates/d.yaml': front({ 'sandbox.drover.io/ready-after': '500ms' }) };
    assert.equal((await deliver({ files: good, release })).revision, 2);
    const kind = { group: 'apps', version: 'v1', kind: 'Deployment', resource: 'deployments', scope: 'Namespaced' } as const;
    const { status } = (await client.get(kind, { ...release, name: 'front' })) as unknown as {
      status: { availableReplicas?: number; updatedReplicas?: number };
    };
    assert.deepEqual([status.availableReplicas, status.updatedReplicas], [1, 1]);
  });

  test('an atomic installation that fails leaves nothing', async t => {
    const release = releaseOf(t);
    const files = {
      'templates/a.yaml': configMap('a'),
      'templates/h.yaml': hookJob('check', 'post-install', { fails: true, policy: 'hook-failed' }),
    };
    await assert.rejects(deliver({ files, release, options: { atomic: true } }), error => {
      assert.match(
        errorText(error),
        /^release web failed, and has been uninstalled due to rollback-on-failure being set: failed post-install: /,
      );
      return error instanceof ReleaseError && error.undone === 'Uninstalled';
    });
    assert.deepEqual(await historyOf(member, release), []);
    assert.deepEqual(await names(release.namespace), []);
  });

  test('an atomic upgrade that fails goes back, and the old inputs are the ones that are there', async t => {
    const release = releaseOf(t);
    const old = { 'templates/a.yaml': configMap('a', { x: '1' }), 'templates/r.yaml': hookJob('back', 'post-rollback') };
    await deliver({ files: old, release });
    const bad = {
      'templates/a.yaml': configMap('a', { x: '2' }),
      'templates/b.yaml': configMap('b'),
      'templates/h.yaml': hookJob('check', 'post-upgrade', { fails: true }),
    };
    await assert.rejects(deliver({ files: bad, release, options: { atomic: true } }), /has been rolled back due to rollback-on-failure/);
    assert.deepEqual(await historyOf(member, release), ['1 superseded', '2 failed', '3 deployed']);
    assert.deepEqual(await names(release.namespace), ['a']);
    assert.deepEqual((await client.get(ConfigMap, { ...release, name: 'a' }))?.data, { x: '1' });
    assert.deepEqual((await client.list(Job, { namespace: release.namespace })).items.map(({ metadata }) => metadata.name).sort(), [
      'back',
      'check',
    ]);
    assert.equal((await deliver({ files: old, release })).isUnchanged, true);
  });

  test('objects of others are refused before anything is done', async t => {
    const release = releaseOf(t);
    await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: release.namespace } });
    await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: release.namespace } });
    const files = { 'templates/a.yaml': configMap('a', { x: '1' }), 'templates/h.yaml': hookJob('early', 'pre-install') };
    await assert.rejects(deliver({ files, release }), error => {
      assert.ok(error instanceof DeliveryError && error.reason === workReasons.notOwned && error.isFinal);
      assert.match(errorText(error), /^unable to continue with install: ConfigMap .*a is there already/);
      return true;
    });
    assert.deepEqual(await historyOf(member, release), []);
    assert.deepEqual((await client.list(Job, { namespace: release.namespace })).items, []);
    await deliver({ files, release, options: { takeOwnership: true } });
    assert.deepEqual((await client.get(ConfigMap, { ...release, name: 'a' }))?.data, { x: '1' });
  });

  test('no more revisions are kept than asked for, and never fewer than the deployed one', async t => {
    const release = releaseOf(t);
    for (const x of ['1', '2', '3', '4'])
      await deliver({ release, files: { 'templates/a.yaml': configMap('a', { x }) }, options: { history: 2 } });
    assert.deepEqual(await historyOf(member, release), ['3 superseded', '4 deployed']);
    const bad = (x: string) => ({
      'templates/a.yaml': configMap('a', { x }),
      'templates/h.yaml': hookJob('check', 'pre-upgrade', { fails: true }),
    });
    for (const x of ['5', '6', '7']) await assert.rejects(deliver({ release, files: bad(x), options: { history: 2 } }), ReleaseError);
    await deliver({ release, files: { 'templates/a.yaml': configMap('a', { x: '8' }) }, options: { history: 2 } });
    assert.deepEqual(await historyOf(member, release), ['7 failed', '8 deployed']);
  });

  test('definitions come first, and the chart sees them', async t => {
    const release = releaseOf(t);
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'piers.harbour.example.com' },
      spec: {
        group: 'harbour.example.com',
        scope: 'Namespaced',
        names: { plural: 'piers', singular: 'pier', kind: 'Pier' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    };
    const pier =
      '{{ if .Capabilities.APIVersions.Has "harbour.example.com/v1" }}\napiVersion: harbour.example.com/v1\nkind: Pier\nmetadata: { name: north }\n{{ end }}';
    const files = { 'crds/pier.yaml': JSON.stringify(definition), 'templates/pier.yaml': pier };
    const { objects } = await deliver({ files, release });
    assert.deepEqual(objects, [{ group: 'harbour.example.com', version: 'v1', kind: 'Pier', namespace: release.namespace, name: 'north' }]);
    await uninstallRelease(member, release, {}, ctx());
    assert.ok(await client.get(CustomResourceDefinition, { name: 'piers.harbour.example.com' }));
  });

  test('a delivery that was stopped goes on, and its hook does not run again', async t => {
    const release = releaseOf(t);
    const counts = countJobs(t, release.namespace);
    const files = {
      'templates/a.yaml': configMap('a'),
      'templates/h.yaml': hookJob('once', 'pre-install', { policy: 'hook-succeeded' }),
      'templates/i.yaml': hookJob('twice', 'pre-install,post-install'),
    };
    for (const where of ['once', 'twice', 'Applying', 'Waiting', 'twice']) {
      const stop = new AbortController();
      const onProgress: ReleaseContext['onProgress'] = ({ step, object }) => {
        if ((object?.name ?? step) === where) stop.abort(new Error('stopped'));
      };
      await assert.rejects(deliver({ files, release }, ctx({ signal: stop.signal, onProgress })), /stopped/);
      assert.deepEqual(await historyOf(member, release), ['1 pending-install']);
    }
    await deliver({ files, release });
    assert.deepEqual(await historyOf(member, release), ['1 deployed']);
    assert.deepEqual(Object.fromEntries(counts), { once: 1, twice: 2 });
  });

  test('two that deliver the same at once do it once', async t => {
    const release = releaseOf(t);
    const counts = countJobs(t, release.namespace);
    const files = {
      'templates/a.yaml': configMap('a'),
      'templates/h.yaml': hookJob('once', 'pre-install'),
      'templates/i.yaml': hookJob('later', 'post-install'),
    };
    const work = async (): Promise<void> => {
      // Whoever meets the other one's writes throws and comes again, as a queue would have it.
      for (let tries = 0; ; tries++) {
        const error = await deliver({ files, release }).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        if (error === undefined) return;
        assert.ok(tries < 50 && !(error instanceof ReleaseError), errorText(error));
      }
    };
    await Promise.all([work(), work(), work()]);
    assert.deepEqual(await historyOf(member, release), ['1 deployed']);
    assert.deepEqual(Object.fromEntries(counts), { once: 1, later: 1 });
  });

  test('other inputs end what was begun before', async t => {
    const release = releaseOf(t);
    const stop = new AbortController();
    const files = { 'templates/a.yaml': configMap('a'), 'templates/b.yaml': configMap('b') };
    await assert.rejects(
      deliver({ files, release }, ctx({ signal: stop.signal, onProgress: ({ step }) => step === 'Waiting' && stop.abort() })),
    );
    const { tookOver } = await deliver({ files: { 'templates/a.yaml': configMap('a') }, release });
    assert.match(tookOver ?? '', /revision 1 was left pending-install by an earlier delivery/);
    assert.deepEqual(await historyOf(member, release), ['1 failed', '2 deployed']);
    assert.deepEqual(await names(release.namespace), ['a']);
  });

  test('what another program left pending is taken over once it cannot be at work any more', async t => {
    const release = releaseOf(t);
    const files = { 'templates/a.yaml': configMap('a') };
    await deliver({ files, release });
    const record = await lastRecord(release);
    await updateRecord(member, { ...record, progress: undefined, release: { ...record.release, status: 'pending-upgrade' } }, ctx());
    await assert.rejects(deliver({ files, release }), /another operation \(install\/upgrade\/rollback\) is in progress/);
    const later = ctx({ now: () => new Date(Date.now() + 61_000) });
    assert.match((await deliver({ files, release }, later)).tookOver ?? '', /revision 1 was left pending-upgrade by another program/);
    assert.deepEqual(await historyOf(member, release), ['1 failed', '2 deployed']);
  });

  test('uninstalling runs hooks, keeps what is to be kept and leaves no record', async t => {
    const release = releaseOf(t);
    const counts = countJobs(t, release.namespace);
    const files = {
      'templates/a.yaml': configMap('a'),
      'templates/k.yaml': configMap('kept', {}, { 'helm.sh/resource-policy': 'keep' }),
      'templates/h.yaml': hookJob('before', 'pre-delete'),
      'templates/i.yaml': hookJob('after', 'post-delete', { policy: 'hook-succeeded' }),
    };
    await deliver({ files, release });
    const { removed, kept } = await uninstallRelease(member, release, {}, ctx());
    assert.deepEqual([removed.map(({ name }) => name), kept.map(({ name, why }) => `${name} ${why}`)], [['a'], ['kept policy']]);
    assert.deepEqual(await historyOf(member, release), []);
    assert.deepEqual(await names(release.namespace), ['kept']);
    assert.deepEqual(Object.fromEntries(counts), { before: 1, after: 1 });
    assert.deepEqual(await uninstallRelease(member, release, {}, ctx()), { removed: [], kept: [] });
  });

  test('uninstalling may keep the history, and what comes next is an installation', async t => {
    const release = releaseOf(t);
    const files = { 'templates/a.yaml': configMap('a', { is: '{{ .Release.IsInstall }}' }) };
    await deliver({ files, release });
    await uninstallRelease(member, release, { keepHistory: true }, ctx());
    assert.deepEqual(await historyOf(member, release), ['1 uninstalled']);
    assert.deepEqual(await names(release.namespace), []);
    await deliver({ files, release });
    assert.deepEqual(await historyOf(member, release), ['1 uninstalled', '2 deployed']);
    assert.deepEqual((await client.get(ConfigMap, { ...release, name: 'a' }))?.data, { is: 'true' });
  });

  test('a hook that keeps a release from going runs anew with the next try, others do not', async t => {
    const release = releaseOf(t);
    const counts = countJobs(t, release.namespace);
    const hook = (fails: boolean) => hookJob('veto', 'pre-delete', { fails, weight: 2 });
    const files = {
      'templates/a.yaml': configMap('a'),
      'templates/g.yaml': hookJob('first', 'pre-delete', { weight: 1 }),
      'templates/h.yaml': hook(true),
    };
    await deliver({ files, release });
    for (let i = 0; i < 2; i++)
      await assert.rejects(uninstallRelease(member, release, {}, ctx()), /uninstall of release web failed: pre-delete hooks failed/);
    assert.deepEqual(await names(release.namespace), ['a']);
    assert.deepEqual(Object.fromEntries(counts), { first: 1, veto: 2 });
    await uninstallRelease(member, release, { hooks: false }, ctx());
    assert.deepEqual(await historyOf(member, release), []);
  });

  test('a Job that would be gone when it ends is still seen to have ended', async t => {
    const release = releaseOf(t);
    const files = { 'templates/h.yaml': hookJob('brief', 'pre-install', { ttl: 0 }) };
    await deliver({ files, release });
    const { release: recorded } = await lastRecord(release);
    assert.equal(recorded.hooks[0]?.lastRun.phase, 'Succeeded');
  });

  test('a record that nobody can read counts as a revision and does no harm', async t => {
    const release = releaseOf(t);
    await deliver({ release, files: { 'templates/a.yaml': configMap('a', { x: '1' }) } });
    const broken = {
      labels: { name: 'web', owner: 'helm', status: 'deployed', version: '2' },
      name: 'sh.helm.release.v1.web.v2',
      namespace: release.namespace,
    };
    await client.create(Secret, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: broken,
      type: 'helm.sh/release.v1',
      data: { release: 'eA==' },
    });
    assert.equal((await deliver({ release, files: { 'templates/a.yaml': configMap('a', { x: '2' }) } })).revision, 3);
  });

  test('nothing went wrong in the background', () => assert.deepEqual(sandbox.problems, []));
});
