import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newObject, type SpecOf } from '../../../api/define-kind.ts';
import { DeployFreeze } from '../kinds/deploy-freeze.ts';
import { judgeFreezes } from './judge-freezes.ts';

const freeze = (name: string, spec: SpecOf<typeof DeployFreeze>): DeployFreeze => newObject(DeployFreeze, { name }, spec);
const shop = { namespace: 'shop', workflow: 'web', environment: 'eu', environmentType: 'Prod' as const };
const at = (text: string) => new Date(text);
const holidays = freeze('holidays', { kind: 'Deny', start: '2026-12-20T00:00:00Z', end: '2027-01-02T00:00:00Z' });
const weekends = freeze('weekends', {
  kind: 'Deny',
  rrule: 'FREQ=WEEKLY;BYDAY=FR',
  start: '2026-01-02T17:00:00Z',
  end: '2026-01-05T07:00:00Z',
  running: 'Pause',
});
const office = freeze('office', {
  kind: 'Allow',
  rrule: 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR',
  start: '2026-01-05T08:00:00Z',
  duration: '9h',
  timeZone: 'UTC',
});

test('without freezes everything may begin', () => {
  assert.deepEqual(judgeFreezes([], shop, at('2026-12-24T00:00:00Z')), { isOpen: true, mustPause: false });
});

test('a Deny closes while it counts, and says when it is over', () => {
  const { isOpen, nextOpen, message } = judgeFreezes([holidays], shop, at('2026-12-24T00:00:00Z'));
  assert.deepEqual([isOpen, nextOpen, message], [false, at('2027-01-02T00:00:00Z'), 'Frozen by holidays']);
  const before = judgeFreezes([holidays], shop, at('2026-12-19T00:00:00Z'));
  assert.deepEqual([before.isOpen, before.wakeAt], [true, at('2026-12-20T00:00:00Z')]);
  assert.equal(judgeFreezes([holidays], shop, at('2027-01-02T00:00:00Z')).isOpen, true);
});

test('the next opening lies behind all that follow each other', () => {
  const { nextOpen, mustPause } = judgeFreezes([holidays, weekends], shop, at('2027-01-01T18:00:00Z'));
  assert.deepEqual(nextOpen, at('2027-01-04T07:00:00Z'));
  assert.equal(mustPause, true);
});

test('with Allows there is only their time', () => {
  assert.equal(judgeFreezes([office], shop, at('2026-11-16T09:00:00Z')).isOpen, true);
  const night = judgeFreezes([office], shop, at('2026-11-16T20:00:00Z'));
  assert.deepEqual([night.isOpen, night.nextOpen, night.message], [false, at('2026-11-17T08:00:00Z'), 'Only allowed in office']);
});

test('a Deny within an Allow closes', () => {
  assert.equal(judgeFreezes([office, holidays], shop, at('2026-12-21T09:00:00Z')).isOpen, false);
});

for (const [what, selector, isMeant] of [
  ['its namespace', { namespaces: ['shop'] }, true],
  ['another namespace', { namespaces: ['bank'] }, false],
  ['its type of environment', { environments: ['Prod'] }, true],
  ['its environment', { environments: ['eu'] }, true],
  ['another environment', { environments: ['NonProd'] }, false],
  ['its workflow', { workflows: ['web', 'api'] }, true],
  ['its workflow elsewhere', { workflows: ['web'], namespaces: ['bank'] }, false],
] as const) {
  test(`a freeze of ${what} ${isMeant ? 'counts' : 'does not count'}`, () => {
    const spec = { ...holidays.spec, selector: selector as unknown as NonNullable<DeployFreeze['spec']['selector']> };
    assert.equal(judgeFreezes([freeze('some', spec)], shop, at('2026-12-24T00:00:00Z')).isOpen, !isMeant);
  });
}

test('exempt groups are not held up', () => {
  const spec = { ...holidays.spec, exemptGroups: ['oncall'] };
  assert.equal(judgeFreezes([freeze('some', spec)], { ...shop, groups: ['oncall'] }, at('2026-12-24T00:00:00Z')).isOpen, true);
});

test('a rule that cannot be read closes', () => {
  const { isOpen, message } = judgeFreezes([freeze('odd', { kind: 'Deny', rrule: 'FREQ=SOMETIMES' })], shop, at('2026-12-24T00:00:00Z'));
  assert.equal(isOpen, false);
  assert.match(message ?? '', /^DeployFreeze odd cannot be read: /);
});

test('a rule without start and end means whole days of its zone', () => {
  const fridays = freeze('fridays', { kind: 'Deny', rrule: 'FREQ=WEEKLY;BYDAY=FR', timeZone: 'America/New_York' });
  assert.equal(judgeFreezes([fridays], shop, at('2026-11-20T04:59:00Z')).isOpen, true);
  const friday = judgeFreezes([fridays], shop, at('2026-11-20T05:00:00Z'));
  assert.deepEqual([friday.isOpen, friday.nextOpen], [false, at('2026-11-21T05:00:00Z')]);
});

test('days that never end are told of at once, and told for a year', () => {
  const always = freeze('always', { kind: 'Deny', rrule: 'FREQ=DAILY', start: '1990-01-01T00:00:00Z' });
  const many = freeze('many', { kind: 'Deny', rrule: 'FREQ=DAILY;COUNT=10000', start: '2001-01-01T00:00:00Z' });
  const long = freeze('long', { kind: 'Deny', rrule: 'FREQ=WEEKLY', start: '2020-01-01T00:00:00Z', duration: '20000h' });
  const endless = freeze('endless', { kind: 'Deny', rrule: 'FREQ=WEEKLY', start: '2020-01-01T00:00:00Z', duration: '99999999999h' });
  for (const one of [always, many, long, endless]) {
    const { isOpen, wakeAt } = judgeFreezes([one], shop, at('2026-11-20T05:00:00Z'));
    assert.equal(isOpen, false);
    assert.ok(wakeAt! > at('2027-11-20T05:00:00Z') && wakeAt! < at('9999-01-01T00:00:00Z'));
  }
  assert.equal(judgeFreezes([always, many, long], shop, at('2028-01-01T00:00:00Z')).isOpen, false);
  // The last of the ten thousand days.
  assert.equal(judgeFreezes([many], shop, at('2028-05-18T12:00:00Z')).isOpen, false);
  assert.equal(judgeFreezes([many], shop, at('2028-05-19T00:00:00Z')).isOpen, true);
});

test('the end of a freeze is told however far away it is', () => {
  const winter = freeze('winter', { kind: 'Deny', start: '2020-01-01T00:00:00Z', end: '2099-01-01T00:00:00Z' });
  assert.deepEqual(judgeFreezes([winter], shop, at('2026-11-20T05:00:00Z')).nextOpen, at('2099-01-01T00:00:00Z'));
});
