import { memberName } from '../../../proxy/member-identity.ts';
import type { Subject } from './rbac-objects.ts';

/** Who is given a role, as bindings of Rancher say it. */
export interface Holder {
  readonly userName?: string;
  readonly userPrincipalName?: string;
  readonly groupName?: string;
  readonly groupPrincipalName?: string;
  /** `<namespace>:<name>`, of the member. */
  readonly serviceAccount?: string;
}

/** The User that a provider calls so; undefined while there is none. */
export type FindUser = (principal: string) => string | undefined;

const apiGroup = 'rbac.authorization.k8s.io';
const localPrincipal = 'local://';

/** The holder as Kubernetes calls it on the hub; undefined when nobody there is meant. */
export function subjectOf(holder: Holder, findUser: FindUser): Subject | undefined {
  const { userName, userPrincipalName, groupName, groupPrincipalName } = holder;
  const group = groupPrincipalName || groupName;
  const user = userName || (userPrincipalName && userOf(userPrincipalName, findUser));
  if (user) return { apiGroup, kind: 'User', name: user };
  return group ? { apiGroup, kind: 'Group', name: group } : undefined;
}

/** The holder as members know it: names that the hub gave out itself are others there. API servers fill in the API group, which with many people would be half of a Work. */
export function memberSubjectOf(holder: Holder, findUser: FindUser): Subject | undefined {
  const [namespace, name] = (holder.serviceAccount ?? '').split(':');
  if (namespace && name) return { kind: 'ServiceAccount', namespace, name };
  const subject = subjectOf(holder, findUser);
  return subject && { kind: subject.kind, name: memberName(subject.name) };
}

function userOf(principal: string, findUser: FindUser): string | undefined {
  if (principal.startsWith(localPrincipal)) return principal.slice(localPrincipal.length);
  return findUser(principal);
}
