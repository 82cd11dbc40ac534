import { ScheduleError } from '../../../core/schedules/calendar-field.ts';
import { calendarTimes } from '../../../core/schedules/calendar-times.ts';
import { leastMinutesBetween, parseQuartz } from '../../../core/schedules/parse-quartz.ts';
import type { Trigger } from '../kinds/trigger.ts';
import { seenOf, type TriggerDecision } from './trigger-decision.ts';

const leastMinutes = 5;
/** A hub that was away does not deploy in the middle of another hour. */
const graceMs = 10 * 60_000;

export const tooOften = 'Deployments must be triggered at intervals greater than or equal to 5 minutes.';

/** The moments of a schedule. Throws ScheduleError. */
export function scheduleTimes(text: string, now: Date) {
  const pattern = parseQuartz(text);
  if (leastMinutesBetween(pattern, now) < leastMinutes) throw new ScheduleError(tooOften);
  return calendarTimes(pattern);
}

export interface ScheduleFacts {
  /** For `onNewArtifactOnly`: names the newest artifacts of what would be started. */
  readonly newest: string;
}

/** One start for the last moment since the last look. */
export function decideSchedule(
  trigger: Pick<Trigger, 'metadata' | 'spec' | 'status'>,
  { newest }: ScheduleFacts,
  now: Date,
): TriggerDecision {
  const { schedule = '', onNewArtifactOnly = false } = trigger.spec.condition;
  const times = scheduleTimes(schedule, now);
  const about = `Schedule ${schedule}`;
  const seen = seenOf<{ about: string; at: string; newest: string }>(trigger.status?.seen, about);
  const nowMs = now.getTime();
  const seenMs = Date.parse(seen?.at ?? '');
  // Only a clock that was put back since can have seen what lies further ahead: waiting for it again could take years.
  const fromMs = seenMs <= nowMs + graceMs ? seenMs : nowMs;
  const dueMs = times.last(fromMs, nowMs);
  const nextMs = times.next(nowMs);
  const next = nextMs === undefined ? {} : { nextFire: new Date(nextMs), wakeAt: new Date(nextMs) };
  const isMissed = dueMs !== undefined && nowMs - dueMs > graceMs;
  const isOld = onNewArtifactOnly && seen?.newest === newest;
  if (dueMs === undefined || isMissed || isOld) {
    const message = isMissed
      ? `Missed ${new Date(dueMs).toISOString()}`
      : isOld && dueMs !== undefined
        ? 'There is no new artifact'
        : undefined;
    const at = dueMs === undefined ? fromMs : dueMs;
    return {
      starts: [],
      seen: { about, at: new Date(at).toISOString(), newest: seen?.newest ?? newest },
      ...next,
      ...(message !== undefined && { message }),
    };
  }
  const at = new Date(dueMs).toISOString();
  return { starts: [{ occasion: `schedule ${at}`, payload: { schedule: { time: at } } }], seen: { about, at, newest }, ...next };
}
