import { at, forbidden, invalid, notSupported, required, type FieldError } from '../../../api/field-error.ts';
import type { IPBlock, NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort, NetworkPolicySpec } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { cidrContains, networkOf, parseCidr, validateLegacyCidr, warningsForCidr } from '../../validation/ip.ts';
import { validateLabelSelector } from '../../validation/label-selector.ts';
import { isValidPortName, isValidPortNum } from '../../../api/names.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { invalidFor, oneOf } from '../kind-parts.ts';

interface Leniency {
  readonly allowInvalidValues: boolean;
  readonly knownCidrs: readonly string[];
}

const specOf = (obj: KubeObject): Partial<NetworkPolicySpec> => (obj as unknown as NetworkPolicy).spec ?? {};
const policyTypes = ['Ingress', 'Egress'];

/** All peers of a policy with the path of each. */
function peersOf(spec: Partial<NetworkPolicySpec>): { peer: NetworkPolicyPeer; path: string }[] {
  const located = (list: readonly NetworkPolicyPeer[] | undefined, path: string) =>
    (list ?? []).map((peer, i) => ({ peer, path: at.index(path, i) }));
  return [
    ...(spec.ingress ?? []).flatMap((rule, i) => located(rule.from, `spec.ingress[${i}].from`)),
    ...(spec.egress ?? []).flatMap((rule, i) => located(rule.to, `spec.egress[${i}].to`)),
  ];
}
const blocksOf = (spec: Partial<NetworkPolicySpec>) =>
  peersOf(spec).flatMap(({ peer, path }) => (peer.ipBlock ? [{ block: peer.ipBlock, path: at.child(path, 'ipBlock') }] : []));

function validatePort({ protocol, port, endPort }: NetworkPolicyPort, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const endPath = at.child(path, 'endPort');
  if (protocol !== undefined && !oneOf(protocol, ['TCP', 'UDP', 'SCTP']))
    errors.push(notSupported(at.child(path, 'protocol'), protocol, ['TCP', 'UDP', 'SCTP']));
  if (port === undefined) {
    if (endPort !== undefined) errors.push(invalid(endPath, endPort, 'may not be specified when `port` is not specified'));
    return errors;
  }
  if (typeof port === 'string') {
    if (endPort !== undefined) errors.push(invalid(endPath, endPort, 'may not be specified when `port` is non-numeric'));
    return [...errors, ...invalidFor(at.child(path, 'port'), port, isValidPortName(port))];
  }
  errors.push(...invalidFor(at.child(path, 'port'), port, isValidPortNum(port)));
  if (endPort === undefined) return errors;
  if (endPort < port) errors.push(invalid(endPath, port, 'must be greater than or equal to `port`'));
  return [...errors, ...invalidFor(endPath, endPort, isValidPortNum(endPort))];
}

function validatePeer(peer: NetworkPolicyPeer, path: string, leniency: Leniency): FieldError[] {
  const options = { allowInvalidValues: leniency.allowInvalidValues };
  const errors = [
    ...validateLabelSelector(peer.podSelector, at.child(path, 'podSelector'), options),
    ...validateLabelSelector(peer.namespaceSelector, at.child(path, 'namespaceSelector'), options),
    ...(peer.ipBlock ? validateBlock(peer.ipBlock, at.child(path, 'ipBlock'), leniency.knownCidrs) : []),
  ];
  const hasSelector = peer.podSelector !== undefined || peer.namespaceSelector !== undefined;
  if (!hasSelector && !peer.ipBlock) errors.push(required(path, 'must specify a peer'));
  if (hasSelector && peer.ipBlock) errors.push(forbidden(path, 'may not specify both ipBlock and another peer'));
  return errors;
}

function validateBlock(block: IPBlock, path: string, known: readonly string[]): FieldError[] {
  if (!block.cidr) return [required(at.child(path, 'cidr'))];
  const errors = validateLegacyCidr(at.child(path, 'cidr'), block.cidr, known);
  const whole = parseCidr(block.cidr);
  if (!whole) return errors;
  for (const [i, text] of (block.except ?? []).entries()) {
    const exceptPath = at.index(at.child(path, 'except'), i);
    errors.push(...validateLegacyCidr(exceptPath, text, known));
    const part = parseCidr(text);
    if (part && (!cidrContains(whole, networkOf(part)) || whole.prefixLength >= part.prefixLength))
      errors.push(invalid(exceptPath, text, 'must be a strict subset of `cidr`'));
  }
  return errors;
}

function validateSpec(spec: Partial<NetworkPolicySpec>, leniency: Leniency): FieldError[] {
  const errors = validateLabelSelector(spec.podSelector, 'spec.podSelector', { allowInvalidValues: leniency.allowInvalidValues });
  for (const direction of ['ingress', 'egress'] as const)
    for (const [i, rule] of (spec[direction] ?? []).entries()) {
      const path = `spec.${direction}[${i}]`;
      for (const [j, port] of (rule.ports ?? []).entries()) errors.push(...validatePort(port, at.index(at.child(path, 'ports'), j)));
      const side = direction === 'ingress' ? 'from' : 'to';
      const peers = (rule as Partial<Record<'from' | 'to', NetworkPolicyPeer[]>>)[side] ?? [];
      for (const [j, peer] of peers.entries()) errors.push(...validatePeer(peer, at.index(at.child(path, side), j), leniency));
    }
  const types = spec.policyTypes ?? [];
  if (types.length > 2) return [...errors, invalid('spec.policyTypes', types, 'may not specify more than two policyTypes')];
  for (const [i, type] of types.entries())
    if (!oneOf(type, policyTypes)) errors.push(notSupported(at.index('spec.policyTypes', i), type, policyTypes));
  return errors;
}

const warnings = (obj: KubeObject): string[] =>
  blocksOf(specOf(obj)).flatMap(({ block, path }) => [
    ...warningsForCidr(at.child(path, 'cidr'), block.cidr),
    ...(block.except ?? []).flatMap((text, i) => warningsForCidr(at.index(at.child(path, 'except'), i), text)),
  ]);

export const networkPolicyKind: BuiltinKind = {
  setDefaults(obj) {
    const spec = specOf(obj);
    for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) for (const port of rule.ports ?? []) port.protocol ??= 'TCP';
    if (!spec.policyTypes?.length) spec.policyTypes = spec.egress?.length ? ['Ingress', 'Egress'] : ['Ingress'];
  },
  strategy: {
    hasGeneration: true,
    validate: obj => validateSpec(specOf(obj), { allowInvalidValues: false, knownCidrs: [] }),
    validateUpdate: (obj, old) =>
      validateSpec(specOf(obj), {
        allowInvalidValues: validateLabelSelector(specOf(old).podSelector, '').length > 0,
        knownCidrs: blocksOf(specOf(old)).flatMap(({ block }) => [block.cidr, ...(block.except ?? [])]),
      }),
    warningsOnCreate: warnings,
    warningsOnUpdate: warnings,
  },
};
