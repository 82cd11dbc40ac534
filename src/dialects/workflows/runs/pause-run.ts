import { shiftState } from '../gates/gate-state.ts';
import { askAgain } from './handle-failure.ts';
import { recordsOf, tell, wake, type Draft } from './run-step.ts';
import { retryRecord } from './step-records.ts';

/** Whether nothing new may begin now. Whatever is under way goes on. */
export function pauseRun(draft: Draft): boolean {
  const { engine, input } = draft;
  if (input.state === 'Pause') {
    if (engine.pause) engine.pause.isKnown = true;
    return pause(draft, engine.pause?.reason ?? 'Paused', engine.pause?.message ?? 'Paused');
  }
  if (engine.pause && !engine.pause.isKnown) {
    draft.asksForPause = true;
    return pause(draft, engine.pause.reason, engine.pause.message);
  }
  const isRollback = engine.rollback !== undefined && engine.rollback.isDone !== true;
  const freeze = isRollback || input.mode === 'Preview' ? undefined : input.freeze();
  if (freeze?.mustPause === true) {
    if (draft.status.reason !== 'Frozen') tell(draft, { event: 'FreezeBlocked', message: freeze.message ?? 'A freeze is in force' });
    if (freeze.nextOpen) draft.status.nextOpen = freeze.nextOpen.toISOString();
    wake(draft, freeze.wakeAt ?? freeze.nextOpen);
    return pause(draft, 'Frozen', freeze.message ?? 'A freeze is in force');
  }
  wake(draft, freeze?.wakeAt);
  resume(draft);
  return false;
}

function pause(draft: Draft, reason: string, message: string): true {
  const { status, engine, now } = draft;
  if (engine.pausedAt === undefined) {
    engine.pausedAt = now.toISOString();
    tell(draft, { event: 'RunPaused', message, nonce: engine.pausedAt });
  }
  Object.assign(status, { phase: 'Paused', reason, message });
  return true;
}

/** The time in between was no time of soaking or waiting. What had failed is tried again. */
function resume(draft: Draft): void {
  const { status, engine, now } = draft;
  if (engine.pausedAt === undefined) return;
  standStill(draft, now.getTime() - Date.parse(engine.pausedAt));
  delete engine.pausedAt;
  delete status.reason;
  delete status.message;
  delete status.nextOpen;
  if (!engine.pause) return;
  delete engine.pause;
  delete engine.breach;
  askAgain(draft);
  const record = recordsOf(draft).findLast(one => one.status === 'Failed' && one.round === 0);
  if (record) retryRecord(draft, record, 0);
}

/** A clock that was set: that was no time of soaking or waiting either. What is paused stands still anyway. */
export function heedJump(draft: Draft): void {
  const { engine, input } = draft;
  const { jumpMs = 0 } = input;
  if (jumpMs === 0 || engine.pausedAt !== undefined) return;
  standStill(draft, jumpMs);
  if (engine.lastStart !== undefined) engine.lastStart = new Date(Date.parse(engine.lastStart) + jumpMs).toISOString();
}

/** Soaks and gates go on where they were. */
function standStill(draft: Draft, pausedMs: number): void {
  const waves = draft.status.waves ?? [];
  for (const wave of waves) if (wave.soakUntil) wave.soakUntil = new Date(Date.parse(wave.soakUntil) + pausedMs).toISOString();
  for (const record of recordsOf(draft)) if (record.retryAt) record.retryAt = new Date(Date.parse(record.retryAt) + pausedMs).toISOString();
  const gates = [...waves.flatMap(wave => wave.gates ?? []), ...recordsOf(draft).flatMap(record => record.gate ?? [])];
  for (const gate of gates) if (gate.state) gate.state = shiftState(gate.state, pausedMs);
}
