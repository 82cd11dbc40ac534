import { forbidden, notSupported, required, type FieldError } from '../../../api/field-error.ts';
import type { PriorityClass } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { validateImmutableField } from '../../validation/object-meta.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { oneOf } from '../kind-parts.ts';

const asClass = (obj: KubeObject) => obj as unknown as PriorityClass;
const highestUserPriority = 1_000_000_000;
const systemClasses: Readonly<Record<string, number>> = { 'system-node-critical': 2_000_001_000, 'system-cluster-critical': 2_000_000_000 };
const policies = ['PreemptLowerPriority', 'Never'];

function systemClassProblem(name: string, { value, globalDefault = false }: PriorityClass): string | undefined {
  const known = systemClasses[name];
  if (known === undefined) return `${name} is not a known system priority class`;
  if (value !== known) return `value of ${name} PriorityClass must be ${known}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function validateClass(obj: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  const priorityClass = asClass(obj);
  const name = obj.metadata.name ?? '';
  if (name.startsWith('system-')) {
    const problem = systemClassProblem(name, priorityClass);
    if (problem !== undefined)
      errors.push(
        forbidden('metadata.name', `priority class names with 'system-' prefix are reserved for system use only. error: ${problem}`),
      );
  } else if ((priorityClass.value ?? 0) > highestUserPriority)
    errors.push(forbidden('value', `maximum allowed value of a user defined priority is ${highestUserPriority}`));
  const policy = priorityClass.preemptionPolicy;
  if (policy === '') errors.push(required('preemptionPolicy'));
  else if (policy !== undefined && !oneOf(policy, policies)) errors.push(notSupported('preemptionPolicy', policy, policies));
  return errors;
}

export const priorityClassKind: BuiltinKind = {
  setDefaults(obj) {
    asClass(obj).preemptionPolicy ??= 'PreemptLowerPriority';
  },
  strategy: {
    hasGeneration: true,
    // The generation is 1 from the beginning and stays.
    beforeCommit(obj, old) {
      if (obj && old?.metadata.generation !== undefined) obj.metadata.generation = old.metadata.generation;
    },
    validate: validateClass,
    validateUpdate: (obj, old) => [
      ...(asClass(obj).value === asClass(old).value ? [] : [forbidden('value', 'may not be changed in an update.')]),
      ...validateImmutableField(asClass(obj).preemptionPolicy, asClass(old).preemptionPolicy, 'preemptionPolicy'),
    ],
  },
};
