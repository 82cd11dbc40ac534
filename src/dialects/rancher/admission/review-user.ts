import { duplicate, forbidden, type FieldError } from '../../../api/field-error.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { User } from '../kinds/user.ts';
import { faulty, notAllowed, refuseEscalation } from './answers.ts';
import { changedFields, differs } from './changed-fields.ts';
import { holdsEverything, mayManage } from './hub-rights.ts';
import type { RancherWorld } from './rancher-world.ts';
import { lackingOfUser } from './user-rights.ts';

export async function reviewUser(request: AdmissionRequest, world: RancherWorld): Promise<AdmissionAnswer> {
  const old = request.oldObject as User | undefined;
  const next = request.object as User | undefined;
  const isSelf = request.user.name === (old ?? next)!.metadata.name;
  if (isSelf && !next) return notAllowed(User, request, 'you cannot delete yourself');
  if (isSelf && old?.enabled !== false && next?.enabled === false) return notAllowed(User, request, 'you cannot disable yourself');
  const faults = next ? await fieldFaults(old, next, world) : [];
  return faults.length > 0 || isSelf ? faulty(request, faults) : reviewPower(request, world);
}

async function fieldFaults(old: User | undefined, next: User, world: RancherWorld): Promise<FieldError[]> {
  const { username = '' } = next;
  if (old?.username && old.username !== username) return [forbidden('username', 'field is immutable once set')];
  const isNew = username !== '' && old?.username !== username;
  const isOther = ({ metadata }: User) => metadata.name !== next.metadata.name;
  if (isNew && (await world.list(User)).some(one => isOther(one) && one.username === username)) return [duplicate('username', username)];
  return principalFaults(old, next, world);
}

/** What providers call somebody opens the door to everything that is theirs, so it comes from providers. */
async function principalFaults(old: User | undefined, next: User, world: RancherWorld): Promise<FieldError[]> {
  const own = `local://${next.metadata.name}`;
  const known = [own, ...(old?.principalIds ?? [])];
  const added = (next.principalIds ?? []).filter(one => !known.includes(one));
  if (added.length === 0) return [];
  if (added.some(one => one.startsWith('local://'))) return [forbidden('principalIds', 'it is the principal of another user')];
  if (!(await holdsEverything(world))) return [forbidden('principalIds', 'only the hub itself adds principals')];
  const others = (await world.list(User)).filter(({ metadata }) => metadata.name !== next.metadata.name);
  return added.filter(one => others.some(({ principalIds = [] }) => principalIds.includes(one))).map(one => duplicate('principalIds', one));
}

/**
 * Who changes somebody else must be as powerful, or be there to manage users. That does not suffice for an update that changes nothing, by which the hub asks whether the caller may
 * set the password: with it one can become that user.
 */
async function reviewPower(request: AdmissionRequest, world: RancherWorld): Promise<AdmissionAnswer> {
  const old = request.oldObject as User | undefined;
  const next = request.object as User | undefined;
  const isManaging = old !== undefined && !(next && isUnchanged(old, next));
  const { name = '' } = (old ?? next)!.metadata;
  if (isManaging && (await mayManage(world, 'manage-users', User.resource, name))) return {};
  return refuseEscalation(User, request, await lackingOfUser(name, world), 'change a user with permissions');
}

function isUnchanged(old: User, next: User): boolean {
  const { labels, annotations, finalizers, ownerReferences } = old.metadata;
  const before = { labels, annotations, finalizers, ownerReferences };
  const after = Object.fromEntries(Object.keys(before).map(key => [key, (next.metadata as Record<string, unknown>)[key]]));
  // Absent is enabled.
  if ((old.enabled ?? true) !== (next.enabled ?? true)) return false;
  return changedFields(old, next).length === 0 && Object.entries(before).every(([key, value]) => !differs(value, after[key]));
}
