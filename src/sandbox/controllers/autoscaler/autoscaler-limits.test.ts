import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { limitSize, rememberRecommendation, rememberScale, type AutoscalerHistory, type LimitInput } from './autoscaler-limits.ts';

const empty = (): AutoscalerHistory => ({ recommendations: [], scaledUp: [], scaledDown: [] });
const input = (current: number, desired: number, more: Partial<LimitInput> = {}): LimitInput => ({
  current,
  desired,
  min: 1,
  max: 100,
  behavior: undefined,
  nowMs: 1_000_000,
  ...more,
});
const rules = (policies: { type: string; value: number; periodSeconds: number }[], selectPolicy = 'Max') => ({
  stabilizationWindowSeconds: 0,
  policies,
  selectPolicy,
});
const up = (...args: Parameters<typeof rules>) => ({
  scaleUp: rules(...args),
  scaleDown: rules([{ type: 'Percent', value: 100, periodSeconds: 15 }]),
});

test('without rules: twice the size or four at a time, within the bounds', () => {
  assert.equal(limitSize(input(1, 50), empty()).replicas, 4);
  assert.equal(limitSize(input(10, 50), empty()).replicas, 20);
  assert.equal(limitSize(input(10, 50, { max: 12 }), empty()).limited.reason, 'TooManyReplicas');
  assert.equal(limitSize(input(10, 1, { min: 3 }), empty()).replicas, 3);
});

test('of several policies the one that changes most or least is chosen, or none', () => {
  const policies = [
    { type: 'Pods', value: 4, periodSeconds: 60 },
    { type: 'Percent', value: 100, periodSeconds: 60 },
  ];
  assert.equal(limitSize(input(10, 50, { behavior: up(policies) }), empty()).replicas, 20);
  assert.equal(limitSize(input(10, 50, { behavior: up(policies, 'Min') }), empty()).replicas, 14);
  assert.equal(limitSize(input(10, 50, { behavior: up(policies, 'Disabled') }), empty()).replicas, 10);
});

test('what was added within the period counts', () => {
  const behavior = up([{ type: 'Pods', value: 4, periodSeconds: 60 }]);
  const history = empty();
  rememberScale(history, input(10, 50, { behavior }), 13);
  assert.equal(limitSize(input(13, 50, { behavior, nowMs: 1_030_000 }), history).replicas, 14);
  assert.equal(limitSize(input(13, 50, { behavior, nowMs: 1_061_000 }), history).replicas, 17);
});

test('growth waits until it was asked for during the whole window', () => {
  const behavior = { scaleUp: { ...rules([{ type: 'Pods', value: 100, periodSeconds: 15 }]), stabilizationWindowSeconds: 60 } };
  const history = empty();
  rememberRecommendation(history, input(2, 2, { behavior }));
  const held = limitSize(input(2, 8, { behavior, nowMs: 1_030_000 }), history);
  assert.deepEqual([held.replicas, held.able.reason, held.isHeld], [2, 'ScaleUpStabilized', true]);
  assert.equal(limitSize(input(2, 8, { behavior, nowMs: 1_061_000 }), history).replicas, 8);
});

test('the result is always within the bounds and on the way to what is desired', () => {
  const sizes = fc.record({
    current: fc.integer({ min: 1, max: 50 }),
    desired: fc.integer({ min: 0, max: 80 }),
    value: fc.integer({ min: 1, max: 50 }),
    type: fc.constantFrom('Pods', 'Percent'),
    select: fc.constantFrom('Max', 'Min', 'Disabled'),
    hasRules: fc.boolean(),
  });
  fc.assert(
    fc.property(sizes, ({ current, desired, value, type, select, hasRules }) => {
      const one = rules([{ type, value, periodSeconds: 60 }], select);
      const behavior = hasRules ? { scaleUp: one, scaleDown: one } : undefined;
      const { replicas } = limitSize(input(current, desired, { min: 1, max: 50, behavior }), empty());
      assert.ok(replicas >= 1 && replicas <= 50);
      if (desired > current) assert.ok(replicas >= current && replicas <= desired);
      else assert.ok(replicas <= current && replicas >= Math.min(desired, 50));
    }),
  );
});
