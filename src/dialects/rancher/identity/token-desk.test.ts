import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { goodPassword, startIdentityRig } from '../../../../test/helpers/identity-rig.ts';
import { AuthConfig, Token, User, UserAttribute } from '../kinds/user.ts';

const management = { apiVersion: 'management.cattle.io/v3' } as const;

test('a token stands for its user from the moment it is given until it is taken back', async t => {
  const { identity, addUser, client } = await startIdentityRig(t);
  const { tokens } = identity;
  const user = await addUser('jane');
  const { token, bearer } = await tokens.issue({ user, kind: 'api', description: 'ci' });
  const [name, key] = bearer.split(':') as [string, string];

  const known = tokens.verify(bearer);
  assert.deepEqual(known?.user.name, user.metadata.name);
  assert.deepEqual(known?.user.groups, ['system:authenticated', 'system:cattle:authenticated']);
  assert.deepEqual(known?.user.extra, { 'authentication.kubernetes.io/credential-id': [`Token=${name}`] });
  assert.equal(tokens.verify(`ext/${bearer}`)?.user.name, user.metadata.name);
  assert.match(name, /^token-[a-z0-9]{5}$/);
  assert.equal(key.length, 54);
  assert.ok(!JSON.stringify(await client.get(Token, { name })).includes(key));
  assert.equal(token.description, 'ci');

  assert.equal(tokens.verify(`${name}:${key.replace(/^./, c => (c === 'b' ? 'c' : 'b'))}`), undefined);
  assert.equal(await tokens.revoke(name), true);
  assert.equal(tokens.verify(bearer), undefined);
  assert.equal(await tokens.revoke(name), false);
});

test('tokens end with their user, and rest while he is disabled', async t => {
  const { identity, addUser, client } = await startIdentityRig(t);
  const { tokens } = identity;
  const user = await addUser('jane');
  const name = user.metadata.name!;
  const { bearer } = await tokens.issue({ user, kind: 'kubeconfig' });
  const patch = (body: object) => client.patch(User, { name }, { type: 'merge', body: body as never });
  await patch({ enabled: false });
  await eventually(() => tokens.verify(bearer) === undefined);
  await patch({ enabled: true });
  await eventually(() => tokens.verify(bearer) !== undefined);
  await client.delete(User, { name });
  await eventually(() => tokens.verify(bearer) === undefined);
});

test('a new password ends the sessions of the old one but for the one in use, and no API key', async t => {
  const { identity, addUser, client } = await startIdentityRig(t);
  const { tokens, users } = identity;
  const user = await addUser('jane');
  const [session, current, key] = await Promise.all([
    tokens.issue({ user, kind: 'session' }),
    tokens.issue({ user, kind: 'session' }),
    tokens.issue({ user, kind: 'api' }),
  ]);
  const id = user.metadata.name!;
  await users.changePassword(id, { currentPassword: goodPassword, newPassword: 'another horse stands' }, current.token.metadata.name);
  assert.equal(tokens.verify(session.bearer), undefined);
  assert.ok(tokens.verify(current.bearer));
  assert.ok(tokens.verify(key.bearer));
  await users.setPassword(id, 'a third horse comes', { as: client });
  assert.equal(tokens.verify(current.bearer), undefined);
  assert.equal((await users.signIn('jane', 'a third horse comes')).user.metadata.name, id);
});

test('of the tokens in kubeconfigs for one cluster the ten newest stay', async t => {
  const { identity, addUser } = await startIdentityRig(t);
  const { tokens } = identity;
  const user = await addUser('jane');
  const elsewhere = await tokens.issue({ user, kind: 'kubeconfig', clusterId: 'c-other' });
  const session = await tokens.issue({ user, kind: 'session' });
  const issued: string[] = [];
  for (let i = 0; i < 13; i++) issued.push((await tokens.issue({ user, kind: 'kubeconfig', clusterId: 'c-abcde' })).bearer);
  assert.equal(issued.filter(bearer => tokens.verify(bearer)).length, 10);
  assert.ok(tokens.verify(issued.at(-1)!), 'the newest is of use');
  assert.ok(tokens.verify(elsewhere.bearer) && tokens.verify(session.bearer), 'others are not counted');
  assert.match(issued[0]!, new RegExp(`^kubeconfig-${user.metadata.name}[a-z0-9]{5}:`));
});

test('tokens and groups of a provider count while it is enabled', async t => {
  const { identity, addUser, client } = await startIdentityRig(t);
  const { tokens } = identity;
  const user = await addUser('jane');
  const name = user.metadata.name!;
  const config = { ...management, kind: 'AuthConfig', metadata: { name: 'genericoidc' }, type: 'genericOIDCConfig', enabled: true };
  await client.create(AuthConfig, config);
  const groups = ['genericoidc_group://devs', 'system:masters', ''].map(group => ({ metadata: { name: group } }));
  const groupPrincipals = { genericoidc: { items: groups }, gone: { items: [{ metadata: { name: 'gone_group://x' } }] } };
  await client.create(UserAttribute, { ...management, kind: 'UserAttribute', metadata: { name }, groupPrincipals });
  const external = await tokens.issue({ user, kind: 'session', authProvider: 'genericoidc' });
  const local = await tokens.issue({ user, kind: 'session' });
  const groupsOf = (bearer: string) => tokens.verify(bearer)?.user.groups;
  const signedIn = ['system:authenticated', 'system:cattle:authenticated'];
  await eventually(
    () => groupsOf(external.bearer),
    found => found?.length === 3,
  );
  assert.deepEqual(groupsOf(external.bearer), ['genericoidc_group://devs', ...signedIn]);
  assert.deepEqual(groupsOf(local.bearer), ['genericoidc_group://devs', ...signedIn]);

  await client.patch(AuthConfig, { name: 'genericoidc' }, { type: 'merge', body: { enabled: false } });
  await eventually(() => groupsOf(external.bearer) === undefined);
  assert.deepEqual(groupsOf(local.bearer), signedIn);
});

test('tokens that expired, and those of users who are gone, are removed', async t => {
  const { identity, addUser, client } = await startIdentityRig(t);
  const { tokens } = identity;
  identity.run({ adminPassword: undefined });
  const user = await addUser('jane');
  const long = await tokens.issue({ user, kind: 'api' });
  const short = await tokens.issue({ user, kind: 'api', ttlMs: 1 });
  const left = async () => (await client.list(Token)).items.map(token => token.metadata.name);
  await eventually(left, names => names.length === 1 && names[0] === long.token.metadata.name);
  assert.equal(tokens.verify(short.bearer), undefined);
  await client.delete(User, { name: user.metadata.name! });
  await eventually(left, names => names.length === 0);
});

test('a token for one cluster is nobody at the hub’s own API', async t => {
  const { identity, addUser } = await startIdentityRig(t);
  const user = await addUser('jane');
  const bound = await identity.tokens.issue({ user, kind: 'kubeconfig', clusterId: 'c-abcde' });
  const local = await identity.tokens.issue({ user, kind: 'kubeconfig', clusterId: 'local' });
  assert.equal(identity.bearerUser(bound.bearer), undefined);
  assert.equal(identity.bearerUser(local.bearer)?.name, user.metadata.name);
});
