import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../test/helpers/eventually.ts';
import { startMemoryServer } from '../../test/helpers/memory-server.ts';
import { Lease } from '../api/builtin-kinds.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { UnreachableError } from '../client/transport.ts';
import { acquireLease, type Instant, type Leader, type LeaseOptions } from './leader-lease.ts';
import { hasEnded, processMark } from './process-mark.ts';

const place = { namespace: 'default', name: 'hub' };
const times = { durationMs: 1000, actMs: 500, renewEveryMs: 50 };

function candidate(hub: KubeClient, identity: string, more: Partial<LeaseOptions> = {}): LeaseOptions {
  return { hub, ...place, identity, address: `${identity}:7443`, signal: new AbortController().signal, times, ...more };
}

test('one leads, the other hears where, and follows at once when the first goes in order', async t => {
  const { client } = await startMemoryServer(t);
  const first = await acquireLease(candidate(client, 'a'));
  const heard: Leader[] = [];
  const stopped = new AbortController();
  const waiting = acquireLease(candidate(client, 'b', { signal: stopped.signal, onStandBy: leader => void heard.push(leader) }));
  await eventually(() => heard[0], Boolean);
  assert.deepEqual(heard[0], { identity: 'a', address: 'a:7443' });
  assert.equal(first.isHeld, true);
  await first.release();
  assert.equal(first.isHeld, false);
  const second = await waiting;
  assert.equal(second.isHeld, true);
  assert.equal((await client.get(Lease, place))?.spec?.leaseTransitions, 1);
  await second.release();
});

test('a leader that falls silent has stopped to act before another leads', async t => {
  const { client } = await startMemoryServer(t);
  const dies = new AbortController();
  const first = await acquireLease(candidate(client, 'a', { signal: dies.signal }));
  dies.abort();
  const second = await acquireLease(candidate(client, 'b'));
  assert.deepEqual([first.isHeld, second.isHeld], [false, true]);
  await second.release();
});

test('a leader whose place was taken hears of it', async t => {
  const { client } = await startMemoryServer(t);
  const lease = await acquireLease(candidate(client, 'a'));
  const patch = { type: 'merge', body: { spec: { holderIdentity: 'b' } } } as const;
  await client.patch(Lease, place, patch);
  assert.match((await lease.lost).message, /"b" leads now/);
  assert.equal(lease.isHeld, false);
});

test('a write of somebody else that leaves the leader in place is no loss', async t => {
  const { client } = await startMemoryServer(t);
  const lease = await acquireLease(candidate(client, 'a'));
  await client.patch(Lease, place, { type: 'merge', body: { metadata: { labels: { seen: 'yes' } } } });
  const before = (await client.get(Lease, place))?.spec?.renewTime;
  await eventually(
    async () => (await client.get(Lease, place))?.spec?.renewTime,
    time => time !== before,
  );
  assert.equal((await client.get(Lease, place))?.metadata.labels?.['seen'], 'yes');
  assert.equal(lease.isHeld, true);
  await lease.release();
});

test('a leader that cannot renew does not act, and goes on when nobody has taken its place', async t => {
  const { client } = await startMemoryServer(t);
  let isAway = false;
  let clock: Instant = { steadyMs: 0, wallMs: 0 };
  const update: KubeClient['update'] = (...args) => (isAway ? Promise.reject(new UnreachableError('away')) : client.update(...args));
  const hub = { ...client, get: client.get.bind(client), create: client.create.bind(client), update } as KubeClient;
  const lease = await acquireLease(candidate(hub, 'a', { now: () => clock }));
  isAway = true;
  clock = { steadyMs: 499, wallMs: 499 };
  assert.equal(lease.isHeld, true);
  // A machine that slept: the steady clock stood still.
  clock = { steadyMs: 499, wallMs: 60_000 };
  assert.equal(lease.isHeld, false);
  isAway = false;
  await eventually(() => lease.isHeld, Boolean);
  await lease.release();
});

test('the lease of a process of this machine that has ended is free at once', async t => {
  const { client } = await startMemoryServer(t);
  const mark = processMark();
  if (mark === undefined) return t.skip('no /proc');
  const ended = mark.replace(/[0-9]+$/, '1');
  assert.deepEqual([hasEnded(mark), hasEnded(ended), hasEnded('elsewhere pid:[1] 1 1'), hasEnded('')], [false, true, false, false]);
  const dies = new AbortController();
  const long = { ...times, durationMs: 600_000 };
  await acquireLease(candidate(client, 'a', { mark: ended, signal: dies.signal, times: long }));
  dies.abort();
  const second = await acquireLease(candidate(client, 'b', { times: long }));
  await second.release();
});
