import type { FieldError } from '../../../api/field-error.ts';
import { at, duplicate, forbidden, invalid, notSupported, required } from '../../../api/field-error.ts';
import type { PodSpec } from '../../../api/kubernetes.ts';
import { isValidGroupId, isValidUserId } from '../../../api/names.ts';
import type { PodValidationOptions } from './pod-validation-options.ts';
import { pushId, validateAppArmorProfile, validateSeccompProfile, validateWindowsOptions } from './validate-container-security.ts';
import { visitContainers } from './visit-containers.ts';

export function validatePodSecurityContext(spec: PodSpec, path: string, opts: PodValidationOptions): FieldError[] {
  const context = spec.securityContext;
  if (!context) return [];
  const errors: FieldError[] = [];
  pushId(errors, at.child(path, 'fsGroup'), context.fsGroup, isValidGroupId);
  pushId(errors, at.child(path, 'runAsUser'), context.runAsUser, isValidUserId);
  pushId(errors, at.child(path, 'runAsGroup'), context.runAsGroup, isValidGroupId);
  (context.supplementalGroups ?? []).forEach((gid, i) =>
    pushId(errors, at.index(at.child(path, 'supplementalGroups'), i), gid, isValidGroupId),
  );
  if (spec.shareProcessNamespace && spec.hostPID)
    errors.push(invalid(at.child(path, 'shareProcessNamespace'), true, 'ShareProcessNamespace and HostPID cannot both be enabled'));
  validateSysctls(spec, at.child(path, 'sysctls'), opts, errors);
  pushUnsupported(errors, at.child(path, 'fsGroupChangePolicy'), context.fsGroupChangePolicy, ['Always', 'OnRootMismatch']);
  errors.push(...validateSeccompProfile(context.seccompProfile, at.child(path, 'seccompProfile')));
  errors.push(...validateWindowsOptions(context.windowsOptions, at.child(path, 'windowsOptions')));
  errors.push(...validateAppArmorProfile(context.appArmorProfile, at.child(path, 'appArmorProfile')));
  pushUnsupported(errors, at.child(path, 'supplementalGroupsPolicy'), context.supplementalGroupsPolicy, ['Merge', 'Strict']);
  const changePolicies = opts.allowAnySELinuxChangePolicy ? ['MountOption', 'Recursive'] : ['Recursive'];
  pushUnsupported(errors, at.child(path, 'seLinuxChangePolicy'), context.seLinuxChangePolicy, changePolicies);
  return errors;
}

function pushUnsupported(errors: FieldError[], path: string, value: string | undefined, supported: readonly string[]): void {
  if (value !== undefined && !supported.includes(value)) errors.push(notSupported(path, value, supported));
}

const sysctlFormat = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';
const sysctlName = new RegExp(sysctlFormat);

function validateSysctls(spec: PodSpec, path: string, opts: PodValidationOptions, errors: FieldError[]): void {
  const names = new Set<string>();
  (spec.securityContext?.sysctls ?? []).forEach(({ name = '' }, i) => {
    const namePath = at.child(at.index(path, i), 'name');
    if (name === '') errors.push(required(namePath));
    else if (name.length > 253 || !sysctlName.test(name))
      errors.push(invalid(namePath, name, `must have at most 253 characters and match regex ${sysctlFormat}`));
    else if (names.has(name)) errors.push(duplicate(namePath, name));
    if (!opts.allowHostSysctls && isHostSysctl(name, spec)) {
      const which = spec.hostNetwork && isNetworkSysctl(name) ? 'hostNetwork' : 'hostIPC';
      errors.push(invalid(namePath, name, `may not be specified when '${which}' is true`));
    }
    names.add(name);
  });
}

const ipcSysctls = new Set([
  'kernel.sem',
  'kernel.shmall',
  'kernel.shmmax',
  'kernel.shmmni',
  'kernel.shm_rmid_forced',
  'kernel.msgmax',
  'kernel.msgmnb',
  'kernel.msgmni',
  'kernel.shm',
  'kernel.msg',
]);

const dotted = (name: string) => {
  const first = /[./]/.exec(name)?.[0];
  return first === '/' ? name.replace(/[./]/g, c => (c === '/' ? '.' : '/')) : name;
};
const isNetworkSysctl = (name: string) => dotted(name).startsWith('net.');
const isIpcSysctl = (name: string) => ipcSysctls.has(dotted(name)) || dotted(name).startsWith('fs.mqueue.');

/** Whether a sysctl would change the host, because the pod shares that namespace with it. */
export function isHostSysctl(name: string, spec: PodSpec): boolean {
  return (spec.hostNetwork === true && isNetworkSysctl(name)) || (spec.hostIPC === true && isIpcSysctl(name));
}

export function validateHostUsers(spec: PodSpec, path: string, opts: PodValidationOptions): FieldError[] {
  if (spec.hostUsers !== false) return [];
  const errors: FieldError[] = [];
  const reason = 'when `hostUsers` is false';
  if (spec.hostNetwork && !opts.allowHostNetworkWithUserNamespace) errors.push(forbidden(at.child(path, 'hostNetwork'), reason));
  if (spec.hostPID) errors.push(forbidden(at.child(path, 'HostPID'), reason));
  if (spec.hostIPC) errors.push(forbidden(at.child(path, 'HostIPC'), reason));
  if (!opts.allowVolumeDevicesWithUserNamespace)
    visitContainers(spec, path, (container, own) => {
      if (container.volumeDevices?.length) errors.push(forbidden(at.child(own, 'volumeDevices'), reason));
    });
  return errors;
}

export function validateHostProcess(spec: PodSpec, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const podValue = spec.securityContext?.windowsOptions?.hostProcess;
  let containers = 0;
  let onHost = 0;
  visitContainers(spec, path, (container, own) => {
    containers++;
    const value = container.securityContext?.windowsOptions?.hostProcess;
    if (podValue !== undefined && value !== undefined && podValue !== value)
      errors.push(
        invalid(
          at.child(own, 'securityContext', 'windowsOptions', 'hostProcess'),
          value,
          `pod hostProcess value must be identical if both are specified, was ${podValue}`,
        ),
      );
    if (value ?? podValue) onHost++;
  });
  if (onHost === 0) return errors;
  if (onHost !== containers)
    errors.push(invalid(path, '', 'If pod contains any hostProcess containers then all containers must be HostProcess containers'));
  if (!spec.hostNetwork)
    errors.push(invalid(at.child(path, 'hostNetwork'), false, 'hostNetwork must be true if pod contains any hostProcess containers'));
  return errors;
}

const podFieldsNotForWindows = [
  'appArmorProfile',
  'seLinuxOptions',
  'hostUsers',
  'hostPID',
  'hostIPC',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'shareProcessNamespace',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'seLinuxChangePolicy',
];
const containerFieldsNotForWindows = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];
const onSpec = new Set(['hostUsers', 'hostPID', 'hostIPC', 'shareProcessNamespace']);

export function validateOs(spec: PodSpec, path: string): FieldError[] {
  if (!spec.os) return [];
  const osPath = at.child(path, 'os');
  if (!spec.os.name) return [required(at.child(osPath, 'name'))];
  if (spec.os.name === 'linux') return validateLinux(spec, path);
  if (spec.os.name === 'windows') return validateWindows(spec, path);
  return [notSupported(osPath, spec.os.name, ['linux', 'windows'])];
}

function validateLinux(spec: PodSpec, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const reason = 'windows options cannot be set for a linux pod';
  if (spec.securityContext?.windowsOptions) errors.push(forbidden(at.child(path, 'securityContext', 'windowsOptions'), reason));
  visitContainers(spec, path, (container, own) => {
    if (container.securityContext?.windowsOptions) errors.push(forbidden(at.child(own, 'securityContext', 'windowsOptions'), reason));
  });
  return errors;
}

function validateWindows(spec: PodSpec, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const reason = 'cannot be set for a windows pod';
  const context = (spec.securityContext ?? {}) as Record<string, unknown>;
  const fields = spec as unknown as Record<string, unknown>;
  for (const name of podFieldsNotForWindows) {
    const value = onSpec.has(name) ? fields[name] : context[name];
    const isSet =
      name === 'hostPID' || name === 'hostIPC' ? value === true : value !== undefined && !(Array.isArray(value) && value.length === 0);
    if (isSet) errors.push(forbidden(onSpec.has(name) ? at.child(path, name) : at.child(path, 'securityContext', name), reason));
  }
  visitContainers(spec, path, (container, own) => {
    const security = (container.securityContext ?? {}) as Record<string, unknown>;
    for (const name of containerFieldsNotForWindows)
      if (security[name] !== undefined) errors.push(forbidden(at.child(own, 'securityContext', name), reason));
  });
  return errors;
}
