import { createHash } from 'node:crypto';
import { withType } from '../../../../api/define-kind.ts';
import { apiVersionOf } from '../../../../api/object.ts';
import { StatusError } from '../../../../api/status.ts';
import type { KubeClient } from '../../../../client/kube-client.ts';
import { GlobalRole, GlobalRoleBinding } from '../../kinds/role.ts';
import { User, UserAttribute } from '../../kinds/user.ts';
import { oidcProvider } from './oidc-config.ts';
import type { ProviderIdentity } from './provider-identity.ts';

/** On a User of a provider that has not been given all the roles of new users yet: "true". A restart goes on with them. */
const rolesPending = 'drover.io/default-roles-pending';
const fieldManager = 'drover-oidc';
const base32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** The name that the User of a principal has when nobody chose another: the same wherever it is computed. */
export const userNameOf = (principal: string): string => `u-${hashed(principal)}`;

interface Writing {
  readonly hub: KubeClient;
  readonly signal: AbortSignal;
}

/** The User of whom a provider has named, made with the roles of new users when there is none. `present` is the one that is known already. */
export async function ensureExternalUser(
  { principal, displayName }: ProviderIdentity,
  present: User | undefined,
  writing: Writing,
): Promise<User> {
  const user = present ?? (await createUser(principal, displayName, writing));
  if (user.metadata.annotations?.[rolesPending] !== 'true') return user;
  await giveDefaultRoles(user, writing);
  const body = { metadata: { annotations: { [rolesPending]: null } } };
  return writing.hub.patch(User, { name: user.metadata.name! }, { type: 'merge', body }, { fieldManager, signal: writing.signal });
}

async function createUser(principal: string, displayName: string, { hub, signal }: Writing): Promise<User> {
  const name = userNameOf(principal);
  const user: User = withType(User, {
    metadata: { name, annotations: { [rolesPending]: 'true' } },
    displayName,
    principalIds: [principal, `local://${name}`],
    enabled: true,
  });
  try {
    return await hub.create(User, user, { fieldManager, signal });
  } catch (error) {
    if (!isPresent(error)) throw error;
    // The same person signs in twice at once; anybody else of this name is not them.
    const found = await hub.get(User, { name }, { signal });
    if (!found?.principalIds?.includes(principal)) throw error;
    return found;
  }
}

async function giveDefaultRoles(user: User, { hub, signal }: Writing): Promise<void> {
  const { name = '', uid = '' } = user.metadata;
  const { items } = await hub.list(GlobalRole, { signal });
  for (const role of items.filter(one => one.newUserDefault === true)) {
    const globalRoleName = role.metadata.name!;
    const binding: GlobalRoleBinding = withType(GlobalRoleBinding, {
      metadata: {
        name: `grb-${hashed(`${name}/${globalRoleName}`)}`,
        ownerReferences: [{ apiVersion: apiVersionOf(User), kind: User.kind, name, uid }],
      },
      globalRoleName,
      userName: name,
    });
    await hub.create(GlobalRoleBinding, binding, { fieldManager, signal }).catch((error: unknown) => {
      if (!isPresent(error)) throw error;
    });
  }
}

/** Writes down what the provider said about somebody. Groups that are not named any more are gone. */
export function writeAttributes(
  user: User,
  identity: ProviderIdentity,
  { hub, signal, at }: Writing & { readonly at: Date },
): Promise<UserAttribute> {
  const { name = '', uid = '' } = user.metadata;
  const { principal, loginName, groups } = identity;
  return hub.apply(
    UserAttribute,
    withType(UserAttribute, {
      metadata: { name, ownerReferences: [{ apiVersion: apiVersionOf(User), kind: User.kind, name, uid }] },
      userName: name,
      groupPrincipals: { [oidcProvider]: { items: groups.map(groupItem) } },
      extraByProvider: { [oidcProvider]: { principalid: [principal], username: [loginName] } },
      needsRefresh: false,
      lastRefresh: at.toISOString().replace(/\.[0-9]+Z$/, 'Z'),
    }),
    { fieldManager, signal },
  );
}

function groupItem(group: string) {
  const displayName = group.slice(group.indexOf('://') + 3);
  return { metadata: { name: group }, displayName, principalType: 'group', provider: oidcProvider };
}

/** Ten characters that stand for a text. */
function hashed(text: string): string {
  const bytes = createHash('sha256').update(text).digest();
  let bits = 0n;
  for (const byte of bytes.subarray(0, 7)) bits = (bits << 8n) | BigInt(byte);
  // 56 bits are eleven digits and a bit; the first ten are taken.
  return Array.from({ length: 10 }, (_, i) => base32[Number((bits >> BigInt(51 - 5 * i)) & 31n)]).join('');
}

const isPresent = (error: unknown): boolean => error instanceof StatusError && error.code === 409 && error.reason === 'AlreadyExists';
