import { invalid, type FieldError } from '../../../api/field-error.ts';
import type { Lease } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { BuiltinKind } from '../builtin-kind.ts';

const specOf = (obj: KubeObject): NonNullable<Lease['spec']> => (obj as unknown as Lease).spec ?? {};

function validateLease(obj: KubeObject): FieldError[] {
  const { leaseDurationSeconds: seconds, leaseTransitions: transitions } = specOf(obj);
  return [
    ...(seconds !== undefined && seconds <= 0 ? [invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0')] : []),
    ...(transitions !== undefined && transitions < 0
      ? [invalid('spec.leaseTransitions', transitions, 'must be greater than or equal to 0')]
      : []),
  ];
}

// Coordinated leader election is off by default; its fields are not kept.
function dropCoordination(obj: KubeObject, old?: KubeObject): void {
  for (const field of ['strategy', 'preferredHolder'] as const) if (!old || specOf(old)[field] === undefined) delete specOf(obj)[field];
}

export const leaseKind: BuiltinKind = {
  strategy: {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    prepareForCreate: obj => dropCoordination(obj),
    prepareForUpdate: (obj, old) => dropCoordination(obj, old),
    validate: validateLease,
    validateUpdate: validateLease,
  },
};
