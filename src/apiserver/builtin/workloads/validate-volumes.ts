import type { FieldError } from '../../../api/field-error.ts';
import { at, duplicate, forbidden, invalid, notSupported, required, tooLong } from '../../../api/field-error.ts';
import type {
  ConfigMapVolumeSource,
  CSIVolumeSource,
  EphemeralVolumeSource,
  HostPathVolumeSource,
  ImageVolumeSource,
  KeyToPath,
  NFSVolumeSource,
  SecretVolumeSource,
  Volume,
} from '../../../api/kubernetes.ts';
import { isDns1123Label, isDns1123Subdomain } from '../../../api/names.ts';
import { pushInvalid } from './invalid-value.ts';
import type { PodValidationOptions } from './pod-validation-options.ts';
import { compareQuantities } from '../../validation/quantities.ts';
import { validateClaimTemplate } from './validate-claim-spec.ts';
import { legacyVolumeTypes } from './validate-legacy-volumes.ts';
import { validateLocalPath, validateNoBacksteps } from './validate-path.ts';
import { validateDownwardApiVolume, validateProjectedVolume } from './validate-projected-volume.ts';

const fileModeMessage = 'must be a number between 0 and 0777 (octal), both inclusive';

/** Source of one kind of volume: where errors about it are reported, and its rules. */
export interface VolumeType {
  /** Path of the rules' errors; the field's own name unless said otherwise. */
  readonly path?: string;
  /** Path of the complaint about a second source. */
  readonly conflictPath?: string;
  validate(source: never, path: string, opts: PodValidationOptions): FieldError[];
}

const volumeTypes: Partial<Record<keyof Volume, VolumeType>> = {
  hostPath: { validate: validateHostPath },
  gitRepo: legacyVolumeTypes['gitRepo']!,
  gcePersistentDisk: legacyVolumeTypes['gcePersistentDisk']!,
  awsElasticBlockStore: legacyVolumeTypes['awsElasticBlockStore']!,
  secret: { validate: validateSecret },
  nfs: { validate: validateNfs },
  iscsi: legacyVolumeTypes['iscsi']!,
  glusterfs: legacyVolumeTypes['glusterfs']!,
  flocker: legacyVolumeTypes['flocker']!,
  persistentVolumeClaim: {
    validate: (source: { claimName: string }, path) => (source.claimName ? [] : [required(at.child(path, 'claimName'))]),
  },
  rbd: legacyVolumeTypes['rbd']!,
  cinder: legacyVolumeTypes['cinder']!,
  cephfs: legacyVolumeTypes['cephfs']!,
  quobyte: legacyVolumeTypes['quobyte']!,
  downwardAPI: { conflictPath: 'downwarAPI', validate: validateDownwardApiVolume },
  fc: legacyVolumeTypes['fc']!,
  flexVolume: legacyVolumeTypes['flexVolume']!,
  configMap: { validate: validateConfigMap },
  azureFile: legacyVolumeTypes['azureFile']!,
  vsphereVolume: legacyVolumeTypes['vsphereVolume']!,
  photonPersistentDisk: legacyVolumeTypes['photonPersistentDisk']!,
  portworxVolume: legacyVolumeTypes['portworxVolume']!,
  azureDisk: legacyVolumeTypes['azureDisk']!,
  storageos: legacyVolumeTypes['storageos']!,
  projected: { validate: validateProjectedVolume },
  scaleIO: legacyVolumeTypes['scaleIO']!,
  csi: { validate: validateCsi },
  ephemeral: { validate: validateEphemeral },
  image: { validate: validateImage },
};
const typeNames = Object.keys(volumeTypes) as (keyof Volume)[];

export interface VolumeResult {
  readonly errors: FieldError[];
  /** Volumes that containers may refer to: those without errors. */
  readonly usable: ReadonlyMap<string, Volume>;
}

export function validateVolumes(volumes: readonly Volume[], podName: string, path: string, opts: PodValidationOptions): VolumeResult {
  const errors: FieldError[] = [];
  const usable = new Map<string, Volume>();
  const createdClaims = new Set(podName === '' ? [] : volumes.filter(v => v.ephemeral).map(v => `${podName}-${v.name}`));
  volumes.forEach((volume, i) => {
    const itemPath = at.index(path, i);
    const own = validateVolumeSource(volume, podName, itemPath, opts);
    const namePath = at.child(itemPath, 'name');
    if (!volume.name) own.push(required(namePath));
    else pushInvalid(own, namePath, volume.name, isDns1123Label(volume.name));
    if (usable.has(volume.name)) own.push(duplicate(namePath, volume.name));
    if (own.length === 0) usable.set(volume.name, volume);
    else errors.push(...own);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim !== undefined && createdClaims.has(claim))
      errors.push(
        invalid(
          at.child(itemPath, 'persistentVolumeClaim', 'claimName'),
          claim,
          'must not reference a PVC that gets created for an ephemeral volume',
        ),
      );
  });
  return { errors, usable };
}

function validateVolumeSource(volume: Volume, podName: string, path: string, opts: PodValidationOptions): FieldError[] {
  const errors: FieldError[] = [];
  let found = 0;
  if (volume.emptyDir) {
    found++;
    const { sizeLimit } = volume.emptyDir;
    if (sizeLimit !== undefined && compareQuantities(sizeLimit, '0') < 0)
      errors.push(forbidden(at.child(path, 'emptyDir', 'sizeLimit'), 'SizeLimit field must be a valid resource quantity'));
  }
  for (const name of typeNames) {
    const source = volume[name];
    if (!source) continue;
    const type = volumeTypes[name]!;
    if (found > 0) errors.push(forbidden(at.child(path, type.conflictPath ?? name), 'may not specify more than 1 volume type'));
    else {
      found++;
      errors.push(...type.validate(source as never, at.child(path, type.path ?? name), opts));
      if (name === 'ephemeral') validateClaimName(volume.name, podName, path, errors);
    }
    if (name === 'iscsi') validateIscsiNameLength(volume, path, errors);
  }
  if (found === 0) errors.push(required(path, 'must specify a volume type'));
  return errors;
}

function validateClaimName(volumeName: string, podName: string, path: string, errors: FieldError[]): void {
  if (podName === '' || !volumeName) return;
  const claim = `${podName}-${volumeName}`;
  for (const message of isDns1123Subdomain(claim))
    errors.push(invalid(at.child(path, 'name'), volumeName, `PVC name ${JSON.stringify(claim)}: ${message}`));
}

function validateIscsiNameLength({ name, iscsi }: Volume, path: string, errors: FieldError[]): void {
  if (iscsi?.initiatorName === undefined || `${name}:${iscsi.targetPortal}`.length <= 64) return;
  errors.push(
    invalid(
      at.child(path, 'name'),
      name,
      'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.',
    ),
  );
}

const hostPathTypes = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];

function validateHostPath(source: HostPathVolumeSource, path: string): FieldError[] {
  if (!source.path) return [required(at.child(path, 'path'))];
  const errors = validateNoBacksteps(source.path, at.child(path, 'path'));
  if (source.type !== undefined && !hostPathTypes.includes(source.type))
    errors.push(notSupported(at.child(path, 'type'), source.type, hostPathTypes));
  return errors;
}

export function validateFileMode(mode: number | undefined, path: string, errors: FieldError[]): void {
  if (mode !== undefined && (mode > 0o777 || mode < 0)) errors.push(invalid(path, mode, fileModeMessage));
}

export function validateKeyToPath(item: KeyToPath, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!item.key) errors.push(required(at.child(path, 'key')));
  if (!item.path) errors.push(required(at.child(path, 'path')));
  errors.push(...validateLocalPath(item.path ?? '', at.child(path, 'path')));
  validateFileMode(item.mode, at.child(path, 'mode'), errors);
  return errors;
}

function validateItems(items: KeyToPath[] | undefined, path: string, errors: FieldError[]): void {
  (items ?? []).forEach((item, i) => errors.push(...validateKeyToPath(item, at.index(at.child(path, 'items'), i))));
}

function validateSecret(source: SecretVolumeSource, path: string): FieldError[] {
  const errors = source.secretName ? [] : [required(at.child(path, 'secretName'))];
  validateFileMode(source.defaultMode, at.child(path, 'defaultMode'), errors);
  validateItems(source.items, path, errors);
  return errors;
}

function validateConfigMap(source: ConfigMapVolumeSource, path: string): FieldError[] {
  const errors = source.name ? [] : [required(at.child(path, 'name'))];
  validateFileMode(source.defaultMode, at.child(path, 'defaultMode'), errors);
  validateItems(source.items, path, errors);
  return errors;
}

function validateNfs(source: NFSVolumeSource, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!source.server) errors.push(required(at.child(path, 'server')));
  if (!source.path) errors.push(required(at.child(path, 'path')));
  if (!source.path?.startsWith('/')) errors.push(invalid(at.child(path, 'path'), source.path ?? '', 'must be an absolute path'));
  return errors;
}

function validateCsi(source: CSIVolumeSource, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const driver = source.driver ?? '';
  const driverPath = at.child(path, 'driver');
  if (driver === '') errors.push(required(driverPath));
  if (driver.length > 63) errors.push(tooLong(driverPath, 63));
  pushInvalid(errors, driverPath, driver, isDns1123Subdomain(driver.toLowerCase()));
  const secret = source.nodePublishSecretRef;
  if (secret && !secret.name) errors.push(required(at.child(path, 'nodePublishSecretRef', 'name')));
  if (secret?.name) pushInvalid(errors, at.child(path, 'name'), secret.name, isDns1123Subdomain(secret.name));
  return errors;
}

function validateEphemeral(source: EphemeralVolumeSource, path: string): FieldError[] {
  const templatePath = at.child(path, 'volumeClaimTemplate');
  return source.volumeClaimTemplate ? validateClaimTemplate(source.volumeClaimTemplate, templatePath) : [required(templatePath)];
}

export function validatePullPolicy(policy: string | undefined, path: string): FieldError[] {
  if (!policy) return [required(path)];
  const policies = ['Always', 'IfNotPresent', 'Never'];
  return policies.includes(policy) ? [] : [notSupported(path, policy, policies)];
}

function validateImage(source: ImageVolumeSource, path: string, opts: PodValidationOptions): FieldError[] {
  const errors = opts.isPod && !source.reference ? [required(at.child(path, 'reference'))] : [];
  return [...errors, ...validatePullPolicy(source.pullPolicy, at.child(path, 'pullPolicy'))];
}
