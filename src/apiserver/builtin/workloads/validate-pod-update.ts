import type { FieldError } from '../../../api/field-error.ts';
import { at, forbidden, invalid, required } from '../../../api/field-error.ts';
import type { Affinity, Container, NodeAffinity, NodeSelectorTerm, Pod, PodSpec, Toleration } from '../../../api/kubernetes.ts';
import type { ObjectMeta } from '../../../api/object.ts';
import { inclusiveRange } from '../../../api/names.ts';
import { internalDiff, internalForm } from './internal-form.ts';
import type { PodValidationOptions } from './pod-validation-options.ts';
import { mapsEqual, semanticEqual } from './semantic-equal.ts';
import { validateImageWhitespace } from './validate-container.ts';
import { validateAnnotationUpdates, validatePodAnnotations, validateProfilesMatch } from './validate-pod-annotations.ts';
import { validatePodSpec } from './validate-pod-spec.ts';
import { validateTolerations } from './validate-scheduling.ts';

/** What holds for every state of a pod. */
export function validatePod(pod: Pod, opts: PodValidationOptions): FieldError[] {
  const spec = specOf(pod);
  const meta = pod.metadata as ObjectMeta | undefined;
  const errors = validatePodAnnotations(meta?.annotations, spec, 'metadata.annotations', opts);
  errors.push(...validatePodSpec(spec, meta, 'spec', opts));
  if (!spec.serviceAccountName)
    (spec.volumes ?? []).forEach((volume, i) =>
      (volume.projected?.sources ?? []).forEach((source, j) => {
        if (source.serviceAccountToken)
          errors.push(
            forbidden(
              `spec.volumes[${i}].projected.sources[${j}].serviceAccountToken`,
              'must not be specified when serviceAccountName is not set',
            ),
          );
      }),
    );
  (spec.containers ?? []).forEach((container, i) => validateImageWhitespace(container, `spec.containers[${i}]`, errors));
  (spec.initContainers ?? []).forEach((container, i) => validateImageWhitespace(container, `spec.initContainers[${i}]`, errors));
  return errors;
}

export const specOf = (pod: Pod): PodSpec => pod.spec ?? { containers: [] };

export function validatePodCreate(pod: Pod, opts: PodValidationOptions): FieldError[] {
  const spec = specOf(pod);
  const errors = validatePod(pod, opts);
  if (spec.ephemeralContainers?.length) errors.push(forbidden('spec.ephemeralContainers', 'cannot be set on create'));
  if (spec.nodeName && spec.schedulingGates?.length)
    errors.push(forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  errors.push(...validateProfilesMatch(pod.metadata?.annotations, spec, 'spec'));
  return errors;
}

const updatableFields = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',');

export function validatePodUpdate(pod: Pod, old: Pod, opts: PodValidationOptions): FieldError[] {
  const errors = validatePod(pod, opts);
  const annotationsPath = 'metadata.annotations';
  const spec = specOf(pod);
  const oldSpec = specOf(old);
  errors.push(...validateAnnotationUpdates(pod.metadata?.annotations, old.metadata?.annotations, annotationsPath));
  errors.push(...validatePodAnnotations(pod.metadata?.annotations, spec, annotationsPath, opts));
  for (const list of ['containers', 'initContainers'] as const) {
    const isSameLength = (spec[list] ?? []).length === (oldSpec[list] ?? []).length;
    validateImages(spec[list] ?? [], isSameLength, at.child('spec', list), errors);
    if (!isSameLength) return errors;
  }
  validateDeadline(spec.activeDeadlineSeconds, oldSpec.activeDeadlineSeconds, errors);
  validateAddedTolerations(spec.tolerations ?? [], oldSpec.tolerations ?? [], opts, errors);
  validateRemovedGates(spec, oldSpec, errors);
  if (semanticEqual(spec, oldSpec)) return errors;

  const remainder = withoutUpdatable(spec, oldSpec);
  if ((oldSpec.schedulingGates ?? []).length > 0) setAsideNodeRules(remainder, oldSpec, errors);
  if (!semanticEqual(remainder, oldSpec)) {
    const diff = internalDiff('PodSpec', oldSpec, remainder);
    errors.push(forbidden('spec', `pod updates may not change fields other than ${updatableFields}\n${diff}`));
  }
  return errors;
}

function validateImages(containers: readonly Container[], isSameLength: boolean, path: string, errors: FieldError[]): void {
  if (!isSameLength) return void errors.push(forbidden(path, 'pod updates may not add or remove containers'));
  containers.forEach((container, i) => {
    if (!container.image) errors.push(required(at.child(at.index(path, i), 'image')));
    validateImageWhitespace(container, at.index(path, i), errors);
  });
}

function validateDeadline(next: number | undefined, old: number | undefined, errors: FieldError[]): void {
  const path = 'spec.activeDeadlineSeconds';
  if (next === undefined) {
    if (old !== undefined) errors.push(invalid(path, undefined, 'must not update from a positive integer to nil value'));
    return;
  }
  if (next < 0 || next > 2147483647) errors.push(invalid(path, next, inclusiveRange(0, 2147483647)));
  else if (old !== undefined && old < next) errors.push(invalid(path, next, 'must be less than or equal to previous value'));
}

function validateAddedTolerations(next: Toleration[], old: Toleration[], opts: PodValidationOptions, errors: FieldError[]): void {
  const isSame = (a: Toleration, b: Toleration) => semanticEqual({ ...a, tolerationSeconds: null }, { ...b, tolerationSeconds: null });
  if (!old.every(toleration => next.some(other => isSame(toleration, other)))) {
    errors.push(forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds'));
    return;
  }
  errors.push(...validateTolerations(next, 'spec.tolerations', opts));
}

function validateRemovedGates(spec: PodSpec, old: PodSpec, errors: FieldError[]): void {
  const known = new Set((old.schedulingGates ?? []).map(gate => gate.name));
  (spec.schedulingGates ?? []).forEach(({ name }, i) => {
    if (!known.has(name))
      errors.push(forbidden(`spec.schedulingGates[${i}].name`, `only deletion is allowed, but found new scheduling gate '${name}'`));
  });
}

/** The new spec with everything that may change put back to its old value: what still differs is forbidden. */
function withoutUpdatable(spec: PodSpec, old: PodSpec): PodSpec {
  const keepImages = (containers: Container[] | undefined, before: Container[] | undefined) =>
    containers?.map((container, i) => withField(container, 'image', before?.[i]?.image));
  let remainder: PodSpec = { ...spec, containers: keepImages(spec.containers, old.containers) ?? [] };
  remainder = withField(remainder, 'initContainers', keepImages(spec.initContainers, old.initContainers));
  for (const name of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations'] as const)
    remainder = withField(remainder, name, old[name]);
  if ((old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1)
    remainder = withField(remainder, 'terminationGracePeriodSeconds', old.terminationGracePeriodSeconds);
  return remainder;
}

/** A copy with one field replaced, or without it when the value is undefined. */
export function withField<T extends object, K extends keyof T>(obj: T, name: K, value: T[K] | undefined): T {
  const copy = { ...obj };
  if (value === undefined) delete copy[name];
  else copy[name] = value;
  return copy;
}

// A gated pod may still narrow down the nodes it could run on.
function setAsideNodeRules(remainder: PodSpec, old: PodSpec, errors: FieldError[]): void {
  if (!mapsEqual(remainder.nodeSelector, old.nodeSelector)) {
    for (const key in old.nodeSelector)
      if (remainder.nodeSelector?.[key] !== old.nodeSelector[key])
        errors.push(
          invalid(
            'spec.nodeSelector',
            remainder.nodeSelector,
            'only additions to spec.nodeSelector are allowed (no mutations or deletions)',
          ),
        );
    if (old.nodeSelector === undefined) delete remainder.nodeSelector;
    else remainder.nodeSelector = old.nodeSelector;
  }
  const next = remainder.affinity?.nodeAffinity;
  const before = old.affinity?.nodeAffinity;
  if (semanticEqual(next, before)) return;
  validateNodeAffinityNarrowed(next, before, errors);
  const affinity: Affinity = withField(remainder.affinity ?? {}, 'nodeAffinity', before);
  if (Object.keys(affinity).length === 0 && !old.affinity) delete remainder.affinity;
  else remainder.affinity = affinity;
}

function validateNodeAffinityNarrowed(next: NodeAffinity | undefined, old: NodeAffinity | undefined, errors: FieldError[]): void {
  const field = 'requiredDuringSchedulingIgnoredDuringExecution';
  const path = `spec.affinity.nodeAffinity.${field}.nodeSelectorTerms`;
  if (!old?.[field]) return;
  const oldTerms = old[field].nodeSelectorTerms ?? [];
  const terms = next?.[field]?.nodeSelectorTerms ?? [];
  const shown = (term: NodeSelectorTerm) => internalForm('NodeSelectorTerm', term);
  if (oldTerms.length > 0 && oldTerms.length !== terms.length) {
    const value = next?.[field]?.nodeSelectorTerms?.map(shown);
    errors.push(invalid(path, value, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed'));
    return;
  }
  oldTerms.forEach((oldTerm, i) => {
    if (!hasOnlyAdditions(terms[i]!, oldTerm))
      errors.push(invalid(at.index(path, i), shown(terms[i]!), 'only additions are allowed (no mutations or deletions)'));
  });
}

function hasOnlyAdditions(next: NodeSelectorTerm, old: NodeSelectorTerm): boolean {
  const isEmpty = (term: NodeSelectorTerm) => !term.matchExpressions?.length && !term.matchFields?.length;
  if (isEmpty(old) && !isEmpty(next)) return false;
  return (['matchExpressions', 'matchFields'] as const).every(name => {
    const before = old[name] ?? [];
    return semanticEqual((next[name] ?? []).slice(0, before.length), before);
  });
}
