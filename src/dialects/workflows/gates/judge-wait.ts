import { durationMs } from '../../../util/duration.ts';
import { startedMs } from './gate-state.ts';
import type { Judging, Verdict } from './judge.ts';

export function judgeWait({ gate, state, nowMs }: Judging): Verdict {
  const endMs = startedMs(state) + durationMs(gate.duration);
  return nowMs >= endMs ? { phase: 'Successful' } : { phase: 'Running', wakeAt: new Date(endMs) };
}
