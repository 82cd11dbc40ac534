import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { ConfigMap, Deployment } from '../../api/builtin-kinds.ts';
import type { KubeObject } from '../../api/object.ts';
import type { DriftedField } from '../../api/work.ts';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryServer } from '../../../test/helpers/memory-server.ts';
import { applyObjects } from './apply-objects.ts';
import { openMember, type Member } from './member.ts';
import { watchDrift, type DriftState, type DriftWatchOptions } from './watch-drift.ts';

const namespace = 'default';
const owner = { work: 'c-m-00000000/web' };
const patient = { timeoutMs: 30_000 };

const config = (name: string, data: Record<string, string>): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
});

interface Watching {
  readonly reports: { fields: readonly DriftedField[]; state: DriftState }[];
  readonly errors: unknown[];
  readonly corrected: string[];
  readonly watch: Disposable;
  /** Waits for a report that is so. */
  hear(isRight: (fields: readonly DriftedField[], state: DriftState) => boolean): Promise<readonly DriftedField[]>;
}

async function startRig(t: TestContext) {
  const { client } = await startMemoryServer(t);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const member = openMember('member', client, { signal: stop.signal });

  async function watching(
    objects: readonly KubeObject[],
    options: Partial<DriftWatchOptions> = {},
    seenBy: Member = member,
  ): Promise<Watching> {
    await applyObjects(member, objects, { owner, signal: stop.signal });
    const reports: Watching['reports'] = [];
    const errors: unknown[] = [];
    const corrected: string[] = [];
    const watch = watchDrift(seenBy, objects, {
      correct: false,
      owner,
      signal: stop.signal,
      debounceMs: 20,
      reportEveryMs: 20,
      onDrift: (fields, state) => void reports.push({ fields, state }),
      onCorrected: ({ name }) => void corrected.push(name),
      onError: error => void errors.push(error),
      ...options,
    });
    const hear: Watching['hear'] = async isRight => {
      const last = await eventually(
        () => reports.at(-1),
        report => report !== undefined && isRight(report.fields, report.state),
        patient,
      );
      return last!.fields;
    };
    await hear(fields => fields.length === 0);
    return { reports, errors, corrected, watch, hear };
  }

  const edit = (name: string, data: Record<string, string | null>) =>
    client.patch(ConfigMap, { namespace, name }, { type: 'merge', body: { data } }, { fieldManager: 'kubectl-edit' });
  const read = (name: string) => client.get(ConfigMap, { namespace, name });
  return { client, member, watching, edit, read };
}

test('drift is told when it comes and when it goes', async t => {
  const { watching, edit } = await startRig(t);
  const { hear, reports } = await watching([config('a', { key: '1' }), config('b', { key: '1' })]);
  await edit('a', { key: '2', beside: 'x' });
  const [field] = await hear(fields => fields.length === 1);
  assert.deepEqual(field, {
    group: '',
    version: 'v1',
    kind: 'ConfigMap',
    namespace,
    name: 'a',
    path: '.data.key',
    manager: 'kubectl-edit',
    want: '1',
    have: '2',
  });
  await edit('a', { key: '1' });
  await hear(fields => fields.length === 0);
  assert.equal(reports.length, 3);
});

test('an object that is deleted is told, and put back when asked', async t => {
  const { client, watching, read } = await startRig(t);
  const { hear, corrected } = await watching([config('a', { key: '1' })], { correct: true });
  await client.delete(ConfigMap, { namespace, name: 'a' });
  await eventually(() => read('a'), Boolean, patient);
  await hear(fields => fields.length === 0);
  assert.deepEqual(corrected, ['a']);
});

test('drift is put right when asked, and what others added stays', async t => {
  const { watching, edit, read } = await startRig(t);
  const { reports } = await watching([config('a', { key: '1' })], { correct: true });
  await edit('a', { key: '2', beside: 'x' });
  const fixed = await eventually(
    () => read('a'),
    obj => obj?.data?.['key'] === '1',
    patient,
  );
  assert.deepEqual(fixed!.data, { key: '1', beside: 'x' });
  assert.ok(reports.some(({ fields }) => fields[0]?.manager === 'kubectl-edit'));
});

test('marks of the owner that somebody removes are put back', async t => {
  const { client, watching, read } = await startRig(t);
  await watching([config('a', { key: '1' })], { correct: true });
  const body = { metadata: { annotations: { 'drover.io/work': null } } };
  await client.patch(ConfigMap, { namespace, name: 'a' }, { type: 'merge', body }, { fieldManager: 'kubectl-edit' });
  await eventually(
    () => read('a'),
    obj => obj?.metadata.annotations?.['drover.io/work'] === owner.work,
    patient,
  );
});

test('an object that another owner has put in its place is not taken from it', async t => {
  const { client, watching, read } = await startRig(t);
  const { errors, hear } = await watching([config('a', { key: '1' })], { correct: true });
  const body = { metadata: { annotations: { 'drover.io/work': 'c-m-00000000/other' } }, data: { key: '2' } };
  await client.patch(ConfigMap, { namespace, name: 'a' }, { type: 'merge', body }, { fieldManager: 'other' });
  await hear((fields, { failures }) => fields.length === 2 && failures.length === 1);
  assert.match(String(errors[0]), /belongs to Work "c-m-00000000\/other"/);
  assert.equal((await read('a'))!.data!['key'], '2');
});

test('whoever changes it back each time is named, and answered less and less often', async t => {
  const { client, watching, edit } = await startRig(t);
  const { hear, corrected, reports } = await watching([config('a', { key: '1' })], { correct: true });
  const stop = new AbortController();
  const controller = (async () => {
    const events = client.watch(ConfigMap, { namespace, fieldSelector: 'metadata.name=a', sendInitialEvents: true, signal: stop.signal });
    for await (const event of events)
      if ('object' in event && event.type !== 'BOOKMARK' && event.object.data?.['key'] === '1') await edit('a', { key: '2' });
  })().catch(() => {});
  await hear((_, { fights }) => fights[0]?.manager === 'kubectl-edit' && fights[0].corrections >= 2);
  stop.abort();
  await controller;
  assert.ok(corrected.length <= 4, `${corrected.length} corrections`);
  assert.ok(reports.length <= 8, `${reports.length} reports`);
});

test('replicas that an autoscaler owns, and excluded paths, are left alone', async t => {
  const { client, member, watching } = await startRig(t);
  const web = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace, labels: { team: 'a', tier: 'a' } },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
    },
  } as Deployment;
  const kind = await member.kinds.find(
    { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' },
    AbortSignal.timeout(10_000),
  );
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  await client.create(kind!, {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web', namespace },
    spec: { maxReplicas: 9, scaleTargetRef },
  });
  const { hear, reports } = await watching([web], { correct: true, exclusions: [{ paths: ['/metadata/labels/team'] }] });
  const body = { metadata: { labels: { team: 'b', tier: 'b' } }, spec: { replicas: 7 } };
  await client.patch(Deployment, { namespace, name: 'web' }, { type: 'merge', body }, { fieldManager: 'hpa' });
  const read = () => client.get(Deployment, { namespace, name: 'web' });
  const fixed = await eventually(read, obj => obj?.metadata.labels?.['tier'] === 'a', patient);
  await hear(fields => fields.length === 0);
  assert.equal(fixed!.spec!.replicas, 7);
  assert.equal(fixed!.metadata.labels!['team'], 'b');
  const told = new Set(reports.flatMap(({ fields }) => fields.map(({ path }) => path)));
  assert.deepEqual([...told], ['.metadata.labels.tier']);
});

test('nothing is heard after the end', async t => {
  const { watching, edit } = await startRig(t);
  const first = await watching([config('a', { key: '1' })]);
  first.watch[Symbol.dispose]();
  const second = await watching([config('a', { key: '1' })]);
  await edit('a', { key: '2' });
  await second.hear(fields => fields.length === 1);
  assert.equal(first.reports.length, 1);
});

test('everything is compared anew as often as is asked, whatever the watch tells', async t => {
  const { member, watching, edit } = await startRig(t);
  const told = new Set<string>();
  // A watch that dies in silence after the first word.
  const deaf = {
    ...member,
    watches: {
      ...member.watches,
      follow: ((ref, hear) =>
        member.watches.follow(ref, live => {
          if (told.has(ref.name)) return;
          told.add(ref.name);
          hear(live);
        })) as typeof member.watches.follow,
    },
  };
  const { hear } = await watching([config('a', { key: '1' })], { compareEveryMs: 50 }, deaf);
  await edit('a', { key: '2' });
  await hear(fields => fields.length === 1);
});

test('a member that answers slowly is asked once at a time', async t => {
  const { member, watching } = await startRig(t);
  let [asked, underWay, most] = [0, 0, 0];
  const slow = {
    ...member,
    client: {
      ...member.client,
      get: (async (...args: Parameters<typeof member.client.get>) => {
        asked++;
        most = Math.max(most, ++underWay);
        await setTimeout(20);
        underWay--;
        return member.client.get(...args);
      }) as typeof member.client.get,
    },
  };
  await watching([config('a', { key: '1' })], { compareEveryMs: 1 }, slow);
  await eventually(() => asked > 5);
  assert.equal(most, 1);
});
