import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret } from '../../../api/builtin-kinds.ts';
import { StatusError } from '../../../api/status.ts';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { goodPassword, startIdentityRig } from '../../../../test/helpers/identity-rig.ts';
import { User } from '../kinds/user.ts';
import { passwordNamespace } from './identity-names.ts';
import { userDesk } from './user-desk.ts';

const status = (code: number, reason: string, message?: RegExp) => (error: unknown) =>
  error instanceof StatusError && error.code === code && error.reason === reason && (message?.test(error.message) ?? true);

test('a user signs in with the name and password that he was given', async t => {
  const { identity, addUser, client } = await startIdentityRig(t);
  const { users } = identity;
  const user = await addUser('jane');
  const name = user.metadata.name!;
  assert.match(name, /^u-[a-z0-9]{5}$/);
  assert.deepEqual(user.principalIds, [`local://${name}`]);
  assert.equal((await users.signIn('jane', goodPassword)).user.metadata.name, name);
  const secret = await client.get(Secret, { namespace: passwordNamespace, name });
  assert.match(Buffer.from(secret?.data?.['password'] ?? '', 'base64').toString(), /^\$argon2id\$/);
});

test('who is unknown and who knows no password hear the same; a disabled user hears so only when he proved himself', async t => {
  const { identity, addUser, client } = await startIdentityRig(t);
  const { users } = identity;
  const user = await addUser('jane');
  await client.create(User, { ...user, metadata: { name: 'u-extern' }, username: 'extern' });
  await eventually(() => users.find('extern'));
  for (const [username, password] of [
    ['jane', 'wrong horse battery'],
    ['nobody', goodPassword],
    ['extern', goodPassword],
    ['', ''],
  ] as const)
    await assert.rejects(users.signIn(username, password), status(401, 'Unauthorized', /^authentication failed$/), username);
  await client.patch(User, { name: user.metadata.name! }, { type: 'merge', body: { enabled: false } });
  await eventually(() => users.get(user.metadata.name!)?.enabled === false);
  await assert.rejects(users.signIn('jane', 'wrong horse battery'), status(401, 'Unauthorized'));
  await assert.rejects(users.signIn('jane', goodPassword), status(403, 'PermissionDenied'));
});

test('passwords are long and no user names', async t => {
  const { identity, client, set } = await startIdentityRig(t);
  const { users } = identity;
  const create = (username: string, password: string) => users.create({ username, password }, { as: client });
  await assert.rejects(create('jane', 'short'), status(422, 'InvalidBodyContent', /at least 12 characters/));
  await assert.rejects(create('jane-the-admin', 'Jane-The-Admin'), status(422, 'InvalidBodyContent', /same as username/));
  await assert.rejects(create('jane', 'x'.repeat(2000)), status(422, 'InvalidBodyContent', /at most/));
  await assert.rejects(create('a b', goodPassword), status(422, 'InvalidFormat'));
  set('password-min-length', '20');
  await assert.rejects(create('jane', 'nineteen characters'), status(422, 'InvalidBodyContent', /at least 20 characters/));
  assert.deepEqual((await client.list(User)).items, [], 'nothing half-made stays');
});

test('a name is given once', async t => {
  const { addUser } = await startIdentityRig(t);
  await addUser('jane');
  await assert.rejects(addUser('jane'), status(422, 'NotUnique'));
});

test('a password is changed by who knows it, or by who may change the user', async t => {
  const { identity, access, addUser } = await startIdentityRig(t);
  const { users } = identity;
  const user = await addUser('jane');
  const id = user.metadata.name!;
  const change = (currentPassword: string, newPassword: string) => users.changePassword(id, { currentPassword, newPassword });
  await assert.rejects(change('wrong horse battery', 'another horse stands'), status(422, 'InvalidBodyContent', /current password/));
  await assert.rejects(change(goodPassword, goodPassword), status(422, 'InvalidBodyContent'));
  await change(goodPassword, 'another horse stands');
  await assert.rejects(users.signIn('jane', goodPassword), status(401, 'Unauthorized'));

  const stranger = access.as({ name: 'u-other', groups: ['system:authenticated'] });
  await assert.rejects(users.setPassword(id, goodPassword, { as: stranger }), status(403, 'Forbidden'));
  await users.signIn('jane', 'another horse stands');
  await assert.rejects(
    users.create({ username: 'joe', password: goodPassword }, { as: stranger }),
    status(403, 'Forbidden'),
    'nobody makes users without the right to',
  );
  assert.equal(users.find('joe'), undefined);
});

test('who holds a session cannot try out passwords for long', { timeout: 120_000 }, async t => {
  const { identity, addUser, client } = await startIdentityRig(t);
  const { objects, tokens } = identity;
  const id = (await addUser('jane')).metadata.name!;
  const users = userDesk({ hub: client, objects, settings: { number: () => 12 }, tokens, now: () => 0 });
  const guess = (currentPassword: string) => users.changePassword(id, { currentPassword, newPassword: 'another horse stands' });
  for (let i = 0; i < 30; i++) await assert.rejects(guess(`guess number ${i}`), status(422, 'InvalidBodyContent'));
  await assert.rejects(guess(goodPassword), status(429, 'TooManyRequests'));
});

test('nobody becomes a user of Kubernetes by being called like one', async t => {
  const { client } = await startIdentityRig(t);
  const user = (name: string) => ({ apiVersion: 'management.cattle.io/v3', kind: 'User', metadata: { name } });
  await assert.rejects(client.create(User, user('kubernetes-admin')), status(422, 'Invalid', /begins with/));
  await client.create(User, user('u-mo773yttt4'));
  await client.create(User, user('user-abcde'));
});

test('a password Secret of an earlier user of the same name opens nothing', async t => {
  const { identity, addUser, client } = await startIdentityRig(t);
  const { users } = identity;
  const user = await addUser('jane');
  const name = user.metadata.name!;
  const secret = (await client.get(Secret, { namespace: passwordNamespace, name }))!;
  await client.delete(User, { name });
  await eventually(async () => (await client.get(Secret, { namespace: passwordNamespace, name })) === undefined);
  await client.create(User, { ...user, metadata: { name } });
  const { uid: _, resourceVersion: __, creationTimestamp: ___, managedFields: ____, ownerReferences, ...metadata } = secret.metadata;
  await eventually(() => users.get(name) !== undefined && users.get(name)!.metadata.uid !== user.metadata.uid);
  assert.equal(ownerReferences?.[0]?.uid, user.metadata.uid);
  // The API server's own clean-up would take such a Secret away; this is what happens before it does.
  await client.create(Secret, { ...secret, metadata: { ...metadata, ownerReferences: ownerReferences! } });
  await assert.rejects(users.signIn('jane', goodPassword), status(401, 'Unauthorized'));
});
