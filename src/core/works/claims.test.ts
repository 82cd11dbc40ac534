import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { newObject } from '../../api/define-kind.ts';
import { Work } from '../../api/work.ts';
import { compareClaims, rankClaims } from './claims.ts';

interface Claim {
  readonly name: string;
  readonly priority?: number | undefined;
  readonly createdAt: number;
  readonly isLeaving?: boolean;
  readonly isDryRun?: boolean;
}

function workOf({ name, priority, createdAt, isLeaving = false, isDryRun = false }: Claim): Work {
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
  return newObject(
    Work,
    { name, uid: `uid-${name}`, creationTimestamp: at(createdAt), ...(isLeaving && { deletionTimestamp: at(999) }) },
    {
      release: { name: 'web', namespace: 'shop' },
      manifests: [],
      ...(priority !== undefined && { priority }),
      ...(isDryRun && { sync: 'DryRun' as const }),
    },
  );
}

const names = (works: readonly Work[]) => works.map(({ metadata }) => metadata.name);

test('more priority wins, then the older, then the smaller uid', () => {
  const works = [
    workOf({ name: 'low', priority: 1, createdAt: 1 }),
    workOf({ name: 'plain', createdAt: 1 }),
    workOf({ name: 'young', priority: 200, createdAt: 9 }),
    workOf({ name: 'old-b', priority: 200, createdAt: 2 }),
    workOf({ name: 'old-a', priority: 200, createdAt: 2 }),
  ];
  const { winner, losers } = rankClaims(works);
  assert.deepEqual(names([winner!, ...losers]), ['old-a', 'old-b', 'young', 'plain', 'low']);
});

test('of equal priorities the one that has the release keeps it', () => {
  const old = workOf({ name: 'old', priority: 300, createdAt: 1 });
  const holder: Work = {
    ...workOf({ name: 'holder', priority: 300, createdAt: 2 }),
    status: { delivered: { inputs: 'x', state: 'Deployed', at: '2026-01-01T00:00:00Z' } },
  };
  assert.equal(rankClaims([old, holder]).winner, holder);
  assert.equal(rankClaims([workOf({ name: 'old', priority: 301, createdAt: 1 }), holder]).winner?.metadata.name, 'old');
});

test('one that only plans takes part in nothing, but what it delivered before stays', () => {
  const planner = workOf({ name: 'planner', priority: 900, createdAt: 1, isDryRun: true });
  const other = workOf({ name: 'other', createdAt: 2 });
  assert.equal(rankClaims([planner, other]).winner, other);
  const alone = rankClaims([planner]);
  assert.deepEqual([alone.winner, alone.isClaimed, names(alone.planners)], [undefined, false, ['planner']]);
  const delivered = { inputs: 'sha256:1', state: 'Deployed' as const, at: '2026-01-01T00:00:00Z' };
  assert.ok(rankClaims([{ ...planner, status: { delivered } }]).isClaimed);
});

test('one that is being deleted claims nothing', () => {
  const leaving = workOf({ name: 'leaving', priority: 900, createdAt: 1, isLeaving: true });
  const ranked = rankClaims([leaving]);
  assert.deepEqual([ranked.winner, ranked.isClaimed, names(ranked.leaving)], [undefined, false, ['leaving']]);
});

const claim = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  priority: fc.option(fc.integer({ min: 98, max: 102 }), { nil: undefined }),
  createdAt: fc.integer({ min: 0, max: 3 }),
  isLeaving: fc.boolean(),
  isDryRun: fc.boolean(),
});
const claims = fc.uniqueArray(claim, { selector: ({ name }) => name });

test('the order is total, and does not depend on the order in which claims are seen', () => {
  fc.assert(
    fc.property(claims, fc.infiniteStream(fc.nat()), (all, numbers) => {
      const works = all.map(workOf);
      const shuffled = works
        .map(work => ({ work, at: numbers.next().value! }))
        .sort((a, b) => a.at - b.at)
        .map(({ work }) => work);
      const [one, other] = [rankClaims(works), rankClaims(shuffled)];
      assert.equal(one.winner, other.winner);
      assert.deepEqual(names(one.losers), names(other.losers));
      for (const a of works) for (const b of works) assert.equal(Math.sign(compareClaims(a, b)), -Math.sign(compareClaims(b, a)) || 0);
    }),
  );
});

type Step =
  | { readonly kind: 'claim'; readonly name: string; readonly priority: number }
  | { readonly kind: 'leave'; readonly name: string }
  /** The deliverer looks, and does what the claims say. */
  | { readonly kind: 'look' }
  /** It forgets all but what the hub and the member hold. */
  | { readonly kind: 'restart' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('claim' as const), name: fc.constantFrom('a', 'b', 'c'), priority: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constant('leave' as const), name: fc.constantFrom('a', 'b', 'c') }),
  fc.constant({ kind: 'look' as const }),
  fc.constant({ kind: 'restart' as const }),
);

test('whatever happens, the highest claim ends up with the release, and nothing is uninstalled while a claim is left', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const hub = new Map<string, Claim>();
      let onMember: string | undefined;
      let second = 0;
      const look = () => {
        const { winner, leaving, isClaimed } = rankClaims([...hub.values()].map(workOf));
        if (winner) onMember = winner.metadata.name;
        else if (!isClaimed && leaving.length > 0) {
          assert.ok(
            [...hub.values()].every(one => one.isLeaving),
            'uninstalled while a claim was left',
          );
          onMember = undefined;
        }
        // Those that are being deleted go when the member has nothing of them, or another claim has it.
        for (const { metadata } of leaving) hub.delete(metadata.name!);
      };
      for (const one of steps) {
        if (one.kind === 'claim') {
          const present = hub.get(one.name);
          if (present?.isLeaving) continue;
          hub.set(one.name, { name: one.name, createdAt: present?.createdAt ?? second++, priority: one.priority });
        } else if (one.kind === 'leave') {
          const present = hub.get(one.name);
          if (present) hub.set(one.name, { ...present, isLeaving: true });
        } else look();
      }
      look();
      const [best] = [...hub.values()].sort((a, b) => b.priority! - a.priority! || a.createdAt - b.createdAt);
      assert.equal(onMember, best?.name);
    }),
  );
});
