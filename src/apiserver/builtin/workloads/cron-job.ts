import type { FieldError } from '../../../api/field-error.ts';
import { invalid, notSupported, required } from '../../../api/field-error.ts';
import type { CronJob, CronJobSpec } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { isTimeZone, scheduleProblem } from './cron-schedule.ts';
import { dropDisabledTemplateFields } from './drop-disabled-fields.ts';
import { pushNegative } from './invalid-value.ts';
import { setFailurePolicyDefaults, warningsForJobSpec } from './job.ts';
import { templateOptions, type PodValidationOptions } from './pod-validation-options.ts';
import { hostnameWarning } from './pod-warnings.ts';
import { semanticEqual } from './semantic-equal.ts';
import { validateJobSpec } from './validate-job-spec.ts';
import { keepFields } from './workload-strategy.ts';

const asCronJob = (obj: KubeObject) => obj as unknown as CronJob;
const templateOf = (obj: KubeObject) => asCronJob(obj).spec?.jobTemplate?.spec?.template;
const jobPath = 'spec.jobTemplate.spec';

export const cronJobKind: BuiltinKind = {
  setDefaults(obj) {
    const { spec } = asCronJob(obj);
    if (!spec) return;
    spec.concurrencyPolicy ||= 'Allow';
    spec.suspend ??= false;
    spec.successfulJobsHistoryLimit ??= 3;
    spec.failedJobsHistoryLimit ??= 1;
    if (spec.jobTemplate?.spec) setFailurePolicyDefaults(spec.jobTemplate.spec);
  },
  strategy: {
    hasGeneration: true,
    hasStatus: true,
    resetFields: { '': [['status']], status: [['spec']] },
    prepareForCreate(obj) {
      obj['status'] = {};
      dropDisabledTemplateFields(templateOf(obj), undefined);
    },
    prepareForUpdate(obj, old) {
      keepFields(obj, old, ['status']);
      dropDisabledTemplateFields(templateOf(obj), templateOf(old));
    },
    prepareForStatusUpdate: (obj, old) => keepFields(obj, old, ['spec']),
    validate(obj) {
      const errors = validateSpec(asCronJob(obj).spec!, undefined, templateOptions());
      const name = obj.metadata.name ?? '';
      if (name.length > 52) errors.push(invalid('metadata.name', name, 'must be no more than 52 characters'));
      return errors;
    },
    validateUpdate: (obj, old) => validateSpec(asCronJob(obj).spec!, asCronJob(old).spec, templateOptions(templateOf(old))),
    validateStatusUpdate: () => [],
    warningsOnCreate: obj => [
      ...hostnameWarning(obj.metadata.name, 'Pod names and hostnames'),
      ...warningsForJobSpec(asCronJob(obj).spec?.jobTemplate?.spec, jobPath),
    ],
    warningsOnUpdate(obj, old, ctx) {
      if (ctx.subresource === 'status') return [];
      const { spec } = asCronJob(obj);
      const warnings = semanticEqual(spec, old['spec']) ? [] : warningsForJobSpec(spec?.jobTemplate?.spec, jobPath);
      if (spec?.schedule?.includes('TZ'))
        warnings.push(
          'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
        );
      return warnings;
    },
  },
};

const concurrencyPolicies = ['Allow', 'Forbid', 'Replace'];

function validateSpec(spec: CronJobSpec, old: CronJobSpec | undefined, opts: PodValidationOptions): FieldError[] {
  const errors: FieldError[] = [];
  if (!spec.schedule) errors.push(required('spec.schedule'));
  else validateSchedule(spec, old, errors);
  pushNegative(errors, 'spec.startingDeadlineSeconds', spec.startingDeadlineSeconds);
  if (!old || old.timeZone !== spec.timeZone) validateTimeZone(spec.timeZone, errors);
  const policy = spec.concurrencyPolicy ?? '';
  if (policy === '') errors.push(required('spec.concurrencyPolicy'));
  else if (!concurrencyPolicies.includes(policy)) errors.push(notSupported('spec.concurrencyPolicy', policy, concurrencyPolicies));
  const job = spec.jobTemplate?.spec ?? { template: {} };
  errors.push(...validateJobSpec(job, jobPath, opts));
  if (job.selector) errors.push(invalid(`${jobPath}.selector`, job.selector, '`selector` will be auto-generated'));
  if (job.manualSelector) errors.push(notSupported(`${jobPath}.manualSelector`, true, ['nil', 'false']));
  pushNegative(errors, 'spec.successfulJobsHistoryLimit', spec.successfulJobsHistoryLimit);
  pushNegative(errors, 'spec.failedJobsHistoryLimit', spec.failedJobsHistoryLimit);
  return errors;
}

function validateSchedule({ schedule, timeZone }: CronJobSpec, old: CronJobSpec | undefined, errors: FieldError[]): void {
  const path = 'spec.schedule';
  const problem = scheduleProblem(schedule);
  if (problem !== undefined) errors.push(invalid(path, schedule, problem));
  if (!schedule.includes('TZ')) return;
  if (!old?.schedule?.includes('TZ'))
    errors.push(invalid(path, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'));
  else if (timeZone !== undefined) errors.push(invalid(path, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'));
}

function validateTimeZone(zone: string | undefined, errors: FieldError[]): void {
  const path = 'spec.timeZone';
  if (zone === undefined) return;
  if (zone === '') return void errors.push(invalid(path, zone, 'timeZone must be nil or non-empty string'));
  const isSpelled = zone
    .split('/')
    .every(part => part !== '.' && part !== '..' && !part.startsWith('-') && /^[A-Za-z.\-_0-9+]{1,14}$/.test(part));
  if (!isSpelled) return void errors.push(invalid(path, zone, `unknown time zone ${zone}`));
  if (zone.toLowerCase() === 'local')
    errors.push(invalid(path, zone, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'));
  if (!isTimeZone(zone) && zone !== 'Local') errors.push(invalid(path, zone, `unknown time zone ${zone}`));
}
