import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { everything, password, startRancherRig } from '../../../../test/helpers/rancher-rig.ts';
import type { JsonObject } from '../../../util/json.ts';
import { AuthConfig } from '../kinds/user.ts';

test('signing in gives a token that works in every form, until it ends', async t => {
  const rig = await startRancherRig(t);
  const jane = await rig.addPerson('jane');
  const login = '/v3-public/localProviders/local?action=login';
  const given = await rig.ask(login, { method: 'POST', body: { username: 'jane', password } });
  assert.deepEqual([given.status, given.body['type'], given.body['userId']], [201, 'token', jane.user.metadata.name]);
  const bearer = String(given.body['token']);
  const cookie = await rig.ask(login, { method: 'POST', body: { username: 'jane', password, responseType: 'cookie' } });
  const session = cookie.headers
    .getSetCookie()
    .find(one => one.startsWith('R_SESS='))!
    .split(';')[0]!;
  assert.deepEqual([cookie.status, cookie.text], [200, '']);
  const wrong = await rig.ask(login, { method: 'POST', body: { username: 'jane', password: 'wrong horse battery' } });
  assert.deepEqual([wrong.status, wrong.body['code'], wrong.body['message']], [401, 'Unauthorized', 'authentication failed']);

  const me = async (headers: Record<string, string>) => {
    const answer = await rig.ask('/v3/users?me=true', { headers });
    return [answer.status, ((answer.body['data'] as JsonObject[] | undefined) ?? []).map(user => [user['username'], user['me']])];
  };
  const known = [200, [['jane', true]]];
  assert.deepEqual(await me({ authorization: `Bearer ${bearer}` }), known);
  assert.deepEqual(await me({ authorization: `Basic ${Buffer.from(bearer).toString('base64')}` }), known);
  assert.deepEqual(await me({ cookie: session }), known);
  const out = await rig.ask('/v3/tokens?action=logout', { method: 'POST', headers: { authorization: `Bearer ${bearer}` } });
  assert.deepEqual([out.status, out.headers.get('set-cookie')?.startsWith('R_SESS=;')], [200, true]);
  assert.deepEqual(await me({ authorization: `Bearer ${bearer}` }), [401, []]);
  const short = await rig.identity.tokens.issue({ user: jane.user, kind: 'api', ttlMs: 1 });
  await eventually(async () => (await me({ authorization: `Bearer ${short.bearer}` }))[0] === 401);
});

test('people have tokens of their own and see no others', async t => {
  const rig = await startRancherRig(t);
  const jane = await rig.addPerson('jane');
  const john = await rig.addPerson('john', everything);
  const made = await rig.ask('/v3/tokens', { as: jane, method: 'POST', body: { description: 'for scripts', ttl: 3_600_000 } });
  assert.equal(made.status, 201, made.text);
  const { id, token } = made.body as { id: string; token: string };
  assert.match(token, new RegExp(`^${id}:[a-z0-9]{54}$`));
  const read = await rig.ask(`/v3/tokens/${id}`, { as: jane });
  const { token: hidden, description, ttl, userId, expired, current } = read.body;
  assert.deepEqual(
    [hidden, description, ttl, userId, expired, current],
    [undefined, 'for scripts', 3_600_000, jane.user.metadata.name, false, false],
  );
  assert.equal((await rig.ask(`/v3/tokens/${id}`, { as: john })).status, 404);
  assert.equal((await rig.ask(`/v3/tokens/${id}`, { as: john, method: 'DELETE' })).status, 404);
  assert.equal(((await rig.ask('/v3/tokens', { as: john })).body['data'] as unknown[]).length, 1);

  const own = jane.bearer.split(':')[0]!;
  const self = await rig.ask(`/v3/tokens/${own}`, { as: jane, method: 'DELETE' });
  assert.deepEqual([self.status, self.body['message']], [400, 'Cannot delete token for current session. Use logout instead']);
  assert.equal((await rig.ask(`/v3/tokens/${id}`, { as: jane, method: 'DELETE' })).status, 204);
  assert.equal((await rig.ask('/v3/users?me=true', { headers: { authorization: `Bearer ${token}` } })).status, 401);
});

test('users are made with a password, changed, and found as principals', async t => {
  const rig = await startRancherRig(t);
  const as = await rig.addPerson('admin', everything);
  const made = await rig.ask('/v3/users', { as, method: 'POST', body: { username: 'jane', password, name: 'Jane Doe' } });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(
    [made.body['username'], made.body['name'], made.body['enabled'], 'password' in made.body],
    ['jane', 'Jane Doe', true, false],
  );
  const id = String(made.body['id']);
  const short = await rig.ask('/v3/users', { as, method: 'POST', body: { username: 'joe', password: 'short' } });
  assert.equal(short.status, 422);
  await eventually(() => rig.identity.users.find('jane') !== undefined);
  const found = await rig.ask('/v3/principals?action=search', { as, method: 'POST', body: { name: 'JA' } });
  assert.deepEqual(
    (found.body['data'] as JsonObject[]).map(one => [one['id'], one['loginName'], one['principalType'], one['me']]),
    [[`local://${id}`, 'jane', 'user', false]],
  );
  assert.equal((await rig.ask(`/v3/principals/local:%2F%2F${id}`, { as })).body['name'], 'Jane Doe');
  const listed = await rig.ask('/v3/principals?ID=thisisnotathingIhope&limit=-1', { as });
  assert.equal((listed.body['actions'] as JsonObject)['search'], `${rig.url}/v3/principals?action=search`);

  const set = await rig.ask(`/v3/users/${id}?action=setpassword`, { as, method: 'POST', body: { newPassword: 'another horse battery' } });
  assert.equal(set.status, 200, set.text);
  const login = (secret: string) =>
    rig.ask('/v1-public/login', { method: 'POST', body: { type: 'localProvider', username: 'jane', password: secret } });
  await eventually(async () => (await login('another horse battery')).status === 201);
  assert.equal((await login(password)).status, 401);
  assert.equal(
    (await rig.ask(`/v3/users/${id}`, { as, method: 'PUT', body: { username: 'other', enabled: false } })).body['username'],
    'jane',
  );
  await eventually(async () => (await login('another horse battery')).status === 403);
});

test('providers are shown without their secrets', async t => {
  const rig = await startRancherRig(t);
  const as = await rig.addPerson('admin', everything);
  await rig.hub.client.create(AuthConfig, {
    apiVersion: 'management.cattle.io/v3',
    kind: 'AuthConfig',
    metadata: { name: 'genericoidc' },
    type: 'genericOIDCConfig',
    issuer: 'https://id.example.com',
    clientSecret: 'cattle-global-data:secret',
  });
  const { type, baseType, issuer, enabled, clientSecret } = (await rig.ask('/v3/authconfigs/genericoidc', { as })).body;
  assert.deepEqual(
    [type, baseType, issuer, enabled, clientSecret],
    ['genericOIDCConfig', 'authConfig', 'https://id.example.com', false, undefined],
  );
  const changed = await rig.ask('/v3/authconfigs/genericoidc', { as, method: 'PUT', body: { accessMode: 'restricted', issuer: null } });
  assert.deepEqual([changed.status, changed.body['accessMode'], 'issuer' in changed.body], [200, 'restricted', false], changed.text);
  assert.equal((await rig.hub.client.get(AuthConfig, { name: 'genericoidc' }))?.['clientSecret'], 'cattle-global-data:secret');
});
