import { parseRecurrence } from '../../../core/schedules/parse-rrule.ts';
import { recurrence } from '../../../core/schedules/recurrence-times.ts';
import { oneSpan, spansOf, type Spans } from '../../../core/schedules/spans.ts';
import { durationMs } from '../../../util/duration.ts';
import type { DeployFreeze } from '../kinds/deploy-freeze.ts';
import type { FreezeAnswer, FreezeSubject } from './freeze-desk.ts';

const dayMs = 86_400_000;
/** Rules that never leave an opening end somewhere, and nobody waits for years. */
const maxChanges = 200;
const horizonMs = 2 * 365 * dayMs;
/** A thousand years: what ends later ends at a time that cannot be written down. */
const longestMs = 365_000 * dayMs;

const known = new WeakMap<Pick<DeployFreeze, 'spec' | 'metadata'>, Spans>();

/** When a freeze counts. Throws ScheduleError when its rule cannot be read. */
export function timesOf(freeze: Pick<DeployFreeze, 'spec' | 'metadata'>): Spans {
  let times = known.get(freeze);
  if (!times) known.set(freeze, (times = readTimes(freeze)));
  return times;
}

function readTimes({ spec, metadata }: Pick<DeployFreeze, 'spec' | 'metadata'>): Spans {
  const startMs = spec.start === undefined ? undefined : Date.parse(spec.start);
  const endMs = spec.end === undefined ? undefined : Date.parse(spec.end);
  if (spec.rrule === undefined) return oneSpan({ startMs: startMs ?? -Infinity, endMs: endMs ?? Infinity });
  const rule = parseRecurrence(spec.rrule);
  const zone = spec.timeZone ?? 'UTC';
  const first = new Date(startMs ?? firstMidnight(metadata.creationTimestamp, zone));
  const given = durationMs(spec.duration);
  const lengthMs = given > 0 ? given : startMs !== undefined && endMs !== undefined ? endMs - startMs : dayMs;
  return spansOf(recurrence(rule, first, zone), Math.min(lengthMs, longestMs));
}

/** Without a start, days begin at midnight. */
function firstMidnight(createdAt: string | undefined, zone: string): number {
  const created = Temporal.Instant.from(createdAt ?? '2020-01-01T00:00:00Z').toZonedDateTimeISO(zone);
  return created.subtract({ days: 1 }).startOfDay().epochMilliseconds;
}

export function isAbout({ spec }: Pick<DeployFreeze, 'spec'>, subject: FreezeSubject): boolean {
  const { namespaces = [], environments = [], workflows = [] } = spec.selector ?? {};
  const { namespace, workflow, environment, environmentType, groups = [] } = subject;
  if ((spec.exemptGroups ?? []).some(group => groups.includes(group))) return false;
  const has = (wanted: readonly string[], ...own: (string | undefined)[]) =>
    wanted.length === 0 || own.some(one => one !== undefined && wanted.includes(one));
  return has(namespaces, namespace) && has(workflows, workflow) && has(environments, environment, environmentType);
}

interface Relevant {
  readonly freeze: DeployFreeze;
  readonly times: Spans;
}

/** Whether runs may begin: no Deny counts now, and, where there are Allows, one of them does. One that cannot be read closes, so that nothing slips through. */
export function judgeFreezes(freezes: readonly DeployFreeze[], subject: FreezeSubject, now: Date): FreezeAnswer {
  const nowMs = now.getTime();
  const relevant: Relevant[] = [];
  for (const freeze of freezes) {
    if (freeze.metadata.deletionTimestamp !== undefined || !isAbout(freeze, subject)) continue;
    try {
      const times = timesOf(freeze);
      // What cannot be worked out shows only when it is.
      times.at(nowMs);
      relevant.push({ freeze, times });
    } catch (error) {
      const message = `DeployFreeze ${freeze.metadata.name} cannot be read: ${(error as Error).message}`;
      return { isOpen: false, mustPause: false, message };
    }
  }
  const closing = closedBy(relevant, nowMs);
  const changeMs = nextChange(relevant, nowMs);
  const wakeAt = changeMs === undefined ? {} : { wakeAt: new Date(changeMs) };
  if (closing.length === 0) return { isOpen: true, mustPause: false, ...wakeAt };
  const openMs = nextOpening(relevant, changeMs, nowMs + horizonMs);
  return {
    isOpen: false,
    mustPause: closing.some(({ freeze }) => freeze.spec.running === 'Pause'),
    ...(openMs !== undefined && { nextOpen: new Date(openMs) }),
    ...wakeAt,
    message: messageOf(closing),
  };
}

function closedBy(relevant: readonly Relevant[], ms: number): Relevant[] {
  const denies = relevant.filter(({ freeze, times }) => freeze.spec.kind === 'Deny' && times.at(ms));
  if (denies.length > 0) return denies;
  const allows = relevant.filter(({ freeze }) => freeze.spec.kind === 'Allow');
  return allows.some(({ times }) => times.at(ms)) ? [] : allows;
}

/** When any of them begins or ends. */
function nextChange(relevant: readonly Relevant[], ms: number): number | undefined {
  const changes = relevant.map(({ times }) => times.at(ms)?.endMs ?? times.nextStart(ms) ?? Infinity);
  const first = Math.min(...changes);
  return Number.isFinite(first) ? first : undefined;
}

function nextOpening(relevant: readonly Relevant[], firstMs: number | undefined, untilMs: number): number | undefined {
  let ms = firstMs;
  for (let changes = 0; ms !== undefined && changes < maxChanges; changes++) {
    if (closedBy(relevant, ms).length === 0) return ms;
    if (ms >= untilMs) return undefined;
    ms = nextChange(relevant, ms);
  }
  return undefined;
}

function messageOf(closing: readonly Relevant[]): string {
  const names = closing.map(({ freeze }) => freeze.metadata.name ?? '').toSorted();
  const isDenied = closing[0]!.freeze.spec.kind === 'Deny';
  return isDenied ? `Frozen by ${names.join(', ')}` : `Only allowed in ${names.join(', ')}`;
}
