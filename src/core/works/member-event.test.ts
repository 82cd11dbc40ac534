import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mirrored, type MemberEvent } from './member-event.ts';

const ref = (kind: string, name: string, group = 'apps') => ({ group, version: 'v1', kind, name, namespace: 'shop' });
const event = (kind: string, name: string, more: Partial<MemberEvent> = {}): MemberEvent => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'e', namespace: 'shop' },
  type: 'Warning',
  reason: 'BackOff',
  message: 'Back-off pulling image "x"',
  involvedObject: { apiVersion: kind === 'Pod' ? 'v1' : 'apps/v1', kind, namespace: 'shop', name },
  lastTimestamp: '2026-01-01T00:10:00Z',
  ...more,
});
const since = Date.parse('2026-01-01T00:05:00Z');
const refs = [ref('Deployment', 'web'), ref('StatefulSet', 'db'), ref('Job', 'once', 'batch')];
const about = (kind: string, name: string) => mirrored(event(kind, name), refs, since)?.about;

test('an event is about what was delivered, or about what came from it', () => {
  assert.equal(about('Deployment', 'web'), 'Deployment web BackOff');
  assert.equal(about('ReplicaSet', 'web-7d9c8b6f5'), 'Deployment web BackOff');
  assert.equal(about('Pod', 'web-7d9c8b6f5-x2k4p'), 'Deployment web BackOff');
  assert.equal(about('Pod', 'db-0'), 'StatefulSet db BackOff');
  assert.equal(about('Pod', 'once-abcde'), 'Job once BackOff');
  for (const [kind, name] of [
    ['Pod', 'web-admin-7d9c8b6f5-x2k4p'],
    ['Pod', 'other-7d9c8b6f5-x2k4p'],
    ['Service', 'web-7d9c8b6f5'],
    ['Pod', 'db-x'],
  ] as const)
    assert.equal(about(kind, name), undefined, name);
  assert.equal(
    mirrored(event('Pod', 'db-0', { involvedObject: { kind: 'Pod', name: 'db-0', namespace: 'elsewhere' } }), refs, since),
    undefined,
  );
});

test('only warnings of now are told, in one line of bounded length', () => {
  assert.equal(mirrored(event('Pod', 'db-0', { type: 'Normal' }), refs, since), undefined);
  assert.equal(mirrored(event('Pod', 'db-0', { lastTimestamp: '2026-01-01T00:00:00Z' }), refs, since), undefined);
  const told = mirrored(
    event('Pod', 'db-0', { message: `first\n\u001b[31msecond\u202e ${'x'.repeat(5000)}`, reason: 'no word' }),
    refs,
    since,
  );
  assert.match(told?.note ?? '', /^Pod shop\/db-0: first \[31msecond x+…$/);
  assert.ok(told!.note.length <= 501);
  assert.equal(told?.reason, 'MemberWarning');
});
