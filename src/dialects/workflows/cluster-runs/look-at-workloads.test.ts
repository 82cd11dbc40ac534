import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeClient } from '../../../client/kube-client.ts';
import type { Member } from '../../../core/delivery/member.ts';
import { lookAtWorkloads, withDenials, type SeenEvent } from './look-at-workloads.ts';

const widget = { group: 'example.com', version: 'v1', kind: 'Widget', namespace: 'shop', name: 'w' };

test('what is not there was deleted, unless the cluster does not know its kind yet', async () => {
  const look = (isKnown: boolean, namespaces: readonly string[]) => {
    const client = {
      get: async (kind: { kind: string }) => (kind.kind === 'Namespace' && namespaces.length > 0 ? { metadata: {} } : undefined),
    };
    const kinds = { find: async () => (isKnown ? { kind: 'Widget' } : undefined) };
    const member = { client: client as unknown as KubeClient, kinds } as unknown as Member;
    const { signal } = new AbortController();
    return lookAtWorkloads([widget], { member, work: undefined as never, labelPrefix: 'harness.io', manager: undefined, signal });
  };
  assert.deepEqual(await look(false, []), [{ state: 'waiting', message: 'Widget/w: the cluster does not know its kind yet' }]);
  assert.deepEqual(await look(true, []), [{ state: 'failed', message: 'Widget/w: namespace "shop" was deleted on the cluster' }]);
  const alone = 'Widget/w: it was deleted on the cluster while the step waited for it';
  assert.deepEqual(await look(true, ['shop']), [{ state: 'failed', message: alone }]);
});

test('a rule that denies pods is known by the last event about their workload', () => {
  const set = { group: 'apps', version: 'v1', kind: 'StatefulSet', namespace: 'shop', name: 'db' };
  const event = (atMs: number, note: string, about = 'StatefulSet/db'): SeenEvent => ({ id: `${atMs}`, text: '', about, note, atMs });
  const denied = event(2, 'create Pod db-0 failed: pods "db-0" is forbidden: exceeded quota: small, requested: pods=1');
  const seen = (events: readonly SeenEvent[], state: 'waiting' | 'steady' = 'waiting') =>
    withDenials([set], [{ state, message: '0 of 1' }], events)[0];
  assert.deepEqual(seen([event(1, 'hello'), denied]), {
    state: 'waiting',
    isDenied: true,
    message: '0 of 1: the quota "small" is used up: raise it or ask for less',
  });
  assert.equal(seen([denied, event(3, 'create Pod db-0 in StatefulSet db successful')])?.isDenied, undefined);
  assert.equal(seen([{ ...denied, about: 'StatefulSet/db-2' }])?.isDenied, undefined);
  assert.equal(seen([denied], 'steady')?.isDenied, undefined);
});
