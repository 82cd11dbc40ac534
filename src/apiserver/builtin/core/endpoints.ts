import { at, invalid, notSupported, required, type FieldError } from '../../../api/field-error.ts';
import type { EndpointAddress, EndpointPort, Endpoints } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import {
  isLinkLocalMulticast,
  isLinkLocalUnicast,
  isLoopback,
  isUnspecified,
  parseIp,
  validateLegacyIp,
  warningsForIp,
} from '../../validation/ip.ts';
import { isDns1123Label, isDns1123Subdomain, isQualifiedName, isValidPortNum } from '../../../api/names.ts';
import { semanticEqual } from '../../validation/object-meta.ts';
import { protocols } from '../../validation/ports.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { invalidFor, oneOf } from '../kind-parts.ts';

const asEndpoints = (obj: KubeObject) => obj as unknown as Endpoints;

/** An address that can be reached from elsewhere. */
export function validateEndpointIp(value: string, path: string): FieldError[] {
  const ip = parseIp(value);
  if (!ip) return [invalid(path, value, 'must be a valid IP address')];
  const errors: FieldError[] = [];
  if (isUnspecified(ip)) errors.push(invalid(path, value, `may not be unspecified (${value})`));
  if (isLoopback(ip)) errors.push(invalid(path, value, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'));
  if (isLinkLocalUnicast(ip)) errors.push(invalid(path, value, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'));
  if (isLinkLocalMulticast(ip)) errors.push(invalid(path, value, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'));
  return errors;
}

function validateAddress(address: EndpointAddress, path: string): FieldError[] {
  const errors = validateLegacyIp(at.child(path, 'ip'), address.ip);
  if (address.hostname) errors.push(...invalidFor(at.child(path, 'hostname'), address.hostname, isDns1123Label(address.hostname)));
  if (address.nodeName !== undefined)
    errors.push(...invalidFor(at.child(path, 'nodeName'), address.nodeName, isDns1123Subdomain(address.nodeName)));
  return [...errors, ...validateEndpointIp(address.ip, at.child(path, 'ip'))];
}

function validatePort(port: EndpointPort, needsName: boolean, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (port.name) errors.push(...invalidFor(at.child(path, 'name'), port.name, isDns1123Label(port.name)));
  else if (needsName) errors.push(required(at.child(path, 'name')));
  errors.push(...invalidFor(at.child(path, 'port'), port.port, isValidPortNum(port.port)));
  if (!port.protocol) errors.push(required(at.child(path, 'protocol')));
  else if (!oneOf(port.protocol, protocols)) errors.push(notSupported(at.child(path, 'protocol'), port.protocol, protocols));
  if (port.appProtocol !== undefined)
    errors.push(...invalidFor(at.child(path, 'appProtocol'), port.appProtocol, isQualifiedName(port.appProtocol)));
  return errors;
}

function validateSubsets({ subsets = [] }: Endpoints): FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, subset] of subsets.entries()) {
    const path = at.index('subsets', i);
    const { addresses = [], notReadyAddresses = [], ports = [] } = subset;
    if (addresses.length === 0 && notReadyAddresses.length === 0)
      errors.push(required(path, 'must specify `addresses` or `notReadyAddresses`'));
    for (const [j, address] of addresses.entries()) errors.push(...validateAddress(address, at.index(at.child(path, 'addresses'), j)));
    for (const [j, address] of notReadyAddresses.entries())
      errors.push(...validateAddress(address, at.index(at.child(path, 'notReadyAddresses'), j)));
    for (const [j, port] of ports.entries()) errors.push(...validatePort(port, ports.length > 1, at.index(at.child(path, 'ports'), j)));
  }
  return errors;
}

function endpointsWarnings(obj: KubeObject): string[] {
  if (obj.metadata.labels?.['endpoints.kubernetes.io/managed-by'] === 'endpoint-controller') return [];
  return (asEndpoints(obj).subsets ?? []).flatMap((subset, i) =>
    (['addresses', 'notReadyAddresses'] as const).flatMap(list =>
      (subset[list] ?? []).flatMap((address, j) => warningsForIp(`subsets[${i}].${list}[${j}].ip`, address.ip)),
    ),
  );
}

export const endpointsKind: BuiltinKind = {
  setDefaults(obj) {
    for (const subset of asEndpoints(obj).subsets ?? []) for (const port of subset.ports ?? []) port.protocol ||= 'TCP';
  },
  strategy: {
    allowCreateOnUpdate: true,
    validate: obj => validateSubsets(asEndpoints(obj)),
    // What was accepted once stays, as long as it is not touched.
    validateUpdate: (obj, old) => (semanticEqual(obj['subsets'], old['subsets']) ? [] : validateSubsets(asEndpoints(obj))),
    warningsOnCreate: endpointsWarnings,
    warningsOnUpdate: endpointsWarnings,
  },
};
