import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Deployment } from '../../api/builtin-kinds.ts';
import type { KubeObject } from '../../api/object.ts';
import { deliveryManager, workAnnotations } from '../../api/work.ts';
import { startMemoryServer } from '../../../test/helpers/memory-server.ts';
import { withoutOwnedByOthers, type LeaveAloneOptions } from './drift-left-alone.ts';
import { openMember } from './member.ts';

const namespace = 'default';
const ref = { name: 'web', namespace };

const deployment = (image = 'nginx:1'): Deployment =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...ref },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'web', image, args: ['-a', '-b'] }] },
      },
    },
  }) as Deployment;

const autoscaler = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { ...ref },
  spec: { maxReplicas: 9, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
} as KubeObject;

async function startRig(t: Parameters<typeof startMemoryServer>[0]) {
  const { client } = await startMemoryServer(t);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const { signal } = stop;
  const member = openMember('member', client, { signal });
  const leave = async (obj: KubeObject, options: Omit<LeaveAloneOptions, 'signal'> = {}) =>
    (await withoutOwnedByOthers(member, [obj], { ...options, signal }))[0] as Deployment;
  return {
    client,
    leave,
    deliver: async (options: Omit<LeaveAloneOptions, 'signal'> = {}, obj: KubeObject = deployment()) =>
      client.apply(Deployment, (await leave(obj, options)) as Deployment, { fieldManager: deliveryManager }),
    scale: (replicas: number) =>
      client.patch(Deployment, ref, { type: 'merge', body: { spec: { replicas } } }, { fieldManager: 'hpa', subresource: 'scale' }),
    addAutoscaler: async () => {
      const kind = await member.kinds.find({ group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' }, signal);
      await client.create(kind!, autoscaler);
    },
  };
}

test('replicas that an autoscaler has set survive the next delivery', async t => {
  const { addAutoscaler, deliver, scale } = await startRig(t);
  await addAutoscaler();
  assert.equal((await deliver()).spec!.replicas, 3);
  await scale(7);
  const { spec } = await deliver({}, deployment('nginx:2'));
  assert.equal(spec!.replicas, 7);
  assert.equal(spec!.template.spec!.containers[0]!.image, 'nginx:2');
});

test('replicas that nobody has scaled yet are not reset when an autoscaler appears', async t => {
  const { addAutoscaler, deliver } = await startRig(t);
  await deliver();
  await addAutoscaler();
  assert.equal((await deliver({}, { ...deployment(), spec: { ...deployment().spec, replicas: 2 } })).spec!.replicas, 3);
});

test('what is put to sleep stays asleep whatever an autoscaler has set, and is woken again', async t => {
  const { addAutoscaler, deliver, scale } = await startRig(t);
  await addAutoscaler();
  await deliver();
  await scale(7);
  const asleep = { ...deployment(), metadata: { ...ref, annotations: { [workAnnotations.asleep]: 'true' } } };
  assert.equal((await deliver({}, { ...asleep, spec: { ...asleep.spec, replicas: 0 } })).spec!.replicas, 0);
  assert.equal((await deliver()).spec!.replicas, 3);
  // What others have put to sleep is theirs to wake.
  await scale(0);
  assert.equal((await deliver()).spec!.replicas, 0);
});

test('without an autoscaler replicas are delivered', async t => {
  const { deliver, scale } = await startRig(t);
  await deliver();
  await scale(7);
  assert.equal((await deliver()).spec!.replicas, 3);
});

test('excluded fields stay as others made them, also inside of lists', async t => {
  const { client, deliver } = await startRig(t);
  const exclusions = [
    { paths: ['/spec/template/spec/containers/*/image', '/spec/template/spec/containers/0/args/1', '/metadata/labels/team'] },
  ];
  await deliver();
  const body = [
    { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'nginx:9' },
    { op: 'replace', path: '/spec/template/spec/containers/0/args', value: ['-x', '-y'] },
    { op: 'add', path: '/spec/template/spec/containers/0', value: { name: 'sidecar', image: 'envoy' } },
  ];
  await client.patch(Deployment, ref, { type: 'json', body }, { fieldManager: 'kubectl-edit' });
  const { spec, metadata } = await deliver({ exclusions }, { ...deployment(), metadata: { ...ref, labels: { team: 'a' } } });
  const [sidecar, web] = [...spec!.template.spec!.containers].sort((a, b) => a.name.localeCompare(b.name));
  assert.equal(sidecar!.name, 'sidecar');
  assert.equal(web!.image, 'nginx:9');
  assert.deepEqual(web!.args, ['-a', '-y']);
  assert.equal(metadata.labels?.['team'], 'a');
});

test('an excluded field that nobody else has written is delivered', async t => {
  const { deliver } = await startRig(t);
  const exclusions = [{ paths: ['/spec/replicas'] }];
  await deliver({ exclusions });
  assert.equal((await deliver({ exclusions }, { ...deployment(), spec: { ...deployment().spec, replicas: 2 } })).spec!.replicas, 2);
});

test('a correction does not bring back an excluded field that somebody took away', async t => {
  const { deliver, leave } = await startRig(t);
  await deliver();
  const want = { ...deployment(), metadata: { ...ref, labels: { team: 'a', other: 'b' } } };
  const { metadata } = await leave(want, { exclusions: [{ paths: ['/metadata/labels/team'] }], missing: 'leave' });
  assert.deepEqual(metadata.labels, { other: 'b' });
});

test('an object that is not there yet is delivered whole', async t => {
  const { leave } = await startRig(t);
  const obj = deployment();
  assert.equal(await leave(obj, { exclusions: [{ paths: ['/spec'] }] }), obj);
});
