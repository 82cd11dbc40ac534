import type { LogLine } from '../logs/run-logs.ts';
import type { PlacedStep } from './run-plan.ts';
import { recordsOf, wake, type Draft } from './run-step.ts';
import type { StepRecord, WaveRecord } from './run-status.ts';

/** Which part of the way a step belongs to. */
export interface Way {
  /** 0 forward; else the number of the rollback. */
  readonly round: number;
  readonly leg: number;
  readonly wave: WaveRecord | undefined;
}

export const findRecord = (draft: Draft, { position }: PlacedStep, { round, leg }: Way): StepRecord | undefined =>
  recordsOf(draft).find(one => one.position === position && one.leg === leg && one.round === round);

export function beginRecord(draft: Draft, placed: PlacedStep, way: Way): StepRecord {
  const id = ++draft.engine.lastId;
  const record: StepRecord = {
    phase: placed.phase.name,
    group: placed.group.name,
    name: placed.step.name,
    type: placed.step.type,
    ...(way.wave && { wave: way.wave.name }),
    ...(way.round > 0 && { isRollback: true }),
    status: 'Running',
    startedAt: draft.now.toISOString(),
    id,
    firstId: id,
    attempt: 1,
    position: placed.position,
    leg: way.leg,
    round: way.round,
  };
  recordsOf(draft).push(record);
  return record;
}

export const isOver = ({ status }: StepRecord): boolean => status === 'Succeeded' || status === 'Skipped';

export function endRecord(draft: Draft, record: StepRecord, status: StepRecord['status'], message?: string): void {
  record.status = status;
  record.finishedAt = draft.now.toISOString();
  delete record.retryAt;
  if (message !== undefined && message !== '') record.message = message;
}

/** Another attempt, from a time on. */
export function retryRecord(draft: Draft, record: StepRecord, afterMs: number): void {
  record.id = ++draft.engine.lastId;
  record.attempt++;
  record.status = 'Running';
  delete record.finishedAt;
  delete record.message;
  delete record.failureType;
  delete record.gate;
  if (afterMs > 0) record.retryAt = new Date(draft.now.getTime() + afterMs).toISOString();
}

/** Whether the present attempt may begin. */
export function isDue(draft: Draft, record: StepRecord): boolean {
  if (record.retryAt === undefined) return true;
  if (Date.parse(record.retryAt) > draft.now.getTime()) {
    wake(draft, Date.parse(record.retryAt));
    return false;
  }
  delete record.retryAt;
  return true;
}

export function say(draft: Draft, record: StepRecord, lines: readonly LogLine[]): void {
  if (lines.length === 0) return;
  const present = draft.lines.find(one => one.id === record.id);
  if (present) present.lines.push(...lines);
  else draft.lines.push({ step: record.name, id: record.id, lines: [...lines] });
}
