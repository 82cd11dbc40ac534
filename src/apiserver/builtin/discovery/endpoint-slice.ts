import { at, duplicate, invalid, notSupported, required, tooMany, type FieldError } from '../../../api/field-error.ts';
import type { EndpointSlice } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { isIpv4, isIpv6, parseIp, validateIp, validateLegacyIp, warningsForIp } from '../../validation/ip.ts';
import { isDns1123Label, isDns1123Subdomain, isLabelValue, isQualifiedName } from '../../../api/names.ts';
import { fieldIsImmutable, semanticEqual } from '../../validation/object-meta.ts';
import { protocols } from '../../validation/ports.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { validateEndpointIp } from '../core/endpoints.ts';
import { invalidFor, oneOf } from '../kind-parts.ts';

type Endpoint = NonNullable<EndpointSlice['endpoints']>[number];

const asSlice = (obj: KubeObject) => obj as unknown as EndpointSlice;
const addressTypes = ['FQDN', 'IPv4', 'IPv6'];

/** A host name of at least two labels; a dot at its end is fine. */
function validateFullyQualifiedDomainName(path: string, value: string): FieldError[] {
  if (value === '') return [required(path)];
  const name = value.replace(/\.$/, '');
  const problems = isDns1123Subdomain(name);
  if (problems.length > 0) return [invalid(path, name, problems.join(','))];
  const labels = name.split('.');
  if (labels.length < 2) return [invalid(path, name, 'should be a domain with at least two segments separated by dots')];
  const wrong = labels.find(label => isDns1123Label(label).length > 0);
  return wrong === undefined ? [] : [invalid(path, wrong, isDns1123Label(wrong).join(','))];
}

function validateAddress(address: string, type: string, listPath: string, path: string): FieldError[] {
  if (type === 'FQDN') return validateFullyQualifiedDomainName(path, address);
  if (type !== 'IPv4' && type !== 'IPv6') return [];
  const errors = type === 'IPv4' ? validateLegacyIp(path, address) : validateIp(path, address);
  const ip = parseIp(address);
  if (errors.length > 0 || !ip) return errors;
  const fits = type === 'IPv4' ? isIpv4(ip) : isIpv6(ip);
  return [...(fits ? [] : [invalid(listPath, address, `must be an ${type} address`)]), ...validateEndpointIp(address, path)];
}

function validateNames(items: readonly { name: string }[] | undefined, path: string, check: (name: string) => string[]): FieldError[] {
  const list = items ?? [];
  if (list.length > 8) return [tooMany(path, list.length, 8)];
  const seen = new Set<string>();
  return list.flatMap(({ name }, i) => {
    const here = at.child(at.index(path, i), 'name');
    const errors = seen.has(name) ? [duplicate(here, name)] : [];
    seen.add(name);
    return [...errors, ...invalidFor(here, name, check(name))];
  });
}

function validateEndpoint(endpoint: Endpoint, type: string, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const addresses = endpoint.addresses ?? [];
  const listPath = at.child(path, 'addresses');
  if (addresses.length === 0) errors.push(required(listPath, 'must contain at least 1 address'));
  else if (addresses.length > 100) errors.push(tooMany(listPath, addresses.length, 100));
  for (const [i, address] of addresses.entries()) errors.push(...validateAddress(address, type, listPath, at.index(listPath, i)));
  const { nodeName, hostname, hints } = endpoint;
  if (nodeName !== undefined) errors.push(...invalidFor(at.child(path, 'nodeName'), nodeName, isDns1123Subdomain(nodeName)));
  if (hostname !== undefined) errors.push(...invalidFor(at.child(path, 'hostname'), hostname, isDns1123Label(hostname)));
  if (hints) {
    errors.push(...validateNames(hints.forZones, at.child(path, 'hints', 'forZones'), isLabelValue));
    if ((hints.forZones ?? []).length <= 8)
      errors.push(...validateNames(hints.forNodes, at.child(path, 'hints', 'forNodes'), isDns1123Subdomain));
  }
  return errors;
}

function validatePorts(slice: EndpointSlice): FieldError[] {
  const ports = slice.ports ?? [];
  if (ports.length > 20000) return [tooMany('ports', ports.length, 20000)];
  const seen = new Set<string>();
  return ports.flatMap(({ name = '', protocol, appProtocol }, i) => {
    const path = at.index('ports', i);
    const errors = name === '' ? [] : invalidFor(at.child(path, 'name'), name, isDns1123Label(name));
    if (seen.has(name)) errors.push(duplicate(at.child(path, 'name'), name));
    seen.add(name);
    if (protocol === undefined) errors.push(required(at.child(path, 'protocol')));
    else if (!oneOf(protocol, protocols)) errors.push(notSupported(at.child(path, 'protocol'), protocol, protocols));
    if (appProtocol !== undefined) errors.push(...invalidFor(at.child(path, 'appProtocol'), appProtocol, isQualifiedName(appProtocol)));
    return errors;
  });
}

function validateSlice(slice: EndpointSlice, old?: EndpointSlice): FieldError[] {
  const errors: FieldError[] = [];
  const type = slice.addressType ?? '';
  if (type === '') errors.push(required('addressType'));
  else if (!oneOf(type, addressTypes)) errors.push(notSupported('addressType', type, addressTypes));
  errors.push(...validatePorts(slice));
  const endpoints = slice.endpoints ?? [];
  // What was accepted once stays, as long as it is not touched.
  if (old && semanticEqual(old.endpoints, slice.endpoints)) return errors;
  if (endpoints.length > 1000) return [...errors, tooMany('endpoints', endpoints.length, 1000)];
  return [...errors, ...endpoints.flatMap((endpoint, i) => validateEndpoint(endpoint, type, at.index('endpoints', i)))];
}

const controllers = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io'];

function addressWarnings(obj: KubeObject): string[] {
  if (oneOf(obj.metadata.labels?.['endpointslice.kubernetes.io/managed-by'], controllers)) return [];
  return (asSlice(obj).endpoints ?? []).flatMap((endpoint, i) =>
    (endpoint.addresses ?? []).flatMap((address, j) => warningsForIp(`endpoints[${i}].addresses[${j}]`, address)),
  );
}

function dropTopology(obj: KubeObject, old?: KubeObject): void {
  if (old && semanticEqual(obj['endpoints'], old['endpoints'])) return;
  for (const endpoint of asSlice(obj).endpoints ?? []) delete endpoint.deprecatedTopology;
}

export const endpointSliceKind: BuiltinKind = {
  setDefaults(obj) {
    for (const port of asSlice(obj).ports ?? []) {
      port.name ??= '';
      port.protocol ??= 'TCP';
    }
  },
  strategy: {
    hasGeneration: true,
    raisesGeneration: (obj, old) => !semanticEqual(obj.metadata.labels, old.metadata.labels),
    prepareForCreate: obj => dropTopology(obj),
    prepareForUpdate: (obj, old) => dropTopology(obj, old),
    validate: obj => validateSlice(asSlice(obj)),
    validateUpdate(obj, old) {
      const { addressType = '' } = asSlice(obj);
      const isChanged = addressType !== asSlice(old).addressType;
      return [...validateSlice(asSlice(obj), asSlice(old)), ...(isChanged ? [invalid('addressType', addressType, fieldIsImmutable)] : [])];
    },
    warningsOnCreate: obj => [
      ...(asSlice(obj).addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
      ...addressWarnings(obj),
    ],
    warningsOnUpdate: addressWarnings,
  },
};
