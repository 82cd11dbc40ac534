import { at, duplicate, forbidden, internalError, invalid, notSupported, required, type FieldError } from '../../../api/field-error.ts';
import type { Node, Taint } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { isIpv6, parseCidr, validateLegacyCidr, warningsForCidr } from '../../validation/ip.ts';
import { isLabelValue, isLongerThan } from '../../../api/names.ts';
import { validateLabelName } from '../../validation/object-meta.ts';
import { validateResourceQuantityValue, type ResourceList } from '../../validation/resource-list.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { carryOver, oneOf } from '../kind-parts.ts';

const asNode = (obj: KubeObject) => obj as unknown as Node;
const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const featureName = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;

// Go prints the internal form of a taint, whose time is null when it is absent.
const printedTaint = (taint: Taint) => ({
  Key: taint.key,
  Value: taint.value ?? '',
  Effect: taint.effect,
  TimeAdded: taint.timeAdded ?? null,
});

function validateTaints(taints: readonly Taint[]): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, taint] of taints.entries()) {
    const path = at.index('metadata.taints', i);
    const value = taint.value ?? '';
    errors.push(...validateLabelName(taint.key, at.child(path, 'key')));
    const problems = isLabelValue(value);
    if (problems.length > 0) errors.push(invalid(at.child(path, 'value'), value, problems.join(';')));
    if (!taint.effect) errors.push(required(at.child(path, 'effect')));
    else if (!oneOf(taint.effect, taintEffects)) errors.push(notSupported(at.child(path, 'effect'), taint.effect, taintEffects));
    const identity = `${taint.effect}\0${taint.key}`;
    if (seen.has(identity)) {
      const error = duplicate(path, printedTaint(taint));
      errors.push({ ...error, message: `${error.message}: taints must be unique by key and effect pair` });
    }
    seen.add(identity);
  }
  return errors;
}

const validateResources = (list: ResourceList | undefined, path: string): FieldError[] =>
  Object.entries(list ?? {}).flatMap(([name, amount]) => validateResourceQuantityValue(name, amount, at.child(path, name)));

function validateDeclaredFeatures(features: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, feature] of features.entries()) {
    const path = at.index('status.declaredFeatures', i);
    if (isLongerThan(feature, 253))
      errors.push(invalid(path, feature, `invalid feature name ${JSON.stringify(feature)}: must be no more than 253 characters`));
    else if (!featureName.test(feature))
      errors.push(
        invalid(
          path,
          feature,
          `invalid feature name ${JSON.stringify(feature)}: must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`,
        ),
      );
    const next = features[i + 1];
    if (next === undefined) continue;
    const nextPath = at.index('status.declaredFeatures', i + 1);
    if (feature === next) errors.push(duplicate(nextPath, next));
    else if (feature > next) errors.push(invalid(nextPath, next, 'list must be sorted alphabetically'));
  }
  return errors;
}

function validateStatusOf({ status }: Node): FieldError[] {
  return [...validateResources(status?.capacity, 'status.capacity'), ...validateResources(status?.allocatable, 'status.allocatable')];
}

function validatePodCidrs(cidrs: readonly string[]): FieldError[] {
  const errors = cidrs.flatMap((cidr, i) => validateLegacyCidr(at.index('spec.podCIDRs', i), cidr));
  if (cidrs.length < 2) return errors;
  const wrong = cidrs.findIndex(cidr => !parseCidr(cidr));
  if (wrong >= 0)
    errors.push(
      internalError(
        'spec.podCIDRs',
        `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${wrong}]: <nil> (invalid CIDR address: ${cidrs[wrong]})`,
      ),
    );
  const families = cidrs.map(parseCidr).map(cidr => cidr && isIpv6(cidr.address));
  const isDualStack = families.includes(true) && families.includes(false);
  if (!isDualStack || cidrs.length > 2)
    errors.push(invalid('spec.podCIDRs', cidrs, 'may specify no more than one CIDR for each IP family'));
  return errors;
}

function validateNode(node: Node): FieldError[] {
  const swap = node.status?.nodeInfo?.swap?.capacity;
  return [
    ...validateTaints(node.spec?.taints ?? []),
    ...validateStatusOf(node),
    ...(swap !== undefined && swap <= 0 ? [invalid('metadata.nodeSwapStatus.capacity', swap, 'must be greater than zero')] : []),
    ...validateDeclaredFeatures(node.status?.declaredFeatures ?? []),
    ...validatePodCidrs(node.spec?.podCIDRs ?? []),
  ];
}

function validateNodeUpdate(node: Node, old: Node): FieldError[] {
  const errors = [...validateStatusOf(node), ...validateDeclaredFeatures(node.status?.declaredFeatures ?? [])];
  const seen = new Set<string>();
  for (const [i, address] of (node.status?.addresses ?? []).entries()) {
    const identity = `${address.type}\0${address.address}`;
    if (seen.has(identity)) errors.push(duplicate(at.index('status.addresses', i), { Type: address.type, Address: address.address }));
    seen.add(identity);
  }
  const cidrs = node.spec?.podCIDRs ?? [];
  const oldCidrs = old.spec?.podCIDRs ?? [];
  const fixedCidrs = forbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid');
  if (oldCidrs.length > 0 && oldCidrs.length !== cidrs.length) errors.push(fixedCidrs);
  else for (const [i, cidr] of oldCidrs.entries()) if (cidr !== cidrs[i]) errors.push(fixedCidrs);
  const oldProvider = old.spec?.providerID ?? '';
  if (oldProvider !== '' && oldProvider !== node.spec?.providerID)
    errors.push(forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid'));
  errors.push(...validateTaints(node.spec?.taints ?? []));
  if ((node.spec?.externalID ?? '') !== (old.spec?.externalID ?? '')) errors.push(forbidden('spec.externalID', 'may not be updated'));
  return errors;
}

function nodeWarnings(obj: KubeObject): string[] {
  const { spec } = asNode(obj);
  return [
    ...(spec?.configSource ? ['spec.configSource: the feature is removed'] : []),
    ...(spec?.externalID ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes'] : []),
    ...(spec?.podCIDRs ?? []).flatMap((cidr, i) => warningsForCidr(at.index('spec.podCIDRs', i), cidr)),
  ];
}

// podCIDR is the first of podCIDRs; where they disagree the singular wins, for the sake of old clients.
function alignPodCidrs(node: Node): void {
  const { spec } = node;
  if (!spec) return;
  const [first] = spec.podCIDRs ?? [];
  if (spec.podCIDR && spec.podCIDR !== first) spec.podCIDRs = [spec.podCIDR];
  else if (first !== undefined) spec.podCIDR = first;
}

export const nodeKind: BuiltinKind = {
  setDefaults(obj) {
    const node = asNode(obj);
    alignPodCidrs(node);
    if (node.status?.capacity && !node.status.allocatable) node.status.allocatable = { ...node.status.capacity };
  },
  selectableFields: { 'spec.unschedulable': obj => String(asNode(obj).spec?.unschedulable ?? false) },
  strategy: {
    hasStatus: true,
    resetFields: { '': [['status']], status: [['spec']] },
    prepareForCreate(obj) {
      const node = asNode(obj);
      delete node.spec?.configSource;
      delete node.status?.config;
    },
    prepareForUpdate(obj, old) {
      carryOver(obj, old, 'status');
      if (!asNode(old).spec?.configSource) delete asNode(obj).spec?.configSource;
    },
    prepareForStatusUpdate(obj, old) {
      carryOver(obj, old, 'spec');
      if (!asNode(old).status?.config) delete asNode(obj).status?.config;
    },
    validate: obj => validateNode(asNode(obj)),
    validateUpdate: (obj, old) => [...validateNode(asNode(obj)), ...validateNodeUpdate(asNode(obj), asNode(old))],
    validateStatusUpdate: (obj, old) => validateNodeUpdate(asNode(obj), asNode(old)),
    warningsOnCreate: nodeWarnings,
    warningsOnUpdate: (obj, _old, ctx) => (ctx.subresource === 'status' ? [] : nodeWarnings(obj)),
  },
};
