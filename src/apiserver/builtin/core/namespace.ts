import { invalid, type FieldError } from '../../../api/field-error.ts';
import type { Namespace } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { isQualifiedName } from '../../../api/names.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { carryOver, invalidFor } from '../kind-parts.ts';

const nameLabel = 'kubernetes.io/metadata.name';
const kubernetesFinalizer = 'kubernetes';
const standardFinalizers = [kubernetesFinalizer, 'orphan', 'foregroundDeletion'];

const asNamespace = (obj: KubeObject) => obj as unknown as Namespace;

function setNameLabel(obj: KubeObject): void {
  const { name } = obj.metadata;
  if (!name || obj.metadata.labels?.[nameLabel] === name) return;
  obj.metadata.labels = { ...obj.metadata.labels, [nameLabel]: name };
}

function validateFinalizer(finalizer: string, path: string): FieldError[] {
  const errors = invalidFor(path, finalizer, isQualifiedName(finalizer));
  if (!finalizer.includes('/') && !standardFinalizers.includes(finalizer))
    errors.push(invalid(path, finalizer, 'name is neither a standard finalizer name nor is it fully qualified'));
  return errors;
}

const validateFinalizers = (ns: Namespace): FieldError[] =>
  (ns.spec?.finalizers ?? []).flatMap(finalizer => validateFinalizer(finalizer, 'spec.finalizers'));

export const namespaceKind: BuiltinKind = {
  setDefaults(obj) {
    setNameLabel(obj);
    const ns = asNamespace(obj);
    ns.status ??= {};
    ns.status.phase ||= 'Active';
  },
  selectableFields: { 'status.phase': obj => asNamespace(obj).status?.phase ?? '' },
  strategy: {
    nameRule: 'label',
    hasStatus: true,
    returnsDeletedObject: true,
    resetFields: { '': [['status']], status: [['spec']], finalize: [['status']] },
    prepareForCreate(obj) {
      const ns = asNamespace(obj);
      ns.status = { phase: 'Active' };
      const finalizers = ns.spec?.finalizers ?? [];
      if (!finalizers.includes(kubernetesFinalizer)) ns.spec = { ...ns.spec, finalizers: [...finalizers, kubernetesFinalizer] };
      setNameLabel(obj);
    },
    prepareForUpdate(obj, old, ctx) {
      carryOver(obj, old, 'status');
      setNameLabel(obj);
      // Only the finalize subresource may let go of a namespace.
      if (ctx.subresource !== 'finalize') {
        const finalizers = asNamespace(old).spec?.finalizers;
        asNamespace(obj).spec = finalizers === undefined ? {} : { finalizers };
      }
    },
    prepareForStatusUpdate(obj, old) {
      carryOver(obj, old, 'spec');
      setNameLabel(obj);
    },
    validate: obj => validateFinalizers(asNamespace(obj)),
    // A generated name is known only now.
    beforeCommit(obj) {
      if (obj) setNameLabel(obj);
    },
    validateUpdate(obj, _old, ctx) {
      const ns = asNamespace(obj);
      if (ctx.subresource !== 'finalize') return validateFinalizers(ns);
      return (ns.spec?.finalizers ?? []).flatMap((finalizer, i) => validateFinalizer(finalizer, `spec.finalizers[${i}]`));
    },
    validateStatusUpdate(obj) {
      const { phase = '' } = asNamespace(obj).status ?? {};
      if (obj.metadata.deletionTimestamp === undefined && phase !== 'Active')
        return [invalid('status.Phase', phase, "may only be 'Active' if `deletionTimestamp` is empty")];
      if (obj.metadata.deletionTimestamp !== undefined && phase !== 'Terminating')
        return [invalid('status.Phase', phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")];
      return [];
    },
  },
};
