import { at, invalid, notSupported, required, type FieldError } from '../../../api/field-error.ts';
import type { APIService } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { isDns1035Label, isDns1123Subdomain, isPathSegmentName, isValidPortNum } from '../../../api/names.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { decodedLength } from '../core/config-map.ts';
import { carryOver, invalidFor, oneOf } from '../kind-parts.ts';
import { timestamp } from '../../../util/timestamp.ts';

const asService = (obj: KubeObject) => obj as unknown as APIService;

function validateName(obj: KubeObject): FieldError[] {
  const { version = '', group = '' } = asService(obj).spec ?? {};
  const { name = '' } = obj.metadata;
  const needed = `${version}.${group}`;
  if (name === '' || name === needed || isPathSegmentName(name).length > 0) return [];
  return [invalid('metadata.name', name, `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(needed)}`)];
}

function validateService(obj: KubeObject): FieldError[] {
  const errors = validateName(obj);
  const spec = asService(obj).spec;
  const {
    group = '',
    version = '',
    groupPriorityMinimum = 0,
    versionPriority = 0,
    caBundle = '',
    insecureSkipTLSVerify = false,
    service,
  } = spec ?? {};
  if (group === '' && version !== 'v1') errors.push(required('spec.group', 'only v1 may have an empty group and it better be legacy kube'));
  if (group !== '') errors.push(...invalidFor('spec.group', group, isDns1123Subdomain(group)));
  errors.push(...invalidFor('spec.version', version, isDns1035Label(version)));
  if (groupPriorityMinimum <= 0 || groupPriorityMinimum > 20000)
    errors.push(invalid('spec.groupPriorityMinimum', groupPriorityMinimum, 'must be positive and less than 20000'));
  if (versionPriority <= 0 || versionPriority > 1000)
    errors.push(invalid('spec.versionPriority', versionPriority, 'must be positive and less than 1000'));
  if (!service) {
    if (caBundle) errors.push(invalid('spec.caBundle', `${decodedLength(caBundle)} bytes`, 'local APIServices may not have a caBundle'));
    if (insecureSkipTLSVerify)
      errors.push(invalid('spec.insecureSkipTLSVerify', true, 'local APIServices may not have insecureSkipTLSVerify'));
    return errors;
  }
  if (!service.namespace) errors.push(required('spec.service.namespace'));
  if (!service.name) errors.push(required('spec.service.name'));
  const problems = isValidPortNum(service.port ?? 0);
  if (problems.length > 0) errors.push(invalid('spec.service.port', service.port ?? 0, `port is not valid: ${problems.join(', ')}`));
  if (insecureSkipTLSVerify && caBundle) errors.push(invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present'));
  return errors;
}

export const apiServiceKind: BuiltinKind = {
  setDefaults(obj) {
    const service = asService(obj).spec?.service;
    if (service) service.port ??= 443;
  },
  strategy: {
    nameRule: 'path',
    hasStatus: true,
    allowUnconditionalUpdate: false,
    resetFields: { '': [['status']], status: [['spec'], ['metadata']] },
    prepareForCreate(obj, ctx) {
      const isLocal = !asService(obj).spec?.service;
      asService(obj).status = isLocal
        ? {
            conditions: [
              {
                type: 'Available',
                status: 'True',
                lastTransitionTime: timestamp(ctx.now),
                reason: 'Local',
                message: 'Local APIServices are always available',
              },
            ],
          }
        : {};
    },
    prepareForUpdate: (obj, old) => carryOver(obj, old, 'status'),
    prepareForStatusUpdate(obj, old) {
      carryOver(obj, old, 'spec');
      for (const field of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const)
        if (old.metadata[field] === undefined) delete obj.metadata[field];
        else Object.assign(obj.metadata, { [field]: old.metadata[field] });
    },
    validate: validateService,
    validateUpdate: validateService,
    validateStatusUpdate: obj =>
      (asService(obj).status?.conditions ?? []).flatMap(({ status }, i) =>
        oneOf(status, ['True', 'False', 'Unknown'])
          ? []
          : [notSupported(at.child(at.index('status.conditions', i), 'status'), status, ['True', 'False', 'Unknown'])],
      ),
  },
};
