import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KindRef } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import { workReasons } from '../../api/work.ts';
import { eventually } from '../../../test/helpers/eventually.ts';
import { applyObjects } from './apply-objects.ts';
import { DeliveryError } from './delivery-error.ts';
import { judgeHook } from './judge-hook.ts';
import { configMap, deployment, startMemoryMember, widget, widgetDefinition, type MemoryMember } from './member-test-support.ts';
import { refOf } from './object-ref.ts';
import { waitHealthy } from './wait-healthy.ts';

const owner = { work: 'c-m-1/plain' };
const Widget: KindRef = { group: 'example.com', version: 'v1', kind: 'Widget', resource: 'widgets', scope: 'Namespaced' };

const deliver = (member: MemoryMember, objects: readonly KubeObject[]) => applyObjects(member, objects, { owner, signal: member.signal });

async function say(member: MemoryMember, name: string, status: object): Promise<void> {
  await member.client.patch(Widget, { namespace: 'shop', name }, { type: 'merge', body: { status } as never }, { subresource: 'status' });
}

const ready = (status: string, message = '') => ({ conditions: [{ type: 'Ready', status, message }] });

/** Returns when the watches know the objects. */
async function seen(member: MemoryMember, objects: readonly KubeObject[]): Promise<Disposable> {
  const following = new DisposableStack();
  const told = new Set<KubeObject>();
  for (const obj of objects) following.use(member.watches.follow(refOf(obj), () => told.add(obj)));
  await eventually(() => told.size === objects.length, Boolean, { what: 'the objects in the watches' });
  return following;
}

test('the waiting ends when everything is healthy, and tells every change until then', async t => {
  const member = await startMemoryMember(t);
  const { signal } = member;
  const objects = [configMap('a'), widgetDefinition, widget('w')];
  await deliver(member, objects);
  await say(member, 'w', ready('False', 'warming up'));
  const told: string[] = [];
  const waited = waitHealthy(member, objects.map(refOf), {
    timeoutMs: 30_000,
    signal,
    onChange: (ref, { health, message }) => told.push(`${ref.name} ${health} ${message}`),
  });
  await eventually(() => told.length === 3, Boolean, { what: 'the first states' });
  await say(member, 'w', ready('True'));
  await waited;
  assert.deepEqual(
    told.filter(line => line.startsWith('w ')),
    ['w InProgress warming up', 'w Current Resource is Ready'],
  );
});

test('when time is up those that are not healthy are named, three and a count', async t => {
  const member = await startMemoryMember(t);
  const { signal } = member;
  const widgets = ['a', 'b', 'c', 'd', 'e'].map(name => widget(name));
  await deliver(member, [widgetDefinition, ...widgets]);
  for (const { metadata } of widgets) await say(member, metadata.name!, ready(metadata.name === 'a' ? 'True' : 'False', 'warming up'));
  using _ = await seen(member, widgets);
  await assert.rejects(waitHealthy(member, widgets.map(refOf), { timeoutMs: 500, signal }), (error: unknown) => {
    assert.ok(error instanceof DeliveryError);
    assert.equal(error.reason, workReasons.timedOut);
    assert.equal(
      error.message,
      'not healthy within 0.5 s: Widget shop/b: InProgress, warming up; Widget shop/c: InProgress, warming up; Widget shop/d: InProgress, warming up and 1 more',
    );
    return true;
  });
});

test('what has failed ends the waiting only when nothing else is left to wait for', async t => {
  const member = await startMemoryMember(t);
  const { signal } = member;
  await deliver(member, [widgetDefinition, widget('bad'), widget('slow')]);
  await say(member, 'bad', { conditions: [{ type: 'Stalled', status: 'True', message: 'no such image' }] });
  await say(member, 'slow', ready('False'));
  const told: string[] = [];
  let isOver = false;
  const waited = waitHealthy(member, [widget('bad'), widget('slow')].map(refOf), {
    timeoutMs: 30_000,
    signal,
    onChange: (ref, { health }) => told.push(`${ref.name} ${health}`),
  }).finally(() => (isOver = true));
  waited.catch(() => {});
  await eventually(() => told.length === 2, Boolean, { what: 'the first states' });
  assert.equal(isOver, false);
  await say(member, 'slow', ready('True'));
  await assert.rejects(waited, {
    name: 'DeliveryError',
    reason: workReasons.unhealthy,
    message: 'not healthy: Widget shop/bad: Failed, no such image',
  });
});

test('a state from before the delivery does not count', async t => {
  const member = await startMemoryMember(t);
  const { signal } = member;
  const [, before] = await deliver(member, [widgetDefinition, widget('w', { size: 1 })]);
  await say(member, 'w', ready('True'));
  // As of a version that the watch has not seen yet.
  const future = { ...before!, metadata: { ...before!.metadata, resourceVersion: '999999999' } };
  await assert.rejects(
    waitHealthy(member, [refOf(before!)], { timeoutMs: 300, signal, applied: [future] }),
    /Widget shop\/w: not seen yet/,
  );
  await waitHealthy(member, [refOf(before!)], { timeoutMs: 30_000, signal, applied: [before!] });
});

test('nobody waits for a Deployment that is paused', async t => {
  const member = await startMemoryMember(t);
  const paused = deployment('web');
  (paused['spec'] as { paused: boolean }).paused = true;
  await deliver(member, [paused]);
  await waitHealthy(member, [refOf(paused)], { timeoutMs: 30_000, signal: member.signal });
});

test('giving up ends the waiting with its own reason', async t => {
  const member = await startMemoryMember(t);
  const stop = new AbortController();
  const waited = waitHealthy(member, [refOf(configMap('missing'))], {
    timeoutMs: 30_000,
    signal: stop.signal,
    onChange: () => stop.abort(new Error('stopped')),
  });
  await assert.rejects(waited, { message: 'stopped' });
});

test('a hook that is a Job or Pod must come to its end', () => {
  const job = (status: object) => ({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' }, status });
  const pod = (phase?: string) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, status: { phase } });
  const done = { conditions: [{ type: 'Complete', status: 'True' }], succeeded: 1 };
  const failed = { conditions: [{ type: 'Failed', status: 'True' }], failed: 1 };
  assert.deepEqual(
    [
      job({}),
      job({ startTime: 'now', active: 1 }),
      job(done),
      job(failed),
      pod(),
      pod('Running'),
      pod('Succeeded'),
      pod('Failed'),
      configMap('a'),
    ].map(obj => judgeHook(obj).health),
    ['InProgress', 'InProgress', 'Current', 'Failed', 'InProgress', 'InProgress', 'Current', 'Failed', 'Current'],
  );
  assert.equal(judgeHook(undefined).health, 'NotFound');
});
