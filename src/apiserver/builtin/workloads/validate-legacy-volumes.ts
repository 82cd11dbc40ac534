import type { FieldError } from '../../../api/field-error.ts';
import { at, invalid, notSupported, required } from '../../../api/field-error.ts';
import type {
  AzureDiskVolumeSource,
  FCVolumeSource,
  FlexVolumeSource,
  FlockerVolumeSource,
  ISCSIVolumeSource,
  LocalObjectReference,
  QuobyteVolumeSource,
  StorageOSVolumeSource,
} from '../../../api/kubernetes.ts';
import { inclusiveRange, isDns1123Label } from '../../../api/names.ts';
import { pushInvalid } from './invalid-value.ts';
import { validateDescendingPath } from './validate-path.ts';
import type { VolumeType } from './validate-volumes.ts';

/** Fields that must not be empty, in the order they are complained about. */
function requires(...names: string[]): VolumeType {
  return { validate: (source: Record<string, unknown>, path) => missing(source, path, names) };
}

function missing(source: object, path: string, names: string[]): FieldError[] {
  const fields = source as Record<string, unknown>;
  return names.filter(name => isEmpty(fields[name])).map(name => required(at.child(path, name)));
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

const partitionMessage = inclusiveRange(1, 255);

function disk(name: string, path?: string): VolumeType {
  return {
    ...(path !== undefined && { path }),
    validate(source: { partition?: number }, at_) {
      const errors = missing(source, at_, [name]);
      const partition = source.partition ?? 0;
      if (partition < 0 || partition > 255) errors.push(invalid(at.child(at_, 'partition'), partition, partitionMessage));
      return errors;
    },
  };
}

export const legacyVolumeTypes: Readonly<Record<string, VolumeType>> = {
  gitRepo: {
    validate: (source: { repository: string; directory?: string }, path) => [
      ...missing(source, path, ['repository']),
      ...validateDescendingPath(source.directory ?? '', at.child(path, 'directory')),
    ],
  },
  gcePersistentDisk: disk('pdName', 'persistentDisk'),
  awsElasticBlockStore: disk('volumeID'),
  iscsi: { validate: validateIscsi },
  glusterfs: requires('endpoints', 'path'),
  flocker: { validate: validateFlocker },
  rbd: requires('monitors', 'image'),
  cinder: { validate: (source, path) => [...missing(source, path, ['volumeID']), ...missingSecretName(source, path)] },
  cephfs: { ...requires('monitors'), conflictPath: 'cephFS' },
  quobyte: { validate: validateQuobyte },
  fc: { validate: validateFc },
  flexVolume: { validate: validateFlex },
  azureFile: requires('secretName', 'shareName'),
  vsphereVolume: requires('volumePath'),
  photonPersistentDisk: requires('pdID'),
  portworxVolume: requires('volumeID'),
  azureDisk: { validate: validateAzureDisk },
  storageos: { validate: validateStorageOs },
  scaleIO: requires('gateway', 'system', 'volumeName'),
};

function missingSecretName(source: { secretRef?: LocalObjectReference }, path: string): FieldError[] {
  return source.secretRef && !source.secretRef.name ? [required(at.child(path, 'secretRef', 'name'))] : [];
}

const iscsiFormats = {
  iqn: /iqn\.\d{4}-\d{2}\.([A-Za-z0-9-.]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
};

function validateIscsiName(value: string, path: string): FieldError[] {
  const format = Object.entries(iscsiFormats).find(([prefix]) => value.startsWith(prefix));
  if (!format) return [invalid(path, value, 'must be valid format starting with iqn, eui, or naa')];
  return format[1].test(value) ? [] : [invalid(path, value, 'must be valid format')];
}

function validateIscsi(source: ISCSIVolumeSource, path: string): FieldError[] {
  const errors = missing(source, path, ['targetPortal']);
  if (!source.iqn) errors.push(required(at.child(path, 'iqn')));
  else errors.push(...validateIscsiName(source.iqn, at.child(path, 'iqn')));
  if (source.lun < 0 || source.lun > 255) errors.push(invalid(at.child(path, 'lun'), source.lun, inclusiveRange(0, 255)));
  if ((source.chapAuthDiscovery || source.chapAuthSession) && !source.secretRef) errors.push(required(at.child(path, 'secretRef')));
  if (source.initiatorName !== undefined) errors.push(...validateIscsiName(source.initiatorName, at.child(path, 'initiatorname')));
  return errors;
}

function validateFlocker(source: FlockerVolumeSource, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { datasetName = '', datasetUUID = '' } = source;
  if (!datasetName && !datasetUUID) errors.push(required(path, 'one of datasetName and datasetUUID is required'));
  if (datasetName && datasetUUID) errors.push(invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  if (datasetName.includes('/')) errors.push(invalid(at.child(path, 'datasetName'), datasetName, "must not contain '/'"));
  return errors;
}

const hostPorts = 'must be a host:port pair or multiple pairs separated by commas';

function validateQuobyte(source: QuobyteVolumeSource, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!source.registry) errors.push(required(at.child(path, 'registry'), hostPorts));
  else if ((source.tenant ?? '').length >= 65)
    errors.push(required(at.child(path, 'tenant'), 'must be a UUID and may not exceed a length of 64 characters'));
  else
    for (const pair of source.registry.split(','))
      if (!/^(\[[^[\]]*\]|[^:[\]]*):[^:]*$/.test(pair)) errors.push(invalid(at.child(path, 'registry'), source.registry, hostPorts));
  return [...errors, ...missing(source, path, ['volume'])];
}

function validateFc(source: FCVolumeSource, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { targetWWNs = [], wwids = [] } = source;
  const wwnPath = at.child(path, 'targetWWNs');
  if (targetWWNs.length === 0 && wwids.length === 0)
    errors.push(required(wwnPath, 'must specify either targetWWNs or wwids, but not both'));
  if (targetWWNs.length > 0 && wwids.length > 0)
    errors.push(invalid(wwnPath, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously'));
  if (targetWWNs.length > 0) {
    if (source.lun === undefined) errors.push(required(at.child(path, 'lun'), 'lun is required if targetWWNs is specified'));
    else if (source.lun < 0 || source.lun > 255) errors.push(invalid(at.child(path, 'lun'), source.lun, inclusiveRange(0, 255)));
  }
  return errors;
}

function validateFlex(source: FlexVolumeSource, path: string): FieldError[] {
  const errors = missing(source, path, ['driver']);
  for (const key in source.options) {
    const namespace = `.${(key.includes('/') ? key.slice(0, key.indexOf('/')) : key).toLowerCase()}`;
    if (namespace.endsWith('.kubernetes.io') || namespace.endsWith('.k8s.io'))
      errors.push(invalid(at.key(at.child(path, 'options'), key), key, 'kubernetes.io and k8s.io namespaces are reserved'));
  }
  return errors;
}

function validateAzureDisk(source: AzureDiskVolumeSource, path: string): FieldError[] {
  const errors = missing(source, path, ['diskName', 'diskURI']);
  const { cachingMode, kind, diskURI = '' } = source;
  const cachingModes = ['None', 'ReadOnly', 'ReadWrite'];
  const kinds = ['Dedicated', 'Managed', 'Shared'];
  if (cachingMode !== undefined && !cachingModes.includes(cachingMode))
    errors.push(notSupported(at.child(path, 'cachingMode'), cachingMode, cachingModes));
  if (kind !== undefined && !kinds.includes(kind)) errors.push(notSupported(at.child(path, 'kind'), kind, kinds));
  const uri = at.child(path, 'diskURI');
  if (kind === 'Managed' && !diskURI.startsWith('/subscriptions/'))
    errors.push(
      notSupported(uri, diskURI, ['/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}']),
    );
  if (kind !== undefined && kind !== 'Managed' && !diskURI.startsWith('https://'))
    errors.push(notSupported(uri, diskURI, ['https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd']));
  return errors;
}

function validateStorageOs(source: StorageOSVolumeSource, path: string): FieldError[] {
  const errors = missing(source, path, ['volumeName']);
  const { volumeName, volumeNamespace } = source;
  if (volumeName) pushInvalid(errors, at.child(path, 'volumeName'), volumeName, isDns1123Label(volumeName));
  if (volumeNamespace) pushInvalid(errors, at.child(path, 'volumeNamespace'), volumeNamespace, isDns1123Label(volumeNamespace));
  return [...errors, ...missingSecretName(source, path)];
}
