import { at, forbidden, invalid, required, tooLong, type FieldError } from '../../api/field-error.ts';
import { parseApiVersion, type ManagedFieldsEntry, type ObjectMeta, type OwnerReference } from '../../api/object.ts';
import { jsonEqual } from '../../util/json.ts';
import {
  byteLength,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isLongerThan,
  isPathSegmentName,
  isPathSegmentPrefix,
  isQualifiedName,
  maskTrailingDash,
} from '../../api/names.ts';

export type NameRule = 'subdomain' | 'label' | 'label1035' | 'path' | ((name: string) => string[]);

export interface ObjectMetaRules {
  readonly namespaced: boolean;
  /** Default: `subdomain`. */
  readonly nameRule?: NameRule | undefined;
}

const nameRules: Record<'subdomain' | 'label' | 'label1035', (name: string) => string[]> = {
  subdomain: isDns1123Subdomain,
  label: isDns1123Label,
  label1035: isDns1035Label,
};

export const fieldIsImmutable = 'field is immutable';
const mustBeNonNegative = 'must be greater than or equal to 0';
const maxAnnotationBytes = 262144;

/** Reasons why a name does not fit its rule. A prefix will get more characters behind it. */
export function nameProblems(rule: NameRule, name: string, isPrefix = false): string[] {
  if (rule === 'path') return isPrefix ? isPathSegmentPrefix(name) : isPathSegmentName(name);
  const check = typeof rule === 'function' ? rule : nameRules[rule];
  return check(isPrefix ? maskTrailingDash(name) : name);
}

/** Metadata of an object about to be created, its name already generated. */
export function validateObjectMeta(meta: ObjectMeta, { namespaced, nameRule }: ObjectMetaRules, path = 'metadata'): FieldError[] {
  const rule = nameRule ?? 'subdomain';
  const errors: FieldError[] = [];
  const generateName = meta.generateName ?? '';
  if (generateName !== '')
    for (const problem of nameProblems(rule, generateName, true))
      errors.push(invalid(at.child(path, 'generateName'), generateName, problem));
  const name = meta.name ?? '';
  if (name === '') errors.push(required(at.child(path, 'name'), 'name or generateName is required'));
  else for (const problem of nameProblems(rule, name)) errors.push(invalid(at.child(path, 'name'), name, problem));

  const namespace = meta.namespace ?? '';
  if (!namespaced && namespace !== '') errors.push(forbidden(at.child(path, 'namespace'), 'not allowed on this type'));
  if (namespaced && namespace === '') errors.push(required(at.child(path, 'namespace')));
  if (namespaced && namespace !== '')
    for (const problem of isDns1123Label(namespace)) errors.push(invalid(at.child(path, 'namespace'), namespace, problem));

  const generation = meta.generation ?? 0;
  if (generation < 0) errors.push(invalid(at.child(path, 'generation'), generation, mustBeNonNegative));
  errors.push(...validateLabels(meta.labels, at.child(path, 'labels')));
  errors.push(...validateAnnotations(meta.annotations, at.child(path, 'annotations')));
  errors.push(...validateOwnerReferences(meta.ownerReferences, at.child(path, 'ownerReferences')));
  errors.push(...validateFinalizers(meta.finalizers, at.child(path, 'finalizers')));
  errors.push(...validateManagedFields(meta.managedFields, at.child(path, 'managedFields')));
  return errors;
}

/** Metadata of an object about to be replaced. The caller has carried over what the server owns. */
export function validateObjectMetaUpdate(next: ObjectMeta, old: ObjectMeta, path = 'metadata'): FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined)
    errors.push(...validateNoNewFinalizers(next.finalizers, old.finalizers, at.child(path, 'finalizers')));
  if ((next.resourceVersion ?? '') === '') errors.push(invalid(at.child(path, 'resourceVersion'), '', 'must be specified for an update'));
  if ((next.generation ?? 0) < (old.generation ?? 0))
    errors.push(invalid(at.child(path, 'generation'), next.generation ?? 0, 'must not be decremented'));

  for (const field of ['name', 'namespace', 'uid'] as const)
    if ((next[field] ?? '') !== (old[field] ?? '')) errors.push(invalid(at.child(path, field), next[field] ?? '', fieldIsImmutable));
  for (const field of ['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const)
    errors.push(...validateImmutableField(next[field], old[field], at.child(path, field)));

  errors.push(...validateLabels(next.labels, at.child(path, 'labels')));
  errors.push(...validateAnnotations(next.annotations, at.child(path, 'annotations')));
  errors.push(...validateOwnerReferences(next.ownerReferences, at.child(path, 'ownerReferences')));
  errors.push(...validateManagedFields(next.managedFields, at.child(path, 'managedFields')));
  return errors;
}

/** Values that mean the same to Go's semantic comparison (absent, null, empty list, empty map) count as equal. */
export function validateImmutableField(next: unknown, old: unknown, path: string): FieldError[] {
  return semanticEqual(next, old) ? [] : [invalid(path, next, fieldIsImmutable)];
}

const isEmptyCollection = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

export function semanticEqual(a: unknown, b: unknown): boolean {
  if (isEmptyCollection(a) && isEmptyCollection(b)) return true;
  return jsonEqual(a, b);
}

export function validateNonNegative(value: number | undefined, path: string): FieldError[] {
  return value !== undefined && value < 0 ? [invalid(path, value, mustBeNonNegative)] : [];
}

export function validateLabelName(name: string, path: string): FieldError[] {
  return isQualifiedName(name).map(problem => invalid(path, name, problem));
}

export function validateLabels(labels: Readonly<Record<string, string>> | undefined, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const key in labels) {
    const value = labels[key] ?? '';
    errors.push(...validateLabelName(key, path));
    for (const problem of isLabelValue(value)) errors.push(invalid(path, value, problem));
  }
  return errors;
}

export function validateAnnotations(annotations: Readonly<Record<string, string>> | undefined, path: string): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const key in annotations) {
    for (const problem of isQualifiedName(key.toLowerCase())) errors.push(invalid(path, key, problem));
    size += byteLength(key) + byteLength(annotations[key] ?? '');
  }
  if (size > maxAnnotationBytes) errors.push(tooLong(path, maxAnnotationBytes));
  return errors;
}

function validateOwnerReferences(references: readonly OwnerReference[] | undefined, path: string): FieldError[] {
  if (!references) return [];
  const errors: FieldError[] = [];
  let controller = '';
  for (const reference of references) {
    errors.push(...validateOwnerReference(reference, path));
    if (!reference.controller) continue;
    const current = `${reference.kind}/${reference.name}`;
    if (controller === '') controller = current;
    else
      errors.push(
        invalid(
          path,
          references,
          `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${current}`,
        ),
      );
  }
  return errors;
}

function validateOwnerReference(reference: OwnerReference, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const apiVersion = reference.apiVersion ?? '';
  const { group, version } = apiVersion.split('/').length > 2 ? { group: '', version: '' } : parseApiVersion(apiVersion);
  if (version === '') errors.push(invalid(at.child(path, 'apiVersion'), apiVersion, 'version must not be empty'));
  for (const field of ['kind', 'name', 'uid'] as const)
    if ((reference[field] ?? '') === '') errors.push(invalid(at.child(path, field), '', 'must not be empty'));
  if (group === '' && version === 'v1' && reference.kind === 'Event')
    errors.push(invalid(path, reference, '/v1, Kind=Event is disallowed from being an owner'));
  return errors;
}

function validateFinalizers(finalizers: readonly string[] | undefined, path: string): FieldError[] {
  if (!finalizers) return [];
  const errors = finalizers.flatMap(finalizer => isQualifiedName(finalizer).map(problem => invalid(path, finalizer, problem)));
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion'))
    errors.push(invalid(path, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  return errors;
}

function validateNoNewFinalizers(next: readonly string[] = [], old: readonly string[] = [], path: string): FieldError[] {
  const added = [...new Set(next)].filter(finalizer => !old.includes(finalizer)).sort();
  if (added.length === 0) return [];
  const shown = added.map(finalizer => JSON.stringify(finalizer)).join(', ');
  return [forbidden(path, `no new finalizers can be added if the object is being deleted, found new finalizers []string{${shown}}`)];
}

export function validateManagedFields(entries: readonly ManagedFieldsEntry[] | undefined, path: string): FieldError[] {
  if (!entries) return [];
  const errors: FieldError[] = [];
  for (const [i, entry] of entries.entries()) {
    const entryPath = at.index(path, i);
    if (entry.operation !== 'Apply' && entry.operation !== 'Update')
      errors.push(invalid(at.child(entryPath, 'operation'), entry.operation ?? '', 'must be `Apply` or `Update`'));
    if (entry.fieldsType !== undefined && entry.fieldsType !== '' && entry.fieldsType !== 'FieldsV1')
      errors.push(invalid(at.child(entryPath, 'fieldsType'), entry.fieldsType, 'must be `FieldsV1`'));
    errors.push(...validateFieldManager(entry.manager ?? '', at.child(entryPath, 'manager')));
    if (isLongerThan(entry.subresource ?? '', 256)) errors.push(tooLong(at.child(entryPath, 'subresource'), 256));
  }
  return errors;
}

const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

export function validateFieldManager(manager: string, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (isLongerThan(manager, 128)) errors.push(tooLong(path, 128));
  if (!unprintable.test(manager)) return errors;
  let position = 0;
  for (const character of manager) {
    if (unprintable.test(character))
      errors.push(invalid(path, manager, `invalid character ${codePointName(character)} (at position ${position})`));
    position += byteLength(character);
  }
  return errors;
}

const codePointName = (character: string) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
