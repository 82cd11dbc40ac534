import { posix } from 'node:path';
import { at, forbidden, invalid, notSupported, required, type FieldError } from '../../../api/field-error.ts';
import type { PersistentVolumeSpec, SecretReference } from '../../../api/kubernetes.ts';
import { inclusiveRange, isDns1123Label, isDns1123Subdomain, isLongerThan } from '../../../api/names.ts';
import { invalidFor, oneOf } from '../kind-parts.ts';

type Source = Readonly<Record<string, unknown>>;
type Check = (source: Source, path: string, pvName: string) => FieldError[];

const text = (source: Source, field: string) => (typeof source[field] === 'string' ? (source[field] as string) : '');
const number = (source: Source, field: string) => (typeof source[field] === 'number' ? (source[field] as number) : 0);
const list = (source: Source, field: string) => (Array.isArray(source[field]) ? (source[field] as unknown[]) : []);
const needs =
  (...fields: string[]): Check =>
  (source, path) =>
    fields.filter(field => text(source, field) === '' && list(source, field).length === 0).map(field => required(at.child(path, field)));

function validateNoBacksteps(value: string, path: string): FieldError[] {
  return value.split('/').includes('..') ? [invalid(path, value, "must not contain '..'")] : [];
}

/** The name of a CSI driver: a domain in any case, at most 63 bytes. */
export function validateCsiDriverName(name: string, path: string): FieldError[] {
  if (name === '') return [required(path)];
  const tooLong: FieldError = { type: 'FieldValueTooLong', field: path, message: 'Too long: may not be more than 63 bytes' };
  return [...(isLongerThan(name, 63) ? [tooLong] : []), ...invalidFor(path, name, isDns1123Subdomain(name.toLowerCase()))];
}

const hostPathTypes = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];

const validateHostPath: Check = (source, path) => {
  const hostPath = text(source, 'path');
  if (hostPath === '') return [required(at.child(path, 'path'))];
  const errors = validateNoBacksteps(hostPath, at.child(path, 'path'));
  const type = text(source, 'type');
  if (!oneOf(type, hostPathTypes)) errors.push(notSupported(at.child(path, 'type'), type, hostPathTypes));
  return errors;
};

const validateLocal: Check = (source, path) => {
  const local = text(source, 'path');
  return local === '' ? [required(at.child(path, 'path'))] : validateNoBacksteps(local, at.child(path, 'path'));
};

const validateNfs: Check = (source, path) => [
  ...needs('server', 'path')(source, path, ''),
  ...(text(source, 'path').startsWith('/') ? [] : [invalid(at.child(path, 'path'), text(source, 'path'), 'must be an absolute path')]),
];

const withPartition =
  (field: string): Check =>
  (source, path) => {
    const errors = needs(field)(source, path, '');
    const partition = number(source, 'partition');
    if (partition < 0 || partition > 255) errors.push(invalid(at.child(path, 'partition'), partition, inclusiveRange(1, 255)));
    return errors;
  };

function validateSecretReference(reference: SecretReference, path: string): FieldError[] {
  const { name = '', namespace = '' } = reference;
  return [
    ...(name === '' ? [required(at.child(path, 'name'))] : invalidFor(at.child(path, 'name'), name, isDns1123Subdomain(name))),
    ...(namespace === ''
      ? [required(at.child(path, 'namespace'))]
      : invalidFor(at.child(path, 'namespace'), namespace, isDns1123Label(namespace))),
  ];
}

const validateCsi: Check = (source, path) => {
  const errors = validateCsiDriverName(text(source, 'driver'), at.child(path, 'driver'));
  if (text(source, 'volumeHandle') === '') errors.push(required(at.child(path, 'volumeHandle')));
  for (const field of ['controllerPublishSecretRef', 'controllerExpandSecretRef', 'nodePublishSecretRef', 'nodeExpandSecretRef'])
    if (source[field]) errors.push(...validateSecretReference(source[field] as SecretReference, at.child(path, field)));
  return errors;
};

const initiatorForms: readonly [string, RegExp][] = [
  ['iqn', /iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$/],
  ['eui', /^eui.[A-Za-z0-9]{16}$/],
  ['naa', /^naa.[A-Za-z0-9]{32}$/],
];
const isInitiator = (name: string) => initiatorForms.some(([prefix, form]) => name.startsWith(prefix) && form.test(name));

const validateIscsi: Check = (source, path, pvName) => {
  const errors = needs('targetPortal')(source, path, '');
  const portal = text(source, 'targetPortal');
  const initiator = source['initiatorName'] as string | undefined;
  if (initiator !== undefined && isLongerThan(`${pvName}:${portal}`, 64))
    errors.push(
      invalid(
        at.child(path, 'targetportal'),
        portal,
        'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.',
      ),
    );
  const iqn = text(source, 'iqn');
  if (iqn === '') errors.push(required(at.child(path, 'iqn')));
  else if (!isInitiator(iqn)) errors.push(invalid(at.child(path, 'iqn'), iqn, 'must be valid format'));
  const lun = number(source, 'lun');
  if (lun < 0 || lun > 255) errors.push(invalid(at.child(path, 'lun'), lun, inclusiveRange(0, 255)));
  const secret = source['secretRef'] as SecretReference | undefined;
  if ((source['chapAuthDiscovery'] || source['chapAuthSession']) && !secret) errors.push(required(at.child(path, 'secretRef')));
  if (secret && !secret.name) errors.push(required(at.child(path, 'secretRef', 'name')));
  if (initiator !== undefined && !isInitiator(initiator))
    errors.push(invalid(at.child(path, 'initiatorname'), initiator, 'must be valid format'));
  return errors;
};

const validateFc: Check = (source, path) => {
  const errors: FieldError[] = [];
  const targets = list(source, 'targetWWNs');
  const wwids = list(source, 'wwids');
  const where = at.child(path, 'targetWWNs');
  if (targets.length === 0 && wwids.length === 0) errors.push(required(where, 'must specify either targetWWNs or wwids, but not both'));
  if (targets.length > 0 && wwids.length > 0)
    errors.push(invalid(where, targets, 'targetWWNs and wwids can not be specified simultaneously'));
  if (targets.length > 0 && source['lun'] === undefined)
    errors.push(required(at.child(path, 'lun'), 'lun is required if targetWWNs is specified'));
  else if (targets.length > 0 && (number(source, 'lun') < 0 || number(source, 'lun') > 255))
    errors.push(invalid(at.child(path, 'lun'), source['lun'], inclusiveRange(0, 255)));
  return errors;
};

const validateFlex: Check = (source, path) => {
  const errors = needs('driver')(source, path, '');
  for (const key in source['options'] as object | undefined) {
    const owner = `.${(key.includes('/') ? (key.split('/')[0] ?? '') : key).toLowerCase()}`;
    if (owner.endsWith('.kubernetes.io') || owner.endsWith('.k8s.io'))
      errors.push(invalid(at.key(at.child(path, 'options'), key), key, 'kubernetes.io and k8s.io namespaces are reserved'));
  }
  return errors;
};

const validateAzureDisk: Check = (source, path) => {
  const errors = needs('diskName', 'diskURI')(source, path, '');
  const uri = text(source, 'diskURI');
  const uriPath = at.child(path, 'diskURI');
  const [caching, kind] = [source['cachingMode'] as string | undefined, source['kind'] as string | undefined];
  const cachings = ['None', 'ReadOnly', 'ReadWrite'];
  const kinds = ['Dedicated', 'Managed', 'Shared'];
  if (caching !== undefined && !oneOf(caching, cachings)) errors.push(notSupported(at.child(path, 'cachingMode'), caching, cachings));
  if (kind !== undefined && !oneOf(kind, kinds)) errors.push(notSupported(at.child(path, 'kind'), kind, kinds));
  if (kind === 'Managed' && !uri.startsWith('/subscriptions/'))
    errors.push(
      notSupported(uriPath, uri, ['/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}']),
    );
  if (kind !== undefined && kind !== 'Managed' && !uri.startsWith('https://'))
    errors.push(notSupported(uriPath, uri, ['https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd']));
  return errors;
};

const withSecretRef =
  (check: Check): Check =>
  (source, path, pvName) => {
    const secret = source['secretRef'] as SecretReference | undefined;
    return [
      ...check(source, path, pvName),
      ...(secret && !secret.name ? [required(at.child(path, 'secretRef', 'name'))] : []),
      ...(secret && !secret.namespace ? [required(at.child(path, 'secretRef', 'namespace'))] : []),
    ];
  };

const validateAzureFile: Check = (source, path) => [
  ...needs('secretName', 'shareName')(source, path, ''),
  ...(source['secretNamespace'] === '' ? [required(at.child(path, 'secretNamespace'))] : []),
];

const validateGluster: Check = (source, path) => {
  const errors = needs('endpoints', 'path')(source, path, '');
  const namespace = source['endpointsNamespace'] as string | undefined;
  const where = at.child(path, 'endpointsNamespace');
  if (namespace === '') errors.push(invalid(where, '', 'if the endpointnamespace is set, it must be a valid namespace name'));
  else if (namespace !== undefined) errors.push(...invalidFor(where, namespace, isDns1123Label(namespace)));
  return errors;
};

const validateFlocker: Check = (source, path) => {
  const errors: FieldError[] = [];
  const [name, uuid] = [text(source, 'datasetName'), text(source, 'datasetUUID')];
  if (name === '' && uuid === '') errors.push(required(path, 'one of datasetName and datasetUUID is required'));
  if (name !== '' && uuid !== '') errors.push(invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  if (name.includes('/')) errors.push(invalid(at.child(path, 'datasetName'), name, "must not contain '/'"));
  return errors;
};

// In the order the server looks at them: field, name in messages about its contents, check.
const sources: readonly [field: string, path: string, check: Check, tooManyPath?: string][] = [
  ['hostPath', 'hostPath', validateHostPath],
  ['gcePersistentDisk', 'persistentDisk', withPartition('pdName'), 'gcePersistentDisk'],
  ['awsElasticBlockStore', 'awsElasticBlockStore', withPartition('volumeID')],
  ['glusterfs', 'glusterfs', validateGluster],
  ['flocker', 'flocker', validateFlocker],
  ['nfs', 'nfs', validateNfs],
  ['rbd', 'rbd', needs('monitors', 'image')],
  ['quobyte', 'quobyte', needs('registry', 'volume')],
  ['cephfs', 'cephfs', needs('monitors'), 'cephFS'],
  ['iscsi', 'iscsi', validateIscsi],
  ['cinder', 'cinder', withSecretRef(needs('volumeID'))],
  ['fc', 'fc', validateFc],
  ['flexVolume', 'flexVolume', validateFlex],
  ['azureFile', 'azureFile', validateAzureFile],
  ['vsphereVolume', 'vsphereVolume', needs('volumePath')],
  ['photonPersistentDisk', 'photonPersistentDisk', needs('pdID')],
  ['portworxVolume', 'portworxVolume', needs('volumeID')],
  ['azureDisk', 'azureDisk', validateAzureDisk],
  ['scaleIO', 'scaleIO', needs('gateway', 'system', 'volumeName')],
  ['local', 'local', validateLocal],
  ['storageos', 'storageos', withSecretRef(needs('volumeName'))],
  ['csi', 'csi', validateCsi],
];

export const volumeSourceFields = sources.map(([field]) => field);

/** Exactly one source, and that one well formed. */
export function validateVolumeSources(spec: PersistentVolumeSpec, pvName: string, path: string): FieldError[] {
  const errors: FieldError[] = [];
  let count = 0;
  for (const [field, name, check, tooManyPath] of sources) {
    const source = (spec as unknown as Record<string, Source | undefined>)[field];
    if (!source) continue;
    if (count > 0 && field !== 'flexVolume') {
      errors.push(forbidden(at.child(path, tooManyPath ?? name), 'may not specify more than 1 volume type'));
      continue;
    }
    count++;
    errors.push(...check(source, at.child(path, name), pvName));
    if (field === 'local' && !spec.nodeAffinity)
      errors.push(required(at.child(path, 'nodeAffinity'), 'Local volume requires node affinity'));
  }
  if (count === 0) errors.push(required(path, 'must specify a volume type'));
  if (spec.hostPath && posix.normalize(spec.hostPath.path) === '/' && spec.persistentVolumeReclaimPolicy === 'Recycle')
    errors.push(forbidden(at.child(path, 'persistentVolumeReclaimPolicy'), "may not be 'recycle' for a hostPath mount of '/'"));
  return errors;
}
