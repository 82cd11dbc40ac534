import { calendarTimes } from '../../../core/schedules/calendar-times.ts';
import { parseCron } from '../../../core/schedules/parse-cron.ts';
import { spansOf } from '../../../core/schedules/spans.ts';
import { durationMs } from '../../../util/duration.ts';
import type { Judging, Verdict } from './judge.ts';

export function judgeWindow({ gate, nowMs }: Judging): Verdict {
  const lengthMs = durationMs(gate.duration);
  if (lengthMs <= 0) throw new Error('a Window needs a duration');
  const times = calendarTimes(parseCron(gate.schedule ?? ''), gate.timeZone ?? 'UTC');
  const windows = spansOf(times.next, lengthMs);
  if (windows.at(nowMs)) return { phase: 'Successful' };
  const opensMs = windows.nextStart(nowMs);
  if (opensMs === undefined) return { phase: 'Running', message: 'No window opens within the next years' };
  return { phase: 'Running', message: `The window opens at ${new Date(opensMs).toISOString()}`, wakeAt: new Date(opensMs) };
}
