import type { FieldError } from '../../../api/field-error.ts';
import { at, invalid, notSupported, required, tooLong } from '../../../api/field-error.ts';
import type { AppArmorProfile, SeccompProfile, SecurityContext, WindowsSecurityContextOptions } from '../../../api/kubernetes.ts';
import { byteLength, isDns1123Subdomain, isValidGroupId, isValidUserId } from '../../../api/names.ts';
import { internalForm } from './internal-form.ts';
import { validateDescendingPath } from './validate-path.ts';

export function validateSecurityContext(context: SecurityContext | undefined, path: string, usesHostUsers: boolean): FieldError[] {
  if (!context) return [];
  const errors: FieldError[] = [];
  pushId(errors, at.child(path, 'runAsUser'), context.runAsUser, isValidUserId);
  pushId(errors, at.child(path, 'runAsGroup'), context.runAsGroup, isValidGroupId);
  validateProcMount(context.procMount, at.child(path, 'procMount'), usesHostUsers, errors);
  errors.push(...validateSeccompProfile(context.seccompProfile, at.child(path, 'seccompProfile')));
  if (context.allowPrivilegeEscalation === false) {
    const shown = () => internalForm('SecurityContext', context);
    if (context.privileged) errors.push(invalid(path, shown(), 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true'));
    for (const capability of context.capabilities?.add ?? [])
      if (capability === 'CAP_SYS_ADMIN')
        errors.push(invalid(path, shown(), 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN'));
  }
  errors.push(...validateWindowsOptions(context.windowsOptions, at.child(path, 'windowsOptions')));
  errors.push(...validateAppArmorProfile(context.appArmorProfile, at.child(path, 'appArmorProfile')));
  return errors;
}

export function pushId(errors: FieldError[], path: string, id: number | undefined, check: (id: number) => string[]): void {
  if (id !== undefined) for (const message of check(id)) errors.push(invalid(path, id, message));
}

const procMounts = ['Default', 'Unmasked'];

function validateProcMount(mount: string | undefined, path: string, usesHostUsers: boolean, errors: FieldError[]): void {
  if (mount === undefined) return;
  if (!procMounts.includes(mount)) errors.push(notSupported(path, mount, procMounts));
  if (usesHostUsers && mount === 'Unmasked') errors.push(invalid(path, mount, '`hostUsers` must be false to use `Unmasked`'));
}

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];

export function validateSeccompProfile(profile: SeccompProfile | undefined, path: string): FieldError[] {
  if (!profile) return [];
  const errors: FieldError[] = [];
  const typePath = at.child(path, 'type');
  const localPath = at.child(path, 'localhostProfile');
  if (!profile.type) errors.push(required(typePath, 'type is required when seccompProfile is set'));
  else if (!profileTypes.includes(profile.type)) errors.push(notSupported(typePath, profile.type, profileTypes));
  if (profile.type === 'Localhost') {
    if (profile.localhostProfile === undefined) errors.push(required(localPath, 'must be set when seccomp type is Localhost'));
    else errors.push(...validateDescendingPath(profile.localhostProfile, localPath));
  } else if (profile.localhostProfile !== undefined)
    errors.push(invalid(localPath, internalForm('SeccompProfile', profile), 'can only be set when seccomp type is Localhost'));
  return errors;
}

export function validateAppArmorProfile(profile: AppArmorProfile | undefined, path: string): FieldError[] {
  if (!profile) return [];
  const { type, localhostProfile } = profile;
  const localPath = at.child(path, 'localhostProfile');
  if (!type) return [required(at.child(path, 'type'), 'type is required when appArmorProfile is set')];
  if (!profileTypes.includes(type)) return [notSupported(at.child(path, 'type'), type, profileTypes)];
  if (type !== 'Localhost')
    return localhostProfile === undefined ? [] : [invalid(localPath, localhostProfile, 'can only be set when AppArmor type is Localhost')];
  if (localhostProfile === undefined) return [required(localPath, 'must be set when AppArmor type is Localhost')];
  const errors: FieldError[] = [];
  if (localhostProfile !== localhostProfile.trim()) errors.push(invalid(localPath, localhostProfile, 'must not be padded with whitespace'));
  else if (localhostProfile === '') errors.push(required(localPath, 'must be set when AppArmor type is Localhost'));
  if (byteLength(localhostProfile) > 4095) errors.push(tooLong(localPath, 4095));
  return errors;
}

const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const domainName = new RegExp(`^${label}(?:\\.${label})*$`);
const netBiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const controlCharacter = /[\x00-\x1f\x7f]/;

export function validateWindowsOptions(options: WindowsSecurityContextOptions | undefined, path: string): FieldError[] {
  if (!options) return [];
  const errors: FieldError[] = [];
  const { gmsaCredentialSpecName: specName, gmsaCredentialSpec: spec, runAsUserName } = options;
  if (specName !== undefined)
    for (const message of isDns1123Subdomain(specName)) errors.push(invalid(at.child(path, 'gmsaCredentialSpecName'), specName, message));
  const specPath = at.child(path, 'gmsaCredentialSpec');
  if (spec === '') errors.push(invalid(specPath, spec, 'gmsaCredentialSpec cannot be an empty string'));
  else if (spec !== undefined && byteLength(spec) > 65536)
    errors.push(invalid(specPath, spec, 'gmsaCredentialSpec size must be under 64 KiB'));
  if (runAsUserName !== undefined)
    for (const message of userNameProblems(runAsUserName)) errors.push(invalid(at.child(path, 'runAsUserName'), runAsUserName, message));
  return errors;
}

function userNameProblems(name: string): string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if (controlCharacter.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const problems: string[] = [];
  const user = parts.at(-1)!;
  if (parts.length === 2) {
    const domain = parts[0]!;
    if (byteLength(domain) >= 256) problems.push("runAsUserName's Domain length must be under 256 characters");
    if (!netBiosName.test(domain) && !domainName.test(domain))
      problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
  if (user === '') problems.push("runAsUserName's User cannot be empty");
  else if (byteLength(user) > 104) problems.push("runAsUserName's User length must not be longer than 104 characters");
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) problems.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  return problems;
}
