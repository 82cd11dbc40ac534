import { at, invalid, type FieldError } from '../../api/field-error.ts';
import type { ObjectMeta } from '../../api/object.ts';
import type { Resource } from '../resource.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../validation/object-meta.ts';

/**
 * How the rules of a kind look at metadata once more when it is updated, after the generic rules have: `m` checks it as on creation, `u`
 * compares it with the old. Each look reports what it finds, so that a fault appears in the answer as often as it was seen.
 */
const looksOnUpdate: Readonly<Record<string, string>> = {
  '/configmaps': 'um',
  '/secrets': 'um',
  '/serviceaccounts': 'um',
  '/persistentvolumeclaims': 'um',
  '/endpoints': 'um',
  '/namespaces': 'mu',
  '/nodes': 'mu',
  '/persistentvolumes': 'mmu',
  '/limitranges': 'm',
  'admissionregistration.k8s.io/mutatingadmissionpolicies': 'm',
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': 'm',
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': 'm',
  'admissionregistration.k8s.io/validatingadmissionpolicies': 'm',
  'admissionregistration.k8s.io/validatingadmissionpolicies/status': '',
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': 'm',
  'admissionregistration.k8s.io/validatingwebhookconfigurations': 'm',
  'apiregistration.k8s.io/apiservices': 'um',
  'apps/controllerrevisions': 'um',
  'batch/cronjobs/status': '',
  'batch/jobs': 'mu',
  'certificates.k8s.io/certificatesigningrequests': 'mu',
  'certificates.k8s.io/certificatesigningrequests/approval': 'mu',
  'certificates.k8s.io/certificatesigningrequests/status': 'mu',
  'certificates.k8s.io/clustertrustbundles': 'mu',
  'discovery.k8s.io/endpointslices': 'm',
  'flowcontrol.apiserver.k8s.io/flowschemas': 'm',
  'flowcontrol.apiserver.k8s.io/flowschemas/status': '',
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': 'm',
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations/status': '',
  'internal.apiserver.k8s.io/storageversions': '',
  'internal.apiserver.k8s.io/storageversions/status': '',
  'networking.k8s.io/ingressclasses': 'um',
  'networking.k8s.io/ipaddresses': 'mu',
  'node.k8s.io/runtimeclasses': 'mu',
  'policy/poddisruptionbudgets': '',
  'policy/poddisruptionbudgets/status': '',
  'rbac.authorization.k8s.io/clusterrolebindings': 'mu',
  'rbac.authorization.k8s.io/clusterroles': 'mu',
  'rbac.authorization.k8s.io/rolebindings': 'mu',
  'rbac.authorization.k8s.io/roles': 'mu',
  'resource.k8s.io/deviceclasses': 'mu',
  'resource.k8s.io/resourceclaims': 'mu',
  'resource.k8s.io/resourceclaimtemplates': 'mu',
  'storage.k8s.io/csinodes': 'm',
  'storage.k8s.io/csistoragecapacities': 'mu',
  'storage.k8s.io/storageclasses': 'mu',
  'storage.k8s.io/volumeattachments': 'm',
  'storage.k8s.io/volumeattachments/status': 'm',
  'storage.k8s.io/volumeattributesclasses': 'um',
  'storagemigration.k8s.io/storageversionmigrations': 'mu',
};

const groupsWithFreeFinalizers: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'coordination.k8s.io',
]);
const standardFinalizers: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** What is wrong with the metadata of a new object, its name already generated. */
export function metaErrorsOnCreate(resource: Resource, meta: ObjectMeta): FieldError[] {
  return [...checkAsNew(resource, meta), ...finalizerErrors(resource, meta)];
}

export function metaErrorsOnUpdate(resource: Resource, subresource: string, next: ObjectMeta, old: ObjectMeta): FieldError[] {
  const errors = [
    ...validateObjectMeta(next, { namespaced: resource.namespaced, nameRule: 'path' }),
    ...validateObjectMetaUpdate(next, old),
  ];
  const looks = looksOnUpdate[subresource === '' ? resource.storeKey : `${resource.storeKey}/${subresource}`] ?? 'u';
  for (const look of looks) {
    errors.push(...(look === 'm' ? checkAsNew(resource, next) : validateObjectMetaUpdate(next, old)), ...finalizerErrors(resource, next));
  }
  return errors;
}

function checkAsNew(resource: Resource, meta: ObjectMeta): FieldError[] {
  return validateObjectMeta(meta, { namespaced: resource.namespaced, nameRule: resource.strategy.nameRule ?? 'subdomain' });
}

/** Most built-in kinds want finalizers to be qualified names. */
function finalizerErrors({ isCustom, group, storeKey }: Resource, { finalizers }: ObjectMeta): FieldError[] {
  if (!finalizers || isCustom || groupsWithFreeFinalizers.has(group) || looksOnUpdate[storeKey] === '') return [];
  return finalizers.flatMap((name, i) =>
    name.includes('/') || standardFinalizers.has(name)
      ? []
      : [invalid(at.index('metadata.finalizers', i), name, 'name is neither a standard finalizer name nor is it fully qualified')],
  );
}
