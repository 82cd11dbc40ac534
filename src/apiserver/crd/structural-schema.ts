import { type FieldError } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Json, JsonObject } from '../../util/json.ts';
import { validateRules } from './cel-rules.ts';
import { validateEmbeddedResources } from './embedded-resources.ts';
import { validateListTypes } from './list-types.ts';
import { propertyOf, schemaHas, type SchemaProps } from './schema-props.ts';
import { setSchemaDefaults } from './schema-defaults.ts';
import { shapeCustomObject } from './shape-custom-object.ts';
import { valueValidator, type Findings } from './validate-value.ts';

/** What a schema does to the objects of its kind. */
export interface StructuralSchema {
  readonly props: SchemaProps;
  /**
   * The object without unknown fields; they are reported as `unknown field "spec.foo"`. Throws an Error when metadata has the wrong form. Shares with the object
   * what stays as it is, and does not look at what that shares with `prunedBefore`.
   */
  prune(obj: KubeObject, problems: string[], prunedBefore?: KubeObject): KubeObject;
  setDefaults(obj: KubeObject): void;
  /** Everything that is wrong with the object, metadata aside. With `old`, what it shares with that is forgiven. */
  validate(obj: KubeObject, old?: KubeObject, warn?: (text: string) => void): FieldError[];
  /** The same for a write to the status subresource: the schema is applied to status only, the rules to everything. */
  validateStatus(obj: KubeObject, old: KubeObject, warn?: (text: string) => void): FieldError[];
}

export function structuralSchema(props: SchemaProps): StructuralSchema {
  const validateValue = valueValidator(props);
  /** Parts of objects that broke nothing. They never change, so that what later objects share with them needs no second look. */
  const proven = new WeakSet<object>();
  const statusProps = propertyOf(props, 'status') ?? (props['x-kubernetes-preserve-unknown-fields'] === true ? anything : undefined);
  const json = (obj: KubeObject): Json => obj as unknown as Json;

  /** Lists that already repeat themselves may go on doing so. */
  function listErrors(obj: KubeObject, old: KubeObject | undefined): FieldError[] {
    const errors = validateListTypes(json(obj), props);
    return errors.length > 0 && old && validateListTypes(json(old), props).length > 0 ? [] : errors;
  }

  function withRules(
    errors: FieldError[],
    obj: KubeObject,
    old: KubeObject | undefined,
    warn: ((text: string) => void) | undefined,
  ): FieldError[] {
    if (errors.some(error => blocking.has(error.type))) return hasRules(props) ? [...errors, rulesNotChecked] : errors;
    return [...errors, ...validateRules(json(obj), props, { old: old && json(old), warn: old && (warn ?? ignore) })];
  }

  return {
    props,
    prune: (obj, problems, before) => shapeCustomObject(obj, props, problems, before),
    setDefaults: obj => setSchemaDefaults(json(obj) as JsonObject, props),
    validate(obj, old, warn) {
      const errors: FieldError[] = [];
      const findings = { prefix: '', errors, isOldProven: old !== undefined && bodyOf(old).every(part => proven.has(part)) };
      validateValue(json(obj), '', old && json(old), findings);
      if (isFaultless(findings)) for (const part of bodyOf(obj)) proven.add(part);
      errors.push(...validateEmbeddedResources(json(obj), props), ...listErrors(obj, old));
      return withRules(errors, obj, old, warn);
    },
    validateStatus(obj, old, warn) {
      const errors: FieldError[] = [];
      const status = obj['status'] as Json | undefined;
      const before = (old['status'] ?? undefined) as Json | undefined;
      if (status !== undefined && statusProps) {
        const findings = { prefix: 'status', errors, isOldProven: isPart(before) && proven.has(before) };
        valueValidator(statusProps)(status, '', before, findings);
        if (isFaultless(findings) && isPart(status)) proven.add(status);
      }
      errors.push(...listErrors(obj, old));
      return withRules(errors, obj, old, warn);
    },
  };
}

const isPart = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** What schemas speak about. Metadata is made anew with each write. */
const bodyOf = ({ metadata: _, ...body }: KubeObject): object[] => Object.values(body).filter(isPart);

const isFaultless = ({ errors, hasForgiven }: Findings): boolean => errors.length === 0 && hasForgiven !== true;

const anything: SchemaProps = {};
const ignore = (): void => undefined;
const blocking: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const rulesNotChecked: FieldError = {
  type: 'FieldValueInvalid',
  field: '<nil>',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

const withRulesBelow = new WeakMap<SchemaProps, boolean>();

function hasRules(props: SchemaProps): boolean {
  let known = withRulesBelow.get(props);
  if (known === undefined)
    withRulesBelow.set(props, (known = schemaHas(props, node => (node['x-kubernetes-validations']?.length ?? 0) > 0)));
  return known;
}
