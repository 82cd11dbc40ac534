import { defineFlatKind, type ObjectFor } from '../../../api/define-kind.ts';
import { anyObject, flag, integer, list, mapOf, object, oneOf, openObject, optional, text, time } from '../../../api/schema.ts';
import { ageColumn, management } from './group.ts';

const status = optional(anyObject('What became of it.'));

const principal = openObject('One user or group, as its provider knows it.', {
  metadata: optional(openObject('Its name.', { name: optional(text('The principal, such as `genericoidc_group://developers`.')) })),
  displayName: optional(text('The name that people see.')),
  loginName: optional(text('The name that is typed to sign in.')),
  principalType: optional(text('What it is: `user` or `group`.')),
  provider: optional(text('The provider that knows it.')),
});

export const User = defineFlatKind({
  ...management,
  kind: 'User',
  plural: 'users',
  scope: 'Cluster',
  description: 'User is a person who signs in to the hub. To Kubernetes that person is the user of the same name as this object.',
  // Closed: a password that somebody writes here must not be kept.
  fields: object('The person.', {
    displayName: optional(text('The name that others see.')),
    description: optional(text('Who that is.')),
    username: optional(
      text('The name that is typed to sign in with a password. Unique, and never changed. Without it there is no password.'),
    ),
    enabled: optional(flag('Whether the person may sign in and act. True when absent.')),
    mustChangePassword: optional(flag('Whether the password is to be changed at the next sign-in.')),
    principalIds: optional(list('What providers call the person, such as `local://u-abcde`.', text('A principal.'))),
    status,
  }),
  hasStatus: true,
  rules: [
    {
      // Names of Kubernetes users are taken from here: nobody may become `kubernetes-admin` by being created so.
      rule: "self.metadata.name.startsWith('u-') || self.metadata.name.startsWith('user-')",
      message: 'the name of a user begins with "u-" or "user-"',
    },
  ],
  columns: [
    { name: 'Username', type: 'string', path: '.username' },
    { name: 'Display Name', type: 'string', path: '.displayName' },
    { name: 'Enabled', type: 'boolean', path: '.enabled' },
    ageColumn,
  ],
});
export type User = ObjectFor<typeof User>;

export const UserAttribute = defineFlatKind({
  ...management,
  kind: 'UserAttribute',
  plural: 'userattributes',
  scope: 'Cluster',
  description: 'UserAttribute holds what providers say about the User of the same name.',
  fields: openObject('What is known.', {
    userName: optional(text('The User.')),
    groupPrincipals: optional(
      mapOf('The groups of the person, by provider.', openObject('Groups.', { items: optional(list('The groups.', principal)) })),
    ),
    extraByProvider: optional(mapOf('Further facts, by provider.', mapOf('Facts.', list('Values.', text('A value.'))))),
    lastRefresh: optional(text('When the groups were last asked for.')),
    needsRefresh: optional(flag('Whether the groups are to be asked for again.')),
    lastLogin: optional(time('When the person last signed in.')),
  }),
  columns: [{ name: 'Last Login', type: 'date', path: '.lastLogin' }, ageColumn],
});
export type UserAttribute = ObjectFor<typeof UserAttribute>;

export const Token = defineFlatKind({
  ...management,
  kind: 'Token',
  plural: 'tokens',
  scope: 'Cluster',
  description: 'Token is a credential of a User: a session, an API key or what stands in a kubeconfig. Only a hash of it is kept.',
  fields: openObject('The credential.', {
    token: optional(text('The salted hash of the key. The key itself is shown once, when the token is made.')),
    userId: text('The User.'),
    authProvider: optional(text('How the person had signed in. The token is of no use while that provider is disabled.')),
    userPrincipal: optional(principal),
    groupPrincipals: optional(list('Kept for those who write it. Groups are read from the UserAttribute.', principal)),
    ttl: optional(integer('Milliseconds from its creation until it expires. 0 or absent is never.')),
    expiresAt: optional(text('When it expires.')),
    lastUsedAt: optional(time('When it was last used, to the minute.')),
    isDerived: optional(flag('Whether another token was used to make it.')),
    description: optional(text('What it is for.')),
    clusterName: optional(text('The id of the only cluster it may be used for. All when absent.')),
    enabled: optional(flag('Whether it may be used. True when absent.')),
  }),
  columns: [
    { name: 'User', type: 'string', path: '.userId' },
    { name: 'Kind', type: 'string', path: '.metadata.labels.authn\\.management\\.cattle\\.io/kind', priority: 1 },
    { name: 'Cluster', type: 'string', path: '.clusterName', priority: 1 },
    { name: 'Expires', type: 'string', path: '.expiresAt' },
    { name: 'Description', type: 'string', path: '.description', priority: 1 },
    ageColumn,
  ],
});
export type Token = ObjectFor<typeof Token>;

export const AuthConfig = defineFlatKind({
  ...management,
  kind: 'AuthConfig',
  plural: 'authconfigs',
  scope: 'Cluster',
  description:
    'AuthConfig is a provider that people can sign in with. Its name is the name of the provider; `local` is the one of passwords.',
  fields: openObject('The provider.', {
    type: text('What it is, such as `localConfig` or `genericOIDCConfig`.'),
    enabled: optional(flag('Whether people can sign in with it. False when absent.')),
    accessMode: optional(
      oneOf(['unrestricted', 'restricted', 'required'], 'Who may sign in: all it knows, members and those allowed, or only those allowed.'),
    ),
    allowedPrincipalIds: optional(list('Users and groups that are allowed in.', text('A principal.'))),
    status,
  }),
  hasStatus: true,
  columns: [{ name: 'Type', type: 'string', path: '.type' }, { name: 'Enabled', type: 'boolean', path: '.enabled' }, ageColumn],
});
export type AuthConfig = ObjectFor<typeof AuthConfig>;

export const SamlToken = defineFlatKind({
  ...management,
  kind: 'SamlToken',
  plural: 'samltokens',
  scope: 'Namespaced',
  description:
    'SamlToken is a token that somebody allowed a program in the browser, until the program picks it up. Its name is the id of the request of the program.',
  fields: object('What is picked up.', {
    token: text('The token, which only the program that asked for it can read: encrypted with its public key, in base64.'),
    expiresAt: optional(text('When the token expires.')),
  }),
  columns: [{ name: 'Expires', type: 'string', path: '.expiresAt' }, ageColumn],
});
export type SamlToken = ObjectFor<typeof SamlToken>;
