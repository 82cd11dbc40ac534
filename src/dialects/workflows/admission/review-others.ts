import { at, duplicate, invalid, required, type FieldError } from '../../../api/field-error.ts';
import { celTypes } from '../../../cel/cel-type.ts';
import { compileCel } from '../../../cel/compile-cel.ts';
import { faulty } from '../../../core/admission/answers.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { ScheduleError } from '../../../core/schedules/calendar-field.ts';
import { parseRecurrence } from '../../../core/schedules/parse-rrule.ts';
import type { DeployFreeze } from '../kinds/deploy-freeze.ts';
import type { GateTemplate } from '../kinds/gate.ts';
import type { Pipeline } from '../kinds/pipeline.ts';
import { conditionFaults, onlyOne } from './check-fields.ts';
import { zoneFaults } from './check-gate.ts';

export async function reviewPipeline(request: AdmissionRequest): Promise<AdmissionAnswer> {
  const { stages } = (request.object as Pipeline).spec;
  const seen = new Set<string>();
  return faulty(
    request,
    stages.flatMap((stage, i) => {
      const here = at.index('spec.stages', i);
      const isTwice = seen.has(stage.name);
      seen.add(stage.name);
      const isWord = stage.skip === undefined || ['Never', 'Always', ''].includes(stage.skip);
      return [
        ...(isTwice ? [duplicate(at.child(here, 'name'), stage.name)] : []),
        ...onlyOne(here, stage, ['workflowRef', 'approval']),
        ...(isWord ? [] : conditionFaults(at.child(here, 'skip'), stage.skip!)),
        ...(i === 0 && stage.parallelWithPrevious === true
          ? [invalid(at.child(here, 'parallelWithPrevious'), true, 'there is no stage before it')]
          : []),
      ];
    }),
  );
}

export async function reviewFreeze(request: AdmissionRequest): Promise<AdmissionAnswer> {
  const { start, end, rrule, duration, timeZone } = (request.object as DeployFreeze).spec;
  const isBackward = start !== undefined && end !== undefined && Date.parse(end) <= Date.parse(start);
  const hasLength = duration !== undefined || (start !== undefined && end !== undefined);
  return faulty(request, [
    ...(isBackward ? [invalid('spec.end', end, 'must be after start')] : []),
    ...(rrule === undefined ? [] : ruleFaults(rrule)),
    ...(rrule !== undefined && !hasLength ? [required('spec.duration', 'with rrule it must be known how long it lasts')] : []),
    ...zoneFaults('spec.timeZone', timeZone),
  ]);
}

function ruleFaults(rrule: string): FieldError[] {
  try {
    parseRecurrence(rrule);
    return [];
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    return [invalid('spec.rrule', rrule, error.message)];
  }
}

export async function reviewGateTemplate(request: AdmissionRequest): Promise<AdmissionAnswer> {
  const { metrics } = (request.object as GateTemplate).spec;
  return faulty(
    request,
    metrics.flatMap((metric, i) =>
      (['successCondition', 'failureCondition'] as const).flatMap(name => {
        const text = metric[name];
        return text === undefined || text.includes('${') ? [] : celFaults(at.child(at.index('spec.metrics', i), name), text);
      }),
    ),
  );
}

function celFaults(field: string, text: string): FieldError[] {
  try {
    compileCel(text, { variables: { result: celTypes.dyn } });
    return [];
  } catch (error) {
    return [invalid(field, text, (error as Error).message)];
  }
}
