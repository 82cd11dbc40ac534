import type { FieldError } from '../../../api/field-error.ts';
import { required } from '../../../api/field-error.ts';
import type { PodTemplate } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { isJsonObject } from '../../../util/json.ts';
import { validateImmutableField } from '../../validation/object-meta.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { dropDisabledTemplateFields } from './drop-disabled-fields.ts';
import { pushNegative } from './invalid-value.ts';
import { setPodTemplateDefaults } from './pod-defaults.ts';
import { templateOptions } from './pod-validation-options.ts';
import { warningsForTemplate } from './pod-warnings.ts';
import { semanticEqual } from './semantic-equal.ts';
import { validateTemplate } from './template-rules.ts';

const templateOf = (obj: KubeObject) => (obj as unknown as PodTemplate).template;

export const podTemplateKind: BuiltinKind = {
  setDefaults: obj => setPodTemplateDefaults(((obj as unknown as PodTemplate).template ??= {})),
  strategy: {
    hasGeneration: true,
    returnsDeletedObject: true,
    prepareForCreate: obj => dropDisabledTemplateFields(templateOf(obj), undefined),
    prepareForUpdate: (obj, old) => dropDisabledTemplateFields(templateOf(obj), templateOf(old)),
    validate: obj => validateTemplate(templateOf(obj) ?? {}, 'template', templateOptions()),
    validateUpdate: (obj, old) => validateTemplate(templateOf(obj) ?? {}, 'template', templateOptions(templateOf(old))),
    warningsOnCreate: obj => warningsForTemplate(templateOf(obj), 'template'),
    warningsOnUpdate: (obj, old) =>
      semanticEqual(templateOf(obj), templateOf(old)) ? [] : warningsForTemplate(templateOf(obj), 'template'),
  },
};

export const controllerRevisionKind: BuiltinKind = {
  strategy: {
    validate(obj) {
      const errors = validateRevision(obj);
      const data = obj['data'];
      if (data === undefined || data === null) errors.push(required('data', 'data is mandatory'));
      else if (!isJsonObject(data)) errors.push(required('data', 'data must be a valid JSON object'));
      return errors;
    },
    validateUpdate: (obj, old) => [...validateRevision(obj), ...validateImmutableField(obj['data'], old['data'], 'data')],
  },
};

function validateRevision(obj: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  pushNegative(errors, 'revision', obj['revision'] as number | undefined);
  return errors;
}
