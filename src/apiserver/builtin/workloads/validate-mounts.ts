import type { FieldError } from '../../../api/field-error.ts';
import { at, forbidden, invalid, notFound, notSupported, required } from '../../../api/field-error.ts';
import type { Container, Volume, VolumeMount } from '../../../api/kubernetes.ts';
import { validateDescendingPath, validateNoBacksteps } from './validate-path.ts';

type Volumes = ReadonlyMap<string, Volume>;

export function validateVolumeMounts(container: Container, volumes: Volumes, path: string, errors: FieldError[]): void {
  const devices = new Map((container.volumeDevices ?? []).map(device => [device.name, device.devicePath]));
  const devicePaths = new Set(devices.values());
  const mountPaths = new Set<string>();
  (container.volumeMounts ?? []).forEach((mount, i) => {
    const own = at.index(path, i);
    const { name = '', mountPath = '' } = mount;
    if (!name) errors.push(required(at.child(own, 'name')));
    if (!volumes.has(name)) errors.push(notFound(at.child(own, 'name'), name));
    if (!mountPath) errors.push(required(at.child(own, 'mountPath')));
    if (mountPaths.has(mountPath)) errors.push(invalid(at.child(own, 'mountPath'), mountPath, 'must be unique'));
    mountPaths.add(mountPath);
    if (devices.has(name)) errors.push(invalid(at.child(own, 'name'), name, 'must not already exist in volumeDevices'));
    if (devicePaths.has(mountPath))
      errors.push(invalid(at.child(own, 'mountPath'), mountPath, 'must not already exist as a path in volumeDevices'));
    if (mount.subPath) errors.push(...validateDescendingPath(mount.subPath, at.child(path, 'subPath')));
    if (mount.subPathExpr) {
      if (mount.subPath)
        errors.push(invalid(at.child(own, 'subPathExpr'), mount.subPathExpr, 'subPathExpr and subPath are mutually exclusive'));
      errors.push(...validateDescendingPath(mount.subPathExpr, at.child(path, 'subPathExpr')));
    }
    validatePropagation(mount, container, at.child(path, 'mountPropagation'), errors);
    validateRecursiveReadOnly(mount, at.child(path, 'recursiveReadOnly'), errors);
  });
}

const propagations = ['Bidirectional', 'HostToContainer', 'None'];

function validatePropagation({ mountPropagation }: VolumeMount, container: Container, path: string, errors: FieldError[]): void {
  if (mountPropagation === undefined) return;
  if (!propagations.includes(mountPropagation)) errors.push(notSupported(path, mountPropagation, propagations));
  if (mountPropagation === 'Bidirectional' && !container.securityContext?.privileged)
    errors.push(forbidden(path, 'Bidirectional mount propagation is available only to privileged containers'));
}

const recursiveReadOnly = ['Disabled', 'Enabled', 'IfPossible'];

function validateRecursiveReadOnly(mount: VolumeMount, path: string, errors: FieldError[]): void {
  const mode = mount.recursiveReadOnly;
  if (mode === undefined || mode === 'Disabled') return;
  if (!recursiveReadOnly.includes(mode)) return void errors.push(notSupported(path, mode, recursiveReadOnly));
  if (!mount.readOnly) errors.push(forbidden(path, 'may only be specified when readOnly is true'));
  if (mount.mountPropagation !== undefined && mount.mountPropagation !== 'None')
    errors.push(forbidden(path, 'may only be specified when mountPropagation is None or not specified'));
}

export function validateVolumeDevices(container: Container, volumes: Volumes, path: string, errors: FieldError[]): void {
  // Of several mounts of one volume only the last is looked at, as in the real server.
  const mounts = new Map((container.volumeMounts ?? []).map(mount => [mount.name, mount.mountPath]));
  const mountPaths = new Set(mounts.values());
  const names = new Set<string>();
  const paths = new Set<string>();
  (container.volumeDevices ?? []).forEach(({ name = '', devicePath = '' }, i) => {
    const own = at.index(path, i);
    const namePath = at.child(own, 'name');
    const devicePathPath = at.child(own, 'devicePath');
    const volume = volumes.get(name);
    if (!name) errors.push(required(namePath));
    if (names.has(name)) errors.push(invalid(namePath, name, 'must be unique'));
    if (volume && !volume.persistentVolumeClaim && !volume.ephemeral)
      errors.push(invalid(namePath, name, 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'));
    if (!volume) errors.push(notFound(namePath, name));
    if (!devicePath) errors.push(required(devicePathPath));
    if (paths.has(devicePath)) errors.push(invalid(devicePathPath, devicePath, 'must be unique'));
    if (devicePath && validateNoBacksteps(devicePath, '').length > 0)
      errors.push(invalid(devicePathPath, devicePath, "can not contain backsteps ('..')"));
    else paths.add(devicePath);
    if (mounts.has(name)) errors.push(invalid(namePath, name, 'must not already exist in volumeMounts'));
    if (mountPaths.has(devicePath)) errors.push(invalid(devicePathPath, devicePath, 'must not already exist as a path in volumeMounts'));
    if (name) names.add(name);
  });
}
