import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../api/object.ts';
import type { Work } from '../../api/work.ts';
import type { Member } from '../delivery/member.ts';
import { createFollowers } from './followers.ts';
import { WorkState } from './work-state.ts';

const ref = { group: '', version: 'v1', kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'disk' };
const disk = (phase: string) => ({ apiVersion: 'v1', kind: ref.kind, metadata: { namespace: 'shop', name: 'disk' }, status: { phase } });

test('that everything has become healthy after a delivery is told at once, and what changes later when there is time', () => {
  const work = { metadata: { namespace: 'c-m-1', name: 'a', uid: 'u' }, spec: { release: { name: 'a', namespace: 'shop' } } } as Work;
  const state = new WorkState(work);
  const heard: string[] = [];
  let tell: (obj: KubeObject) => void = () => {};
  const watches = {
    follow(_ref: unknown, hear: typeof tell) {
      tell = hear;
      return { [Symbol.dispose]() {} };
    },
  };
  const stop = new AbortController();
  const followers = createFollowers({ onChange: () => heard.push('change'), onArrival: () => heard.push('arrival') }, stop.signal);
  const deliver = () => {
    state.inventory = [{ ref }];
    state.delivered = { inputs: 'sha256:1', state: 'Deployed', at: '2026-01-01T00:00:00Z' };
    followers.follow(work, state, { watches } as unknown as Member, [ref]);
  };
  const told = (phase: string) => {
    heard.length = 0;
    tell(disk(phase));
    return heard.join();
  };

  deliver();
  assert.equal(told('Pending'), 'change');
  assert.equal(told('Bound'), 'arrival');
  assert.equal(told('Pending'), 'change');
  assert.equal(told('Bound'), 'change', 'it was there before');
  assert.equal(told('Pending'), 'change');
  deliver();
  assert.equal(told('Bound'), 'arrival', 'it was delivered anew');
  stop.abort();
});
