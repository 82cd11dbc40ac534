import { forbiddenError } from '../api/status.ts';
import { escapeHeaderKey } from '../auth/header-values.ts';
import type { UserInfo } from '../auth/user.ts';

type Identity = Record<string, string | string[]>;

/** Names of the hub that mean the same on every member. */
const sharedNames = new Set([
  'system:masters',
  'system:authenticated',
  'system:unauthenticated',
  'system:anonymous',
  'system:cattle:authenticated',
]);
/** Marks names that the hub gave out itself. */
const hubPrefix = 'hub:';
/** What the hub notes about its own credentials is nothing to a member; some of it would even grant rights there. */
const hubExtra = /(?:^|\.)(?:kubernetes|k8s)\.io\//;

/**
 * The headers by which a user of the hub acts on a member. Names that begin with `system:` belong to the cluster that gave them out: a service
 * account of the hub is not the service account of the same name on a member, and appears there as `hub:system:serviceaccount:…`. Throws 403 for
 * names that a header cannot carry unchanged: they would arrive as somebody else's.
 */
export function impersonationHeaders(user: UserInfo): Identity {
  const { uid, extra, ...rest } = user;
  const name = memberName(user.name);
  const ownExtra = Object.entries(extra ?? {}).filter(([key]) => !hubExtra.test(key));
  return identityHeaders({
    ...rest,
    name,
    groups: user.groups.map(memberName),
    ...(uid !== undefined && name === user.name && { uid }),
    ...(ownExtra.length > 0 && { extra: Object.fromEntries(ownExtra) }),
  });
}

/** The headers that make whoever may impersonate this very user of the same cluster. */
export function identityHeaders({ name, uid, groups, extra = {} }: UserInfo): Identity {
  const headers: Identity = { 'impersonate-user': headerText(name) };
  const distinct = new Set(groups);
  if (distinct.size > 0) headers['impersonate-group'] = [...distinct].map(headerText);
  if (uid !== undefined && uid !== '') headers['impersonate-uid'] = headerText(uid);
  for (const [key, values] of Object.entries(extra)) {
    if (values.length > 0) headers[`impersonate-extra-${escapeHeaderKey(key.toLowerCase())}`] = values.map(headerText);
  }
  return headers;
}

/** What a user or group of the hub is called on members. The prefix itself is marked too, so that nobody is taken for a name of the hub by being called so. */
export function memberName(name: string): string {
  const isOfHub = name.startsWith('system:') || name.startsWith(hubPrefix);
  return isOfHub && !sharedNames.has(name) ? hubPrefix + name : name;
}

function headerText(text: string): string {
  if (text === '' || text !== text.trim() || /[\x00-\x1f\x7f]/.test(text) || !text.isWellFormed())
    throw forbiddenError({ group: '', resource: '' }, '', `the name ${JSON.stringify(text)} cannot be carried to a member`);
  // Node writes headers as latin-1; members read them as UTF-8.
  return Buffer.from(text, 'utf8').toString('latin1');
}
