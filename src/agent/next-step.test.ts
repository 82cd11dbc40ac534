import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AgentStoppedError, HubAbsentError, HubRefusedError } from './hub-errors.ts';
import { backOff, nextStep, type Situation } from './next-step.ts';

const situation: Situation = { failures: 1, canRegister: true, hasJustRegistered: false, random: 0.5 };
const refused = (status: number, retryAfterMs?: number) => ({ error: new HubRefusedError(status, 'no', retryAfterMs) });
const closed = (code: number) => ({ closed: { code, reason: 'because' }, livedMs: 1000 });

test('waits at most 30 s, less at first, and never all agents at once', () => {
  fc.assert(
    fc.property(fc.nat(100_000), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
      const delayMs = backOff(failures, random);
      return delayMs >= 0 && delayMs <= 30_000 && delayMs <= 1000 * 2 ** failures;
    }),
  );
  assert.equal(backOff(100, 1), 30_000);
  assert.equal(backOff(100, 0), 0);
});

const cases: readonly [name: string, ending: Parameters<typeof nextStep>[0], changes: Partial<Situation>, expected: object][] = [
  ['a removed cluster ends the agent', closed(4001), {}, { type: 'stop', message: 'because' }],
  ['a cluster that is gone ends the agent', refused(410), {}, { type: 'stop', message: 'no' }],
  ['a hub that stops is tried again soon', closed(1001), {}, { type: 'retry', delayMs: 1000, forget: 'nothing' }],
  ['one that was replaced stands by', closed(4000), {}, { type: 'retry', delayMs: 7500, forget: 'nothing' }],
  ['one that stands by asks again at the same pace', refused(409), { failures: 50 }, { type: 'retry', delayMs: 7500, forget: 'nothing' }],
  ['a refused identity is replaced by the token', refused(401), {}, { type: 'retry', delayMs: 1000, forget: 'identity' }],
  ['a revoked identity is replaced by the token', closed(4002), {}, { type: 'retry', delayMs: 1000, forget: 'identity' }],
  ['a busy hub says when to come', refused(503, 7000), {}, { type: 'retry', delayMs: 7000, forget: 'nothing' }],
  ['a hub that is starting up is tried again', refused(404), {}, { type: 'retry', delayMs: 1000, forget: 'nothing' }],
  [
    'a silent hub is tried ever more seldom',
    { error: new HubAbsentError('no answer', 'TIMEOUT') },
    { failures: 50 },
    { type: 'retry', delayMs: 15_000, forget: 'nothing' },
  ],
  [
    'an address without a hub is tried often',
    { error: new HubAbsentError('connection refused', 'ECONNREFUSED') },
    { failures: 50 },
    { type: 'retry', delayMs: 2500, forget: 'nothing' },
  ],
  [
    'whom to trust is asked anew when the certificate does not fit',
    { error: new HubAbsentError('unknown authority', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE') },
    {},
    { type: 'retry', delayMs: 1000, forget: 'authorities' },
  ],
];
for (const [name, ending, changes, expected] of cases) {
  test(name, () => assert.deepEqual(nextStep(ending, { ...situation, ...changes }), expected));
}

test('what only a person can change ends the agent with an error', () => {
  const hopeless = [
    [refused(401), { canRegister: false }],
    [refused(401), { hasJustRegistered: true }],
    [refused(403), {}],
    [refused(400), {}],
    [{ error: new AgentStoppedError('wrong checksum') }, {}],
  ] as const;
  for (const [ending, changes] of hopeless) assert.equal(nextStep(ending, { ...situation, ...changes }).type, 'fail');
});
