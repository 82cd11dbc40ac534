import { type FieldError } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Json } from '../../util/json.ts';
import { validateRules } from './cel-rules.ts';
import { validateEmbeddedResources } from './embedded-resources.ts';
import { validateListTypes } from './list-types.ts';
import { propertyOf, schemaHas, type SchemaProps } from './schema-props.ts';
import { setSchemaDefaults, shapeCustomObject } from './shape-custom-object.ts';
import { valueValidator } from './validate-value.ts';

/** What a schema does to the objects of its kind. */
export interface StructuralSchema {
  readonly props: SchemaProps;
  /** A copy without unknown fields; they are reported as `unknown field "spec.foo"`. Throws an Error when metadata has the wrong form. */
  prune(obj: KubeObject, problems: string[]): KubeObject;
  setDefaults(obj: KubeObject): void;
  /** Everything that is wrong with the object, metadata aside. With `old`, what it shares with that is forgiven. */
  validate(obj: KubeObject, old?: KubeObject, warn?: (text: string) => void): FieldError[];
  /** The same for a write to the status subresource: the schema is applied to status only, the rules to everything. */
  validateStatus(obj: KubeObject, old: KubeObject, warn?: (text: string) => void): FieldError[];
}

export function structuralSchema(props: SchemaProps): StructuralSchema {
  const validateValue = valueValidator(props);
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
    prune: (obj, problems) => shapeCustomObject(obj, props, problems),
    setDefaults: obj => setSchemaDefaults(json(obj), props),
    validate(obj, old, warn) {
      const errors: FieldError[] = [];
      validateValue(json(obj), '', old && json(old), { prefix: '', errors });
      errors.push(...validateEmbeddedResources(json(obj), props), ...listErrors(obj, old));
      return withRules(errors, obj, old, warn);
    },
    validateStatus(obj, old, warn) {
      const errors: FieldError[] = [];
      if (obj['status'] !== undefined && statusProps)
        valueValidator(statusProps)(obj['status'] as Json, '', (old['status'] ?? undefined) as Json | undefined, {
          prefix: 'status',
          errors,
        });
      errors.push(...listErrors(obj, old));
      return withRules(errors, obj, old, warn);
    },
  };
}

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
