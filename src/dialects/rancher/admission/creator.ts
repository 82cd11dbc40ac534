import { forbidden, invalid, type FieldError } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { User } from '../kinds/user.ts';
import { rancherAnnotations } from '../names.ts';
import type { RancherWorld } from './rancher-world.ts';

const { creatorId, creatorPrincipal, noCreatorRbac } = rancherAnnotations;
const field = (annotation: string): string => `metadata.annotations[${annotation}]`;

/** Notes who made a cluster or a project. Only people who sign in become owners of what they make; others are known to Kubernetes alone. */
export async function noteCreator({ object, user }: AdmissionRequest): Promise<AdmissionAnswer> {
  const { annotations } = object?.metadata ?? {};
  const isPerson = /^(u|user)-/.test(user.name);
  if (!isPerson || annotations?.[creatorId] !== undefined || annotations?.[noCreatorRbac] === 'true') return {};
  const value = { ...annotations, [creatorId]: user.name };
  return { patch: [{ op: 'add', path: '/metadata/annotations', value }] };
}

/** Who made something is the one who makes it, and later it can only be forgotten. */
export async function creatorFaults({ oldObject, object, user }: AdmissionRequest, world: RancherWorld): Promise<FieldError[]> {
  const next = object!.metadata.annotations ?? {};
  if (oldObject) return changedCreator(oldObject, next);
  const { [creatorId]: id, [creatorPrincipal]: principal, [noCreatorRbac]: isUnowned } = next;
  const faults: FieldError[] = [];
  if (id !== undefined && isUnowned === 'true')
    faults.push(forbidden(field(creatorId), `there is no creator with the annotation ${noCreatorRbac}`));
  if (id !== undefined && id !== user.name) faults.push(invalid(field(creatorId), id, `must be the user who creates it, "${user.name}"`));
  if (principal !== undefined && !(await isPrincipalOf(id ?? '', principal, world)))
    faults.push(invalid(field(creatorPrincipal), principal, 'it is not a principal of the creator'));
  return faults;
}

function changedCreator({ metadata }: KubeObject, next: Readonly<Record<string, string>>): FieldError[] {
  const old = metadata.annotations ?? {};
  return [creatorId, creatorPrincipal, noCreatorRbac]
    .filter(key => next[key] !== old[key] && (next[key] !== undefined || key === noCreatorRbac))
    .map(key => forbidden(field(key), 'annotation is immutable'));
}

async function isPrincipalOf(id: string, principal: string, { get }: RancherWorld): Promise<boolean> {
  if (id === '') return false;
  const user = await get(User, { name: id });
  return principal === `local://${id}` || (user?.principalIds?.includes(principal) ?? false);
}
