import type { FieldError } from '../../../api/field-error.ts';
import { at, forbidden, invalid } from '../../../api/field-error.ts';
import type { AppArmorProfile, PodSpec, SeccompProfile, Toleration } from '../../../api/kubernetes.ts';
import { deletionCostAnnotation, isDeletionCost, type PodValidationOptions } from './pod-validation-options.ts';
import { validateDescendingPath } from './validate-path.ts';
import { validateTolerations } from './validate-scheduling.ts';
import { someContainer, visitContainers } from './visit-containers.ts';

export const mirrorAnnotation = 'kubernetes.io/config.mirror';
export const appArmorPrefix = 'container.apparmor.security.beta.kubernetes.io/';
export const seccompPodAnnotation = 'seccomp.security.alpha.kubernetes.io/pod';
export const seccompContainerPrefix = 'container.seccomp.security.alpha.kubernetes.io/';
const tolerationsAnnotation = 'scheduler.alpha.kubernetes.io/tolerations';

type Annotations = Readonly<Record<string, string>> | undefined;

/** Rules of the annotations that once stood for fields of the spec. */
export function validatePodAnnotations(annotations: Annotations, spec: PodSpec, path: string, opts: PodValidationOptions): FieldError[] {
  if (!annotations) return [];
  const errors: FieldError[] = [];
  const mirror = annotations[mirrorAnnotation];
  if (mirror !== undefined && !spec.nodeName)
    errors.push(invalid(at.key(path, mirrorAnnotation), mirror, 'must set spec.nodeName if mirror pod annotation is set'));
  if (annotations[tolerationsAnnotation]) validateTolerationsText(annotations[tolerationsAnnotation], path, opts, errors);
  const cost = annotations[deletionCostAnnotation];
  if (!opts.allowInvalidDeletionCost && !isDeletionCost(cost))
    errors.push(invalid(at.key(path, deletionCostAnnotation), cost, 'must be a 32bit integer'));
  for (const key in annotations)
    if (key === seccompPodAnnotation || key.startsWith(seccompContainerPrefix))
      errors.push(...validateSeccompText(annotations[key]!, at.child(path, key)));
  for (const key in annotations) if (key.startsWith(appArmorPrefix)) validateAppArmorText(key, annotations[key]!, spec, path, errors);
  return errors;
}

function validateTolerationsText(text: string, path: string, opts: PodValidationOptions, errors: FieldError[]): void {
  try {
    errors.push(...validateTolerations(JSON.parse(text) as Toleration[], at.child(path, tolerationsAnnotation), opts));
  } catch (error) {
    errors.push(invalid(path, tolerationsAnnotation, (error as Error).message));
  }
}

function validateSeccompText(profile: string, path: string): FieldError[] {
  if (profile === 'runtime/default' || profile === 'docker/default' || profile === 'unconfined') return [];
  if (profile.startsWith('localhost/')) return validateDescendingPath(profile.slice('localhost/'.length), path);
  return [invalid(path, profile, 'must be a valid seccomp profile')];
}

function validateAppArmorText(key: string, profile: string, spec: PodSpec, path: string, errors: FieldError[]): void {
  const container = key.slice(appArmorPrefix.length);
  if (!someContainer(spec, c => c.name === container)) errors.push(invalid(at.key(path, key), container, 'container not found'));
  if (profile === '' || profile === 'runtime/default' || profile === 'unconfined' || profile.startsWith('localhost/')) return;
  errors.push(invalid(at.key(path, key), profile, `invalid AppArmor profile name: ${JSON.stringify(profile)}`));
}

/** The profile an AppArmor annotation stands for. */
export function appArmorProfileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  const local = annotation.startsWith('localhost/') ? annotation.slice('localhost/'.length) : '';
  return local === '' ? undefined : { type: 'Localhost', localhostProfile: local };
}

/** On create, an annotation and the field that replaced it must say the same. */
export function validateProfilesMatch(annotations: Annotations, spec: PodSpec, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const podSeccomp = spec.securityContext?.seccompProfile;
  const podText = annotations?.[seccompPodAnnotation];
  if (podSeccomp && podText !== undefined)
    pushMismatch('seccomp', podText, podSeccomp, at.child(path, 'securityContext', 'seccompProfile'), errors);
  visitContainers(spec, path, (container, own) => {
    const profile = container.securityContext?.seccompProfile;
    const text = annotations?.[seccompContainerPrefix + container.name];
    if (profile && text !== undefined) pushMismatch('seccomp', text, profile, at.child(own, 'securityContext', 'seccompProfile'), errors);
  });
  if (spec.os?.name === 'windows') return errors;
  visitContainers(spec, path, (container, own) => {
    const profile = container.securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
    const text = annotations?.[appArmorPrefix + container.name];
    if (profile && text !== undefined) pushMismatch('apparmor', text, profile, at.child(own, 'securityContext', 'appArmorProfile'), errors);
  });
  return errors;
}

function pushMismatch(
  kind: 'seccomp' | 'apparmor',
  text: string,
  profile: SeccompProfile | AppArmorProfile,
  path: string,
  errors: FieldError[],
): void {
  const wrongType = () => errors.push(forbidden(at.child(path, 'type'), `${kind} type in annotation and field must match`));
  if (profile.type === 'Unconfined' && text !== 'unconfined') wrongType();
  if (profile.type === 'RuntimeDefault' && text !== 'runtime/default' && !(kind === 'seccomp' && text === 'docker/default')) wrongType();
  if (profile.type !== 'Localhost') return;
  if (!text.startsWith('localhost/')) wrongType();
  else if (profile.localhostProfile === undefined || text.slice('localhost/'.length) !== profile.localhostProfile)
    errors.push(forbidden(at.child(path, 'localhostProfile'), `${kind} profile in annotation and field must match`));
}

/** Annotations that may not change once a pod exists. */
export function validateAnnotationUpdates(annotations: Annotations, old: Annotations, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const key in old) {
    if (annotations?.[key] === old[key]) continue;
    if (key.startsWith(appArmorPrefix)) errors.push(forbidden(at.key(path, key), 'may not remove or update AppArmor annotations'));
    if (key === mirrorAnnotation) errors.push(forbidden(at.key(path, key), 'may not remove or update mirror pod annotation'));
  }
  for (const key in annotations) {
    if (old?.[key] !== undefined) continue;
    if (key.startsWith(appArmorPrefix)) errors.push(forbidden(at.key(path, key), 'may not add AppArmor annotations'));
    if (key === mirrorAnnotation) errors.push(forbidden(at.key(path, key), 'may not add mirror pod annotation'));
  }
  return errors;
}
