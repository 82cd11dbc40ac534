import type { KubeObject } from '../../api/object.ts';
import type { BrokenRule, DriftedField, Work } from '../../api/work.ts';
import { keyOf, type Key } from '../../runtime/key.ts';
import { durationMs } from '../../util/duration.ts';
import { printJson } from '../../util/json.ts';
import type { Member } from '../delivery/member.ts';
import type { ObjectRef } from '../delivery/object-ref.ts';
import type { Owner } from '../delivery/owner.ts';
import { driftTrouble } from '../delivery/drift-trouble.ts';
import { watchDrift } from '../delivery/watch-drift.ts';
import { refKey } from '../delivery/object-ref.ts';
import { healthFollower, type HealthFollower } from './follow-health.ts';
import { followRules } from './follow-rules.ts';
import { reloadWorkloads } from './reload-workloads.ts';
import type { WorkState } from './work-state.ts';

export interface DriftWanted {
  /** As they were delivered. */
  readonly objects: readonly KubeObject[];
  readonly owner: Owner;
  /** Names the delivery and how it is watched: another one is watched anew. */
  readonly mark: string;
}

/** Keeps an eye on what was delivered. */
export interface Followers {
  /** How the objects of the Work are, from now on. */
  follow(work: Work, state: WorkState, member: Member, refs: Iterable<ObjectRef>): void;
  /** Also whether others change them. Undefined ends that. */
  followDrift(work: Work, state: WorkState, member: Member, wanted: DriftWanted | undefined): void;
  /** Whether drift of this delivery is watched already. */
  isFollowingDrift(key: Key, member: Member, mark: string): boolean;
  stop(key: Key): void;
}

interface Followed {
  readonly member: Member;
  readonly health: HealthFollower;
  drift: { readonly stop: AbortController; readonly mark: string } | undefined;
  /** Rules of health, and restarts. */
  extras: { readonly stop: AbortController; readonly mark: string } | undefined;
}

export const wantsDrift = ({ spec }: Work): boolean =>
  (spec.sync === 'DetectDrift' || spec.sync === 'CorrectDrift') && spec.suspend !== true;

/** Of one delivery of a Work. */
export const driftMark = (work: Work, state: WorkState): string =>
  `${work.metadata.generation} ${state.delivered?.inputs} ${state.delivered?.at}`;

export interface FollowersListener {
  /** Something is different about a Work. */
  onChange(key: Key): void;
  /** Everything that was delivered has become healthy: people wait for that. */
  onArrival(key: Key): void;
}

export function createFollowers({ onChange, onArrival }: FollowersListener, signal: AbortSignal): Followers {
  const followed = new Map<Key, Followed>();
  signal.addEventListener('abort', () => [...followed.keys()].forEach(stop), { once: true });

  return {
    follow(work, state, member, refs) {
      const entry = entryFor(work, state, member);
      const all = [...refs];
      entry.health.follow(all);
      followExtras(entry, work, state, all);
    },
    followDrift(work, state, member, wanted) {
      const key = keyOf(work);
      const entry = entryFor(work, state, member);
      entry.drift?.stop.abort();
      entry.drift = undefined;
      if (!wanted) return setDrift(key, state, []);
      const stop = new AbortController();
      entry.drift = { stop, mark: wanted.mark };
      watchDrift(member, wanted.objects, {
        owner: wanted.owner,
        exclusions: work.spec.driftExclusions ?? [],
        correct: work.spec.sync === 'CorrectDrift',
        manner: work.spec.options?.apply,
        compareEveryMs: durationMs(work.spec.options?.compareEvery),
        onDrift: (fields, drift) => setDrift(key, state, fields, driftTrouble(drift)),
        ...(work.spec.options?.force !== undefined && { force: work.spec.options.force }),
        signal: AbortSignal.any([signal, stop.signal]),
      });
    },
    isFollowingDrift(key, member, mark) {
      const entry = followed.get(key);
      return entry?.member === member && entry.drift?.mark === mark;
    },
    stop,
  };

  function entryFor(work: Work, state: WorkState, member: Member): Followed {
    const key = keyOf(work);
    const present = followed.get(key);
    if (present?.member === member) return present;
    stop(key);
    const health = healthFollower(member, (ref, judged, obj) => {
      if (!state.hearOf(ref, judged, obj)) return;
      if (state.arrives()) onArrival(key);
      else onChange(key);
    });
    const entry: Followed = { member, health, drift: undefined, extras: undefined };
    followed.set(key, entry);
    return entry;
  }

  function followExtras(entry: Followed, work: Work, state: WorkState, refs: readonly ObjectRef[]): void {
    const { healthRules = [], options, release, suspend } = work.spec;
    // Before everything is there, nothing can be said about it.
    const isThere = state.delivered?.state === 'Deployed';
    const rules = isThere ? healthRules : [];
    const mayReload = options?.reload === true && suspend !== true;
    const setBroken = (broken: readonly BrokenRule[] | 'not judged'): void => {
      if (state.setBroken(broken)) onChange(keyOf(work));
    };
    if (healthRules.length === 0) setBroken([]);
    else if (!isThere) setBroken('not judged');
    const mark = rules.length === 0 && !mayReload ? '' : printJson([rules, mayReload, refs.map(refKey).sort()]);
    if ((entry.extras?.mark ?? '') === mark) return;
    entry.extras?.stop.abort();
    entry.extras = undefined;
    if (mark === '') return;
    // After a start, what the status says of this spec counts until it is judged anew.
    if (rules.length > 0 && work.status?.observedGeneration !== work.metadata.generation) setBroken('not judged');
    const stop = new AbortController();
    entry.extras = { stop, mark };
    const until = AbortSignal.any([signal, stop.signal]);
    if (rules.length > 0) followRules(entry.member, { rules, release, refs, signal: until, onBroken: setBroken });
    if (mayReload) reloadWorkloads(entry.member, refs, until);
  }

  function setDrift(key: Key, state: WorkState, fields: readonly DriftedField[], trouble?: string): void {
    if (fields.length === 0 && state.drift.length === 0) return;
    state.drift = fields;
    state.driftTrouble = trouble;
    onChange(key);
  }

  function stop(key: Key): void {
    const entry = followed.get(key);
    followed.delete(key);
    entry?.health[Symbol.dispose]();
    entry?.drift?.stop.abort();
    entry?.extras?.stop.abort();
  }
}
