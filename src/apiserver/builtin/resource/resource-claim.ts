import {
  at,
  forbidden,
  internalError,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  type FieldError,
} from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { WriteContext } from '../../resource.ts';
import { validateConditions } from '../../validation/conditions.ts';
import { validateInterfaceAddress } from '../../validation/ip.ts';
import { isDns1123Label, isDns1123Subdomain, isLongerThan } from '../../../api/names.ts';
import {
  fieldIsImmutable,
  semanticEqual,
  validateAnnotations,
  validateImmutableField,
  validateLabels,
} from '../../validation/object-meta.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { validateNodeSelector } from '../core/node-selector.ts';
import { carryOver, invalidFor, keepMetadata, specAndStatus } from '../kind-parts.ts';
import { invalidInternal } from '../workloads/internal-form.ts';
import type {
  AllocatedDevice,
  AllocationResult,
  ClaimSpec,
  ClaimStatus,
  DeviceClaim,
  DeviceRequest,
  ExactRequest,
} from './resource-types.ts';
import {
  validateBindingConditions,
  validateConfiguration,
  validateDeviceName,
  validateDeviceToleration,
  validateDriverName,
  validateFullAttributeName,
  validatePoolName,
  validateRawObject,
  validateSelectors,
  validateSet,
} from './device-rules.ts';

const specOf = (obj: KubeObject): ClaimSpec => (obj['spec'] ?? {}) as ClaimSpec;
const statusOf = (obj: KubeObject): ClaimStatus => (obj['status'] ?? {}) as ClaimStatus;
const templateOf = (obj: KubeObject) =>
  (obj['spec'] ?? {}) as { metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> }; spec?: ClaimSpec };
const adminLabel = 'resource.kubernetes.io/admin-access';

/** Names by which the parts of a claim refer to its requests: `gpu`, or `gpu/large` for one of several choices. */
function requestNames({ requests }: DeviceClaim): Set<string> {
  return new Set(
    (requests ?? []).flatMap(({ name = '', firstAvailable = [] }) => [name, ...firstAvailable.map(sub => `${name}/${sub.name ?? ''}`)]),
  );
}

function validateRequestRef(name: string, path: string, known: ReadonlySet<string>): FieldError[] {
  const unknown = invalid(
    path,
    name,
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'",
  );
  const parts = name.split('/');
  if (parts.length > 2) return [unknown];
  return [...parts.flatMap(part => invalidFor(path, part, isDns1123Label(part))), ...(known.has(name) ? [] : [unknown])];
}

function validateExact(request: ExactRequest, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { deviceClassName = '', allocationMode = '', count = 0 } = request;
  const classPath = at.child(path, 'deviceClassName');
  errors.push(
    ...(deviceClassName === '' ? [required(classPath)] : invalidFor(classPath, deviceClassName, isDns1123Subdomain(deviceClassName))),
  );
  errors.push(...validateSelectors(request.selectors, at.child(path, 'selectors')));
  if (allocationMode === 'All') {
    if (count !== 0) errors.push(invalid(at.child(path, 'count'), count, "must not be specified when allocationMode is 'All'"));
  } else if (allocationMode === 'ExactCount') {
    if (count <= 0) errors.push(invalid(at.child(path, 'count'), count, 'must be greater than zero'));
  } else errors.push(notSupported(at.child(path, 'allocationMode'), allocationMode, ['All', 'ExactCount']));
  return [
    ...errors,
    ...(request.tolerations ?? []).flatMap((toleration, i) =>
      validateDeviceToleration(toleration, at.index(at.child(path, 'tolerations'), i)),
    ),
  ];
}

function validateRequest(request: DeviceRequest, path: string): FieldError[] {
  const { name = '', exactly, firstAvailable = [] } = request;
  const errors = invalidFor(at.child(path, 'name'), name, isDns1123Label(name));
  if (!exactly && firstAvailable.length === 0)
    return [...errors, required(path, 'exactly one of `exactly` or `firstAvailable` is required')];
  if (exactly && firstAvailable.length > 0)
    return [...errors, invalid(path, null, 'exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set')];
  if (exactly) return [...errors, ...validateExact(exactly, at.child(path, 'exactly'))];
  const choices = validateSet(
    firstAvailable,
    8,
    at.child(path, 'firstAvailable'),
    (choice, here) => [
      ...invalidFor(at.child(here, 'name'), choice.name ?? '', isDns1123Label(choice.name ?? '')),
      ...validateExact(choice, here),
    ],
    choice => choice.name ?? '',
  );
  return [...errors, ...choices];
}

function validateDeviceClaim(claim: DeviceClaim, path: string): FieldError[] {
  const known = requestNames(claim);
  const refs = (names: readonly string[] | undefined, here: string) =>
    validateSet(
      names,
      32,
      at.child(here, 'requests'),
      (name, namePath) => validateRequestRef(name, namePath, known),
      name => name,
    );
  return [
    ...validateSet(claim.requests, 32, at.child(path, 'requests'), validateRequest, request => request.name ?? ''),
    ...validateSet(claim.constraints, 32, at.child(path, 'constraints'), ({ requests, matchAttribute, distinctAttribute }, here) => [
      ...refs(requests, here),
      ...(matchAttribute !== undefined
        ? validateFullAttributeName(matchAttribute, at.child(here, 'matchAttribute'))
        : distinctAttribute !== undefined
          ? validateFullAttributeName(distinctAttribute, at.child(here, 'distinctAttribute'))
          : [required(here, 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set')]),
    ]),
    ...validateSet(claim.config, 32, at.child(path, 'config'), (config, here) => [
      ...refs(config.requests, here),
      ...validateConfiguration(config, here),
    ]),
  ];
}

function validateAdminAccess(claim: DeviceClaim, obj: KubeObject, ctx: WriteContext): FieldError[] {
  const index = (claim.requests ?? []).findIndex(request => request.exactly?.adminAccess);
  if (index < 0) return [];
  const path = at.child(at.index('spec.devices.requests', index), 'adminAccess');
  const name = obj.metadata.namespace ?? '';
  const namespace = ctx.api.peek({ group: '', resource: 'namespaces' }, '', name);
  if (!namespace)
    return [internalError(path, `could not retrieve namespace to verify admin access: namespaces ${JSON.stringify(name)} not found`)];
  return namespace.metadata.labels?.[adminLabel] === 'true'
    ? []
    : [forbidden(path, `admin access to devices requires the \`${adminLabel}: true\` label on the containing namespace`)];
}

const deviceKey = ({ driver = '', pool = '', device = '', shareID }: AllocatedDevice) =>
  `${driver}/${pool}/${device}${shareID === undefined ? '' : `/${shareID}`}`;
const printedDevice = ({ driver = '', pool = '', device = '', shareID = '' }: AllocatedDevice) => ({
  Driver: driver,
  Pool: pool,
  Device: device,
  ShareID: shareID,
});
const allocated = (status: ClaimStatus) => new Set((status.allocation?.devices?.results ?? []).map(deviceKey));

function validateUid(uid: string, path: string): FieldError[] {
  if (!/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/.test(uid))
    return [invalid(path, uid, `error validating uid: invalid UUID length: ${uid.length}`)];
  if (uid === uid.toLowerCase()) return [];
  const form = 'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters';
  return [invalid(path, uid, form)];
}

function validateDeviceStatus(device: AllocatedDevice, path: string, known: ReadonlySet<string>): FieldError[] {
  const { driver = '', pool = '', device: name = '', shareID, networkData } = device;
  const conditions = device.conditions ?? [];
  const errors = [
    ...validateDriverName(driver, at.child(path, 'driver')),
    ...validatePoolName(pool, at.child(path, 'pool')),
    ...validateDeviceName(name, at.child(path, 'device')),
    ...(shareID === undefined ? [] : validateUid(shareID, at.child(path, 'shareID'))),
  ];
  if (!known.has(deviceKey(device))) errors.push(invalid(path, printedDevice(device), 'must be an allocated device in the claim'));
  if (conditions.length > 8) errors.push(tooMany(at.child(path, 'conditions'), conditions.length, 8));
  errors.push(...validateConditions(conditions, at.child(path, 'conditions')));
  if (device.data !== undefined) errors.push(...validateRawObject(device.data, at.child(path, 'data')));
  if (!networkData) return errors;
  const here = at.child(path, 'networkData');
  if (isLongerThan(networkData.interfaceName ?? '', 256)) errors.push(tooLong(at.child(here, 'interfaceName'), 256));
  if (isLongerThan(networkData.hardwareAddress ?? '', 128)) errors.push(tooLong(at.child(here, 'hardwareAddress'), 128));
  const ips = validateSet(
    networkData.ips,
    16,
    at.child(here, 'ips'),
    (address, ipPath) => validateInterfaceAddress(ipPath, address),
    address => address,
  );
  return [...errors, ...ips];
}

function validateAllocation(allocation: AllocationResult, path: string, known: ReadonlySet<string>): FieldError[] {
  const devices = at.child(path, 'devices');
  return [
    ...validateSet(allocation.devices?.results, 32, at.child(devices, 'results'), (result, here) => [
      ...validateRequestRef(result.request ?? '', at.child(here, 'request'), known),
      ...validateDriverName(result.driver ?? '', at.child(here, 'driver')),
      ...validatePoolName(result.pool ?? '', at.child(here, 'pool')),
      ...validateDeviceName(result.device ?? '', at.child(here, 'device')),
      ...validateBindingConditions(result.bindingConditions ?? [], result.bindingFailureConditions ?? [], here),
      ...(result.shareID === undefined ? [] : validateUid(result.shareID, at.child(here, 'shareID'))),
    ]),
    ...validateSet(allocation.devices?.config, 64, at.child(devices, 'config'), (config, here) => [
      ...(config.source === 'FromClaim' || config.source === 'FromClass'
        ? []
        : config.source
          ? [notSupported(at.child(here, 'source'), config.source, ['FromClaim', 'FromClass'])]
          : [required(at.child(here, 'source'))]),
      ...validateSet(
        config.requests,
        32,
        at.child(here, 'requests'),
        (name, namePath) => validateRequestRef(name, namePath, known),
        name => name,
      ),
      ...validateConfiguration(config, here),
    ]),
    ...(allocation.nodeSelector ? validateNodeSelector(allocation.nodeSelector, at.child(path, 'nodeSelector')) : []),
  ];
}

function validateStatus(obj: KubeObject, old: KubeObject): FieldError[] {
  const status = statusOf(obj);
  const last = statusOf(old);
  const known = allocated(status);
  const errors = [
    ...validateSet(
      status.reservedFor,
      256,
      'status.reservedFor',
      (consumer, path) =>
        (['resource', 'name', 'uid'] as const).filter(field => !consumer[field]).map(field => required(at.child(path, field))),
      consumer => consumer.uid ?? '',
    ),
    ...validateSet(status.devices, -1, 'status.devices', (device, path) => validateDeviceStatus(device, path, known), deviceKey),
  ];
  const reserved = status.reservedFor ?? [];
  const oldUids = (last.reservedFor ?? []).map(consumer => consumer.uid);
  if (reserved.length > 0 && !status.allocation)
    errors.push(forbidden('status.reservedFor', 'may not be specified when `allocated` is not set'));
  else if (obj.metadata.deletionTimestamp !== undefined && reserved.some(consumer => !oldUids.includes(consumer.uid)))
    errors.push(
      forbidden('status.reservedFor', 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set'),
    );
  if (last.allocation && status.allocation) errors.push(...validateImmutableField(status.allocation, last.allocation, 'status.allocation'));
  else if (status.allocation)
    errors.push(...validateAllocation(status.allocation, 'status.allocation', requestNames(specOf(obj).devices ?? {})));
  return errors;
}

function setRequestDefaults(claim: DeviceClaim | undefined): void {
  for (const { exactly, firstAvailable = [] } of claim?.requests ?? [])
    for (const request of [...(exactly ? [exactly] : []), ...firstAvailable]) {
      request.allocationMode ||= 'ExactCount';
      if (request.allocationMode === 'ExactCount') request.count ||= 1;
    }
}

export const resourceClaimKind: BuiltinKind = {
  setDefaults: obj => setRequestDefaults(specOf(obj).devices),
  strategy: {
    ...specAndStatus(),
    returnsDeletedObject: true,
    resetFields: { '': [['status']], status: [['metadata'], ['spec']] },
    prepareForStatusUpdate(obj, old) {
      carryOver(obj, old, 'spec');
      keepMetadata(obj, old);
      // The status of a device goes when the device is given back.
      const status = statusOf(obj);
      const now = allocated(status);
      const gone = new Set([...allocated(statusOf(old))].filter(key => !now.has(key)));
      if (!status.devices) return;
      status.devices = status.devices.filter(device => !gone.has(deviceKey(device)));
      if (status.devices.length === 0) delete status.devices;
    },
    validate: (obj, ctx) => {
      const devices = specOf(obj).devices ?? {};
      return [...validateAdminAccess(devices, obj, ctx), ...validateDeviceClaim(devices, 'spec.devices')];
    },
    validateUpdate: (obj, old) =>
      semanticEqual(obj['spec'], old['spec'])
        ? []
        : [invalidInternal('spec', 'ResourceClaimSpec', obj['spec'] as object, fieldIsImmutable)],
    validateStatusUpdate: validateStatus,
  },
};

export const resourceClaimTemplateKind: BuiltinKind = {
  setDefaults: obj => setRequestDefaults(templateOf(obj).spec?.devices),
  strategy: {
    returnsDeletedObject: true,
    validate(obj, ctx) {
      const { metadata, spec } = templateOf(obj);
      const devices = spec?.devices ?? {};
      return [
        ...validateAdminAccess(devices, obj, ctx),
        ...validateAnnotations(metadata?.annotations, 'spec.metadata.annotations'),
        ...validateLabels(metadata?.labels, 'spec.metadata.labels'),
        ...Object.keys(metadata ?? {})
          .filter(field => field !== 'labels' && field !== 'annotations')
          .map(field => forbidden(at.child('spec.metadata', field === 'uid' ? 'uID' : field), 'cannot be set')),
        ...validateDeviceClaim(devices, 'spec.spec.devices'),
      ];
    },
    validateUpdate: (obj, old) =>
      semanticEqual(obj['spec'], old['spec'])
        ? []
        : [invalidInternal('spec', 'ResourceClaimTemplateSpec', obj['spec'] as object, fieldIsImmutable)],
  },
};
