import { at, duplicate, invalid, required, type FieldError } from '../../../api/field-error.ts';
import { isDns1123Subdomain } from '../../../api/names.ts';
import { faulty } from '../../../core/admission/answers.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { isMailAddress } from '../../../sources/submit-mail.ts';
import { durationMs } from '../../../util/duration.ts';
import { InputError } from '../inputs/input-error.ts';
import { workflowVariables } from '../inputs/workflow-variables.ts';
import type { Workflow, WorkflowVariable } from '../kinds/workflow.ts';
import { expressionFaults } from './check-fields.ts';
import { gateFaults } from './check-gate.ts';
import { phaseFaults, strategyFaults } from './check-steps.ts';

export async function reviewWorkflow(request: AdmissionRequest): Promise<AdmissionAnswer> {
  const { spec } = request.object as Workflow;
  return faulty(request, [
    ...referenceFaults(spec),
    ...phaseFaults(spec.phases ?? []),
    ...(spec.type === 'Custom' && (spec.phases ?? []).length === 0
      ? [required('spec.phases', 'a workflow of type Custom has no phases of its own')]
      : []),
    ...strategyFaults('spec.failureStrategies', spec.failureStrategies),
    ...variableFaults(spec.variables ?? []),
    ...waveFaults(spec),
    ...mailFaults(spec),
    ...intervalFaults(spec),
    ...(spec.concurrency?.unit === 'Custom' && !spec.concurrency.key ? [required('spec.concurrency.key', 'unit Custom needs it')] : []),
    ...(spec.labelPrefix === undefined
      ? []
      : isDns1123Subdomain(spec.labelPrefix).map(why => invalid('spec.labelPrefix', spec.labelPrefix, why))),
  ]);
}

function referenceFaults(spec: Workflow['spec']): FieldError[] {
  const fields = ['serviceRef', 'environmentRef', 'infrastructureRef'] as const;
  const other = (spec.phases ?? []).flatMap(({ infrastructureRef }, i) =>
    infrastructureRef === undefined || infrastructureRef === spec.infrastructureRef
      ? []
      : [invalid(`spec.phases[${i}].infrastructureRef`, infrastructureRef, 'all phases of a run go to the clusters of one infrastructure')],
  );
  return [...fields.flatMap(field => expressionFaults(`spec.${field}`, spec[field])), ...other];
}

/** A default must be a value that a run could give. */
function variableFaults(variables: readonly WorkflowVariable[]): FieldError[] {
  const seen = new Set<string>();
  return variables.flatMap((variable, i) => {
    const here = at.index('spec.variables', i);
    const isTwice = seen.has(variable.name);
    seen.add(variable.name);
    if (isTwice) return [invalid(at.child(here, 'name'), variable.name, 'there is another variable of this name')];
    if (variable.fixed === true && variable.default === undefined)
      return [required(at.child(here, 'default'), 'a fixed variable needs a value')];
    return [...expressionFaults(at.child(here, 'default'), variable.default), ...defaultFaults(at.child(here, 'default'), variable)];
  });
}

function defaultFaults(field: string, variable: WorkflowVariable): FieldError[] {
  const { default: preset } = variable;
  if (preset === undefined || preset.includes('${')) return [];
  try {
    workflowVariables([{ ...variable, required: false }], {}, { also: () => false, render: text => text });
    return [];
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return [invalid(field, preset, error.message)];
  }
}

/** What is written here goes into the commands for a mail server. */
function mailFaults({ notifications = [] }: Workflow['spec']): FieldError[] {
  return notifications.flatMap(({ email = [] }, i) =>
    email.flatMap((address, j) =>
      isMailAddress(address)
        ? []
        : [invalid(`spec.notifications[${i}].email[${j}]`, address, 'must be a mail address such as ops@example.com')],
    ),
  );
}

const minIntervalMs = 60_000;

function intervalFaults({ drift }: Workflow['spec']): FieldError[] {
  const { interval } = drift ?? {};
  return interval !== undefined && durationMs(interval) < minIntervalMs
    ? [invalid('spec.drift.interval', interval, 'must be at least 1m')]
    : [];
}

function waveFaults({ rollout }: Workflow['spec']): FieldError[] {
  return (rollout?.waves ?? []).flatMap((wave, i) =>
    (['before', 'after'] as const).flatMap(side =>
      (wave[side] ?? []).flatMap((gate, j, all) => {
        const here = at.index(at.child(at.index('spec.rollout.waves', i), side), j);
        return [
          // They are told apart by their names: the second would be passed with the first.
          ...(all.findIndex(one => one.name === gate.name) < j ? [duplicate(at.child(here, 'name'), gate.name)] : []),
          ...gateFaults(here, { type: gate.type, timeout: gate.timeout, fields: gate as unknown as Record<string, unknown> }),
        ];
      }),
    ),
  );
}
