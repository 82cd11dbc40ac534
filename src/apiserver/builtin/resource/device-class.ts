import { invalid, type FieldError } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/object.ts';
import { isQualifiedName } from '../../../api/names.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { validateConfiguration, validateSelectors, validateSet } from './device-rules.ts';
import type { Configuration, ExactRequest } from './resource-types.ts';

interface ClassSpec {
  selectors?: ExactRequest['selectors'];
  config?: Configuration[];
  extendedResourceName?: string;
}

const isExtendedResource = (name: string) =>
  name.includes('/') &&
  !name.includes('kubernetes.io/') &&
  !name.startsWith('requests.') &&
  isQualifiedName(`requests.${name}`).length === 0;

function validateClass(obj: KubeObject): FieldError[] {
  const { selectors, config, extendedResourceName: name } = (obj['spec'] ?? {}) as ClassSpec;
  return [
    ...validateSelectors(selectors, 'spec.selectors'),
    ...validateSet(config, 32, 'spec.config', validateConfiguration),
    ...(name !== undefined && !isExtendedResource(name)
      ? [invalid('spec.extendedResourceName', name, 'must be a valid extended resource name')]
      : []),
  ];
}

export const deviceClassKind: BuiltinKind = {
  strategy: { hasGeneration: true, returnsDeletedObject: true, validate: validateClass, validateUpdate: validateClass },
};
