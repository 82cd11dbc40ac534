import { forbidden, invalid, required, type FieldError } from '../../../api/field-error.ts';
import type { Holder } from '../access/subjects.ts';
import { User } from '../kinds/user.ts';
import type { RancherWorld } from './rancher-world.ts';

const subjectFields = ['userName', 'userPrincipalName', 'groupName', 'groupPrincipalName', 'serviceAccount'] as const;

/** Whom a binding is for: one user, by one name or by both, or one group, or one service account. A name may be filled in later, and never be changed. */
export async function subjectFaults(old: Holder | undefined, next: Holder, world: RancherWorld): Promise<FieldError[]> {
  const changed = subjectFields.filter(field => (old?.[field] ?? '') !== '' && old![field] !== next[field]);
  if (changed.length > 0) return changed.map(field => forbidden(field, 'field is immutable once set'));
  const { userName = '', userPrincipalName = '', groupName = '', groupPrincipalName = '', serviceAccount = '' } = next;
  const kinds = [userName || userPrincipalName, groupName || groupPrincipalName, serviceAccount].filter(one => one !== '');
  if (kinds.length === 0) return [required('', 'the binding must name a user or a group')];
  if (kinds.length > 1) return [forbidden('', 'the binding must name only one user, group or service account')];
  if (groupName !== '' && groupPrincipalName !== '' && groupName !== groupPrincipalName)
    return [forbidden('groupName', 'the binding must name only one group')];
  if (serviceAccount !== '' && !/^[^:]+:[^:]+$/.test(serviceAccount))
    return [invalid('serviceAccount', serviceAccount, 'must be "<namespace>:<name>"')];
  return userName !== '' && userPrincipalName !== '' ? principalFaults(userName, userPrincipalName, world) : [];
}

/** Both names must mean the same person: one is shown, the other is given the rights. */
async function principalFaults(userName: string, principal: string, world: RancherWorld): Promise<FieldError[]> {
  if (principal === `local://${userName}`) return [];
  const user = await world.get(User, { name: userName });
  const isSame = user?.principalIds?.includes(principal) ?? false;
  return isSame ? [] : [invalid('userPrincipalName', principal, `it is not a principal of user "${userName}"`)];
}

/** The subject in one word: equal for bindings that mean the same. */
export function subjectKey(holder: Holder): string {
  const { userName, userPrincipalName, groupName, groupPrincipalName, serviceAccount } = holder;
  if (serviceAccount) return `serviceaccount:${serviceAccount}`;
  const user = userName || userPrincipalName?.replace(/^local:\/\//, '');
  return user ? `user:${user}` : `group:${groupPrincipalName || groupName || ''}`;
}
