import { at, duplicate, invalid, notSupported, required, type FieldError } from '../../../api/field-error.ts';
import type { CSIDriver, CSIDriverSpec, CSINode, CSIStorageCapacity } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { validateLabelSelector } from '../../validation/label-selector.ts';
import { isDns1123Subdomain, isLongerThan, isQualifiedName } from '../../../api/names.ts';
import { fieldIsImmutable, semanticEqual, validateImmutableField, validateNonNegative } from '../../validation/object-meta.ts';
import { validateNonNegativeQuantity } from '../../validation/resource-list.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { validateCsiDriverName } from '../core/volume-sources.ts';
import { invalidFor, oneOf } from '../kind-parts.ts';
import { nodeLabelWarning } from '../node-label-warnings.ts';

const driverSpec = (obj: KubeObject): Partial<CSIDriverSpec> => (obj as unknown as CSIDriver).spec ?? {};
const groupPolicies = ['File', 'None', 'ReadWriteOnceWithFSType'];
const tokenAdvice =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';

function validateTokenRequests(spec: Partial<CSIDriverSpec>): FieldError[] {
  const errors: FieldError[] = [];
  const audiences = new Set<string>();
  for (const [i, { audience, expirationSeconds: seconds }] of (spec.tokenRequests ?? []).entries()) {
    const path = at.index('spec.tokenRequests', i);
    if (audiences.has(audience)) {
      errors.push(duplicate(at.child(path, 'audience'), audience));
      continue;
    }
    audiences.add(audience);
    if (seconds !== undefined && seconds < 600)
      errors.push(invalid(at.child(path, 'expirationSeconds'), seconds, 'may not specify a duration less than 10 minutes'));
    if (seconds !== undefined && seconds > 2 ** 32)
      errors.push(invalid(at.child(path, 'expirationSeconds'), seconds, 'may not specify a duration larger than 2^32 seconds'));
  }
  return errors;
}

function validateDriver(obj: KubeObject): FieldError[] {
  const spec = driverSpec(obj);
  const errors: FieldError[] = [];
  if (spec.attachRequired === undefined) errors.push(required('spec.attachedRequired'));
  if (spec.podInfoOnMount === undefined) errors.push(required('spec.podInfoOnMount'));
  if (spec.storageCapacity === undefined) errors.push(required('spec.storageCapacity'));
  if (spec.fsGroupPolicy !== undefined && !oneOf(spec.fsGroupPolicy, groupPolicies))
    errors.push(notSupported('spec.fsGroupPolicy', spec.fsGroupPolicy, groupPolicies));
  errors.push(...validateTokenRequests(spec));
  for (const mode of spec.volumeLifecycleModes ?? [])
    if (!oneOf(mode, ['Persistent', 'Ephemeral']))
      errors.push(notSupported('spec.volumeLifecycleModes', mode, ['Persistent', 'Ephemeral']));
  if (spec.seLinuxMount === undefined) errors.push(required('spec.seLinuxMount'));
  const period = spec.nodeAllocatableUpdatePeriodSeconds;
  if (period !== undefined && period < 10)
    errors.push(invalid('spec.nodeAllocatableUpdatePeriodSeconds', period, 'must be greater than or equal to 10 seconds'));
  if (spec.serviceAccountTokenInSecrets !== undefined && !spec.tokenRequests?.length)
    errors.push(
      invalid(
        'spec.serviceAccountTokenInSecrets',
        spec.serviceAccountTokenInSecrets,
        'serviceAccountTokenInSecrets is set but no tokenRequests are specified',
      ),
    );
  return errors;
}

const needsTokenAdvice = (spec: Partial<CSIDriverSpec>) =>
  (spec.tokenRequests ?? []).length > 0 && spec.serviceAccountTokenInSecrets === undefined;
// Behind a feature gate that is off by default.
const dropScaling = (obj: KubeObject) => delete (driverSpec(obj) as Record<string, unknown>)['preventPodSchedulingIfMissing'];

export const csiDriverKind: BuiltinKind = {
  setDefaults(obj) {
    const spec = driverSpec(obj);
    spec.attachRequired ??= true;
    spec.podInfoOnMount ??= false;
    spec.storageCapacity ??= false;
    spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
    if (!spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ['Persistent'];
    spec.requiresRepublish ??= false;
    spec.seLinuxMount ??= false;
  },
  strategy: {
    allowUnconditionalUpdate: false,
    returnsDeletedObject: true,
    prepareForCreate(obj) {
      dropScaling(obj);
    },
    prepareForUpdate(obj) {
      dropScaling(obj);
    },
    // There is no generation at first; it counts from the first change of the spec.
    beforeCommit(obj, old) {
      if (obj && old && !semanticEqual(obj['spec'], old['spec'])) obj.metadata.generation = (old.metadata.generation ?? 0) + 1;
    },
    validate: validateDriver,
    validateUpdate: (obj, old) => [
      ...validateDriver(obj),
      ...validateImmutableField(driverSpec(obj).attachRequired, driverSpec(old).attachRequired, 'spec.attachedRequired'),
      ...validateImmutableField(driverSpec(obj).volumeLifecycleModes, driverSpec(old).volumeLifecycleModes, 'spec.volumeLifecycleModes'),
    ],
    warningsOnCreate: obj => (needsTokenAdvice(driverSpec(obj)) ? [tokenAdvice] : []),
    warningsOnUpdate: (obj, old) =>
      needsTokenAdvice(driverSpec(obj)) && !semanticEqual(driverSpec(obj).tokenRequests, driverSpec(old).tokenRequests)
        ? [tokenAdvice]
        : [],
  },
};

type NodeDriver = CSINode['spec']['drivers'][number];
const driversOf = (obj: KubeObject): NodeDriver[] => (obj as unknown as CSINode).spec?.drivers ?? [];

function validateNode(obj: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const [i, driver] of driversOf(obj).entries()) {
    const path = at.index('spec.drivers', i);
    errors.push(...validateCsiDriverName(driver.name, at.child(path, 'name')));
    if (!driver.nodeID) errors.push(required(at.child(path, 'nodeID')));
    if (isLongerThan(driver.nodeID ?? '', 256))
      errors.push(invalid(at.child(path, 'nodeID'), driver.nodeID, 'must be 256 characters or less'));
    errors.push(...validateNonNegative(driver.allocatable?.count, at.child(path, 'allocatable', 'count')));
    if (names.has(driver.name)) errors.push(duplicate(at.child(path, 'name'), driver.name));
    names.add(driver.name);
    const keys = driver.topologyKeys ?? [];
    for (const [j, key] of keys.entries()) {
      if (key === '') errors.push(required(path));
      if (keys.indexOf(key) < j) errors.push(duplicate(path, key));
      errors.push(...invalidFor(path, key, isQualifiedName(key)));
    }
  }
  return errors;
}

const withoutAllocatable = ({ allocatable: _, ...driver }: NodeDriver) => driver;
const printedDriver = ({ name, nodeID, topologyKeys }: NodeDriver) => ({
  Name: name,
  NodeID: nodeID,
  TopologyKeys: topologyKeys ?? null,
  Allocatable: null,
});

export const csiNodeKind: BuiltinKind = {
  strategy: {
    allowUnconditionalUpdate: false,
    returnsDeletedObject: true,
    validate: validateNode,
    validateUpdate(obj, old) {
      const changed = driversOf(old).flatMap(last =>
        driversOf(obj).filter(next => next.name === last.name && !semanticEqual(withoutAllocatable(next), withoutAllocatable(last))),
      );
      return [...validateNode(obj), ...changed.map(driver => invalid('spec.drivers', printedDriver(driver), fieldIsImmutable))];
    },
  },
};

const asCapacity = (obj: KubeObject) => obj as unknown as CSIStorageCapacity;

function validateCapacity(obj: KubeObject, allowInvalidValues: boolean): FieldError[] {
  const { nodeTopology, storageClassName = '', capacity } = asCapacity(obj);
  return [
    ...validateLabelSelector(nodeTopology, 'nodeTopology', { allowInvalidValues }),
    ...invalidFor('storageClassName', storageClassName, isDns1123Subdomain(storageClassName)),
    ...(capacity === undefined ? [] : validateNonNegativeQuantity(capacity, 'capacity')),
  ];
}

function capacityWarnings(obj: KubeObject): string[] {
  const { matchExpressions = [], matchLabels = {} } = asCapacity(obj).nodeTopology ?? {};
  return [
    ...matchExpressions.flatMap(({ key }, i) => {
      const warning = nodeLabelWarning(key);
      return warning === undefined ? [] : [`nodeTopology.matchExpressions[${i}].key: ${key} is ${warning}`];
    }),
    ...Object.keys(matchLabels).flatMap(label => {
      const warning = nodeLabelWarning(label);
      return warning === undefined ? [] : [`nodeTopology.matchLabels.${label}: ${warning}`];
    }),
  ];
}

export const csiStorageCapacityKind: BuiltinKind = {
  strategy: {
    allowUnconditionalUpdate: false,
    validate: obj => validateCapacity(obj, false),
    validateUpdate: (obj, old) => [
      ...validateCapacity(obj, validateLabelSelector(asCapacity(old).nodeTopology, '').length > 0),
      ...validateImmutableField(asCapacity(obj).nodeTopology, asCapacity(old).nodeTopology, 'nodeTopology'),
      ...validateImmutableField(asCapacity(obj).storageClassName, asCapacity(old).storageClassName, 'storageClassName'),
    ],
    warningsOnCreate: capacityWarnings,
    warningsOnUpdate: capacityWarnings,
  },
};
