import { at, invalid, required, type FieldError } from '../../../api/field-error.ts';
import { ScheduleError } from '../../../core/schedules/calendar-field.ts';
import { parseCron } from '../../../core/schedules/parse-cron.ts';
import { durationMs } from '../../../util/duration.ts';
import { conditionFaults } from './check-fields.ts';

const maxApprovalMs = 24 * 86_400_000;

/** What each type of gate cannot do without. */
const needs: Readonly<Record<string, readonly string[]>> = {
  Wait: ['duration'],
  Window: ['schedule', 'duration'],
  HTTP: ['url'],
  Analysis: ['templateRef'],
  Job: ['manifest'],
  Expression: ['expr'],
};

export interface CheckedGate {
  readonly type: string;
  readonly timeout?: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What is wrong with a gate, or with a step that is one. */
export function gateFaults(path: string, { type, timeout, fields }: CheckedGate): FieldError[] {
  const missing = (needs[type] ?? []).filter(name => fields[name] === undefined || fields[name] === '');
  return [
    ...missing.map(name => required(at.child(path, name), `${type} needs it`)),
    ...(type === 'Approval' && durationMs(timeout) > maxApprovalMs
      ? [invalid(at.child(path, 'timeout'), timeout, 'must be at most 24 days')]
      : []),
    ...(type === 'Window' && typeof fields['schedule'] === 'string' ? scheduleFaults(at.child(path, 'schedule'), fields['schedule']) : []),
    ...(type === 'Window' && typeof fields['timeZone'] === 'string' ? zoneFaults(at.child(path, 'timeZone'), fields['timeZone']) : []),
    ...(type === 'Expression' && typeof fields['expr'] === 'string' ? conditionFaults(at.child(path, 'expr'), fields['expr']) : []),
  ];
}

function scheduleFaults(field: string, text: string): FieldError[] {
  try {
    parseCron(text);
    return [];
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    return [invalid(field, text, error.message)];
  }
}

export function zoneFaults(field: string, zone: string | undefined): FieldError[] {
  try {
    if (zone !== undefined) Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone);
    return [];
  } catch {
    return [invalid(field, zone, 'is no time zone')];
  }
}
