import type { FieldError } from '../../../api/field-error.ts';
import { at, duplicate, invalid, notSupported, required, tooLong, tooMany } from '../../../api/field-error.ts';
import type { JobSpec, PodFailurePolicyOnExitCodesRequirement, PodFailurePolicyRule, SuccessPolicyRule } from '../../../api/kubernetes.ts';
import { byteLength, isDns1123Subdomain, isHttpPath, isQualifiedName } from '../../../api/names.ts';
import { indexesProblem } from './job-indexes.ts';
import { invalidInternal } from './internal-form.ts';
import { invalidOmitted, pushInvalid, pushNegative } from './invalid-value.ts';
import type { PodValidationOptions } from './pod-validation-options.ts';
import { validateTemplate } from './template-rules.ts';

const highCompletions = 100_000;
const indexedOnly = 'requires indexed completion mode';

/** Rules of a job's spec that hold inside a CronJob too. */
export function validateJobSpec(spec: JobSpec, path: string, opts: PodValidationOptions): FieldError[] {
  const errors: FieldError[] = [];
  const under = (name: string) => at.child(path, name);
  for (const name of [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
  ] as const)
    pushNegative(errors, under(name), spec[name]);
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined)
    errors.push(required(under('backoffLimitPerIndex'), 'when maxFailedIndexes is specified'));
  if (spec.managedBy !== undefined) validateManagedBy(spec.managedBy, under('managedBy'), errors);
  const mode = spec.completionMode;
  if (mode !== undefined && mode !== 'NonIndexed' && mode !== 'Indexed')
    errors.push(notSupported(under('completionMode'), mode, ['NonIndexed', 'Indexed']));
  if (mode === 'Indexed') validateIndexed(spec, path, errors);
  if (mode === undefined || mode === 'NonIndexed')
    for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const)
      if (spec[name] !== undefined) errors.push(invalid(under(name), spec[name], indexedOnly));
  if (spec.podFailurePolicy) validateFailurePolicy(spec, under('podFailurePolicy'), errors);
  if (spec.successPolicy) {
    if (mode !== 'Indexed') errors.push(invalidInternal(under('successPolicy'), 'SuccessPolicy', spec.successPolicy, indexedOnly));
    else validateSuccessPolicy(spec, under('successPolicy'), errors);
  }
  const replacement = spec.podReplacementPolicy;
  const replacements = spec.podFailurePolicy ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  if (replacement !== undefined && !replacements.includes(replacement))
    errors.push(notSupported(under('podReplacementPolicy'), replacement, replacements));
  errors.push(...validateTemplate(spec.template ?? {}, under('template'), opts));
  validateRestartPolicy(spec, at.child(path, 'template', 'spec', 'restartPolicy'), errors);
  return errors;
}

function validateRestartPolicy(spec: JobSpec, path: string, errors: FieldError[]): void {
  const policy = spec.template?.spec?.restartPolicy ?? '';
  if (policy === '' || policy === 'Always') errors.push(required(path, 'valid values: "OnFailure", "Never"'));
  else if (policy !== 'OnFailure' && policy !== 'Never') errors.push(notSupported(path, policy, ['OnFailure', 'Never']));
  else if (spec.podFailurePolicy && policy !== 'Never')
    errors.push(invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified'));
}

function validateManagedBy(value: string, path: string, errors: FieldError[]): void {
  const slash = value.indexOf('/');
  if (value === '') errors.push(required(path));
  else if (slash <= 0 || slash === value.length - 1)
    errors.push(invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")'));
  else {
    const host = value.slice(0, slash);
    const rest = value.slice(slash + 1);
    pushInvalid(errors, path, host, isDns1123Subdomain(host));
    pushInvalid(errors, path, rest, isHttpPath(rest));
  }
  if (byteLength(value) > 63) errors.push(tooLong(path, 63));
}

function validateIndexed(spec: JobSpec, path: string, errors: FieldError[]): void {
  const { completions, parallelism, maxFailedIndexes } = spec;
  const failedPath = at.child(path, 'maxFailedIndexes');
  const parallelismPath = at.child(path, 'parallelism');
  if (completions === undefined) errors.push(required(at.child(path, 'completions'), 'when completion mode is Indexed'));
  if (parallelism !== undefined && parallelism > 100_000)
    errors.push(invalid(parallelismPath, parallelism, 'must be less than or equal to 100000 when completion mode is Indexed'));
  if (completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions)
    errors.push(invalid(failedPath, maxFailedIndexes, 'must be less than or equal to completions'));
  if (maxFailedIndexes !== undefined && maxFailedIndexes > 100_000)
    errors.push(invalid(failedPath, maxFailedIndexes, 'must be less than or equal to 100000'));
  if (completions === undefined || completions <= highCompletions || spec.backoffLimitPerIndex === undefined) return;
  const limit = `must be less than or equal to 10000 when completions are above ${highCompletions} and used with backoff limit per index`;
  if (maxFailedIndexes === undefined) errors.push(required(failedPath, `must be specified when completions is above ${highCompletions}`));
  if (parallelism !== undefined && parallelism > 10_000) errors.push(invalid(parallelismPath, parallelism, limit));
  if (maxFailedIndexes !== undefined && maxFailedIndexes > 10_000) errors.push(invalid(failedPath, maxFailedIndexes, limit));
}

const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const operators = ['In', 'NotIn'];
const statuses = ['False', 'True', 'Unknown'];
const quoteList = (values: readonly string[]) => `[${values.map(v => JSON.stringify(v)).join(' ')}]`;

function validateFailurePolicy(spec: JobSpec, path: string, errors: FieldError[]): void {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const rulesPath = at.child(path, 'rules');
  if (rules.length > 20) errors.push(tooMany(rulesPath, rules.length, 20));
  const template = spec.template?.spec;
  const names = new Set([...(template?.containers ?? []), ...(template?.initContainers ?? [])].map(c => c.name));
  rules.forEach((rule, i) => validateFailureRule(rule, spec, names, at.index(rulesPath, i), errors));
}

function validateFailureRule(
  rule: PodFailurePolicyRule,
  spec: JobSpec,
  names: ReadonlySet<string>,
  path: string,
  errors: FieldError[],
): void {
  const actionPath = at.child(path, 'action');
  const { action = '', onExitCodes, onPodConditions = [] } = rule;
  if (action === '') errors.push(required(actionPath, `valid values: ${quoteList(actions)}`));
  else if (action === 'FailIndex') {
    if (spec.backoffLimitPerIndex === undefined) errors.push(invalid(actionPath, action, 'requires the backoffLimitPerIndex to be set'));
  } else if (!actions.includes(action)) errors.push(notSupported(actionPath, action, actions));
  if (onExitCodes) validateExitCodes(onExitCodes, names, at.child(path, 'onExitCodes'), errors);
  const conditionsPath = at.child(path, 'onPodConditions');
  if (onPodConditions.length > 20) errors.push(tooMany(conditionsPath, onPodConditions.length, 20));
  onPodConditions.forEach(({ type = '', status = '' }, i) => {
    const own = at.index(conditionsPath, i);
    pushInvalid(errors, at.child(own, 'type'), type, isQualifiedName(type));
    if (status === '') errors.push(required(at.child(own, 'status'), `valid values: ${quoteList(statuses)}`));
    else if (!statuses.includes(status)) errors.push(notSupported(at.child(own, 'status'), status, statuses));
  });
  if (onExitCodes && onPodConditions.length > 0)
    errors.push(invalidOmitted(path, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  if (!onExitCodes && onPodConditions.length === 0)
    errors.push(invalidOmitted(path, 'specifying one of OnExitCodes and OnPodConditions is required'));
}

function validateExitCodes(
  codes: PodFailurePolicyOnExitCodesRequirement,
  names: ReadonlySet<string>,
  path: string,
  errors: FieldError[],
): void {
  const { operator = '', containerName } = codes;
  const values = codes.values ?? [];
  const operatorPath = at.child(path, 'operator');
  const valuesPath = at.child(path, 'values');
  if (operator === '') errors.push(required(operatorPath, `valid values: ${quoteList(operators)}`));
  else if (!operators.includes(operator)) errors.push(notSupported(operatorPath, operator, operators));
  if (containerName !== undefined && !names.has(containerName))
    errors.push(
      invalid(at.child(path, 'containerName'), containerName, 'must be one of the container or initContainer names in the pod template'),
    );
  if (values.length === 0) errors.push(invalid(valuesPath, codes.values, 'at least one value is required'));
  else if (values.length > 255) errors.push(tooMany(valuesPath, values.length, 255));
  const seen = new Set<number>();
  values.forEach((value, i) => {
    if (operator === 'In' && value === 0) errors.push(invalid(at.index(valuesPath, i), value, 'must not be 0 for the In operator'));
    if (seen.has(value)) errors.push(duplicate(at.index(valuesPath, i), value));
    seen.add(value);
  });
  if (values.some((value, i) => i > 0 && values[i - 1]! > value)) errors.push(invalid(valuesPath, values, 'must be ordered'));
}

function validateSuccessPolicy(spec: JobSpec, path: string, errors: FieldError[]): void {
  const rules = spec.successPolicy?.rules ?? [];
  const rulesPath = at.child(path, 'rules');
  if (rules.length === 0) errors.push(required(rulesPath, 'at least one rules must be specified when the successPolicy is specified'));
  if (rules.length > 20) errors.push(tooMany(rulesPath, rules.length, 20));
  rules.forEach((rule, i) => validateSuccessRule(rule, spec.completions ?? 0, at.index(rulesPath, i), errors));
}

function validateSuccessRule(rule: SuccessPolicyRule, completions: number, path: string, errors: FieldError[]): void {
  const { succeededCount: count, succeededIndexes: indexes } = rule;
  if (count === undefined && indexes === undefined)
    errors.push(required(path, 'at least one of succeededCount or succeededIndexes must be specified'));
  let total = 0;
  if (indexes !== undefined) {
    const own = at.child(path, 'succeededIndexes');
    if (byteLength(indexes) > 65536) errors.push(tooLong(own, 65536));
    const result = indexesProblem(indexes, completions);
    if (typeof result === 'string') errors.push(invalid(own, indexes, `error parsing succeededIndexes: ${result}`));
    else total = result;
  }
  if (count === undefined) return;
  const own = at.child(path, 'succeededCount');
  pushNegative(errors, own, count);
  if (count > completions)
    errors.push(invalid(own, count, `must be less than or equal to ${completions} (the number of specified completions)`));
  if (indexes !== undefined && count > total)
    errors.push(
      invalid(own, count, `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`),
    );
}
