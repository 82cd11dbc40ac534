import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { eventually } from '../../../../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../../../../test/helpers/memory-hub.ts';
import { startOidcProvider } from '../../../../../test/helpers/oidc-provider.ts';
import { Namespace, Secret } from '../../../../api/builtin-kinds.ts';
import type { Kind } from '../../../../api/define-kind.ts';
import { withType } from '../../../../api/define-kind.ts';
import { StatusError } from '../../../../api/status.ts';
import { createEgress } from '../../../../sources/egress.ts';
import { ClusterRoleTemplateBinding, GlobalRole, GlobalRoleBinding, ProjectRoleTemplateBinding } from '../../kinds/role.ts';
import { AuthConfig, Token, User, UserAttribute } from '../../kinds/user.ts';
import { normanErrorOf } from '../../v3/norman-error.ts';
import { rancherIdentity } from '../identity.ts';
import { publicRoutes } from '../public-routes.ts';
import { userNameOf } from './external-user.ts';
import { stateKey } from './login-state.ts';
import { oidcClient } from './oidc-client.ts';
import { oidcRoutes, oidcSignInProvider } from './oidc-routes.ts';
import { oidcSignIn } from './oidc-sign-in.ts';
import { clientSecrets } from './client-secret.ts';
import { runOidc } from './run-oidc.ts';

const kinds = [
  User,
  UserAttribute,
  Token,
  AuthConfig,
  GlobalRole,
  GlobalRoleBinding,
  ClusterRoleTemplateBinding,
  ProjectRoleTemplateBinding,
];
const redirectUri = 'https://hub.example.com/verify-auth';
const settings = { 'auth-user-session-ttl-minutes': 60, 'auth-user-info-max-age-seconds': 3600 } as Record<string, number>;

/** A hub whose people sign in with a real provider. */
async function start(t: TestContext, config: object = {}, { allow = ['127.0.0.1/32'] } = {}) {
  const provider = await startOidcProvider(t, { redirectUri });
  provider.accounts.set('jane', { name: 'Jane Doe', email: 'jane@example.com', groups: ['dev', 'ops'] });
  const { client: hub } = await startMemoryHub(t, kinds as unknown as Kind[]);
  for (const name of ['cattle-system', 'cattle-global-data', 'cattle-local-user-passwords'])
    await hub.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await hub.create(Secret, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'cattle-global-data', name: 'genericoidcconfig-clientsecret' },
    data: { clientsecret: Buffer.from(provider.clientSecret).toString('base64') },
  });
  await hub.create(GlobalRole, withType(GlobalRole, { metadata: { name: 'user' }, newUserDefault: true }));
  await hub.create(GlobalRole, withType(GlobalRole, { metadata: { name: 'admin' } }));
  await hub.create(
    AuthConfig,
    withType(AuthConfig, {
      metadata: { name: 'genericoidc' },
      type: 'genericOIDCConfig',
      enabled: true,
      issuer: provider.issuer,
      clientId: provider.clientId,
      clientSecret: 'cattle-global-data:genericoidcconfig-clientsecret',
      rancherUrl: redirectUri,
      scope: 'openid profile email groups',
      ...config,
    }) as AuthConfig,
  );
  const stop = new AbortController();
  t.after(() => stop.abort());
  const { signal } = stop;
  const onError = () => () => {};
  const numbers = { number: (name: string) => settings[name] ?? 0 };
  const identity = rancherIdentity({ hub, settings: numbers, signal, onError });
  await identity.objects.synced;
  const client = oidcClient({ egress: createEgress({ allow }), readSecret: clientSecrets(hub) });
  const signIn = oidcSignIn({ hub, objects: identity.objects, client, key: stateKey('key of the hub') });
  const routes = oidcRoutes({ signIn, tokens: identity.tokens });
  const open = publicRoutes({
    authTokens: identity.authTokens,
    programLogins: identity.programLogins,
    tokens: identity.tokens,
    providers: [oidcSignInProvider(signIn)],
    base: () => 'https://hub.example.com',
    bodyLimit: () => 1024 * 1024,
  });
  const server = createServer((req, res) => {
    const own = routes.handles((req.url ?? '').split('?', 1)[0]!) ? routes : open;
    own.handle(req, res).catch((error: unknown) => {
      const { status, message } = normanErrorOf(error);
      res.writeHead(status).end(message);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const get = (path: string, cookie = '') =>
    fetch(url + path, { redirect: 'manual', headers: { cookie }, signal: AbortSignal.timeout(10_000) });

  /** As far as the return from the provider. */
  async function leave(account: string, path = '/v1-public/oidc/start') {
    const away = await get(path);
    assert.equal(away.status, 302, await away.text());
    const cookie = cookieOf(away, '__Host-R_OIDC')!;
    const back = await provider.signIn(away.headers.get('location')!, account);
    return { away: new URL(away.headers.get('location')!), cookie, back: back.pathname + back.search };
  }

  async function enter(account: string, path?: string) {
    const { cookie, back } = await leave(account, path);
    const res = await get(back, cookie);
    const session = cookieOf(res, 'R_SESS')?.replace('R_SESS=', '');
    return { res, session, user: session === undefined ? undefined : identity.tokens.verify(session)?.user };
  }

  const post = (path: string, body: object, cookie: string) =>
    fetch(url + path, { method: 'POST', headers: { cookie }, body: JSON.stringify(body), signal: AbortSignal.timeout(10_000) });
  return { provider, hub, identity, client, signal, numbers, get, post, leave, enter };
}

function cookieOf(res: Response, name: string): string | undefined {
  return res.headers
    .getSetCookie()
    .find(line => line.startsWith(`${name}=`))
    ?.split(';')[0];
}

test('who signs in with the provider is a user with the roles of new users and with their groups', async t => {
  const { hub, enter, provider } = await start(t);
  const { res, session, user } = await enter('jane', '/v1-public/oidc/start?back=/v3/clusters');
  assert.deepEqual([res.status, res.headers.get('location')], [302, '/v3/clusters']);
  for (const attribute of ['HttpOnly', 'Secure', 'SameSite=Lax', 'Path=/'])
    assert.ok(
      res.headers
        .getSetCookie()
        .find(line => line.startsWith('R_SESS='))
        ?.includes(attribute),
      attribute,
    );
  const name = userNameOf('genericoidc_user://jane');
  assert.match(name, /^u-[a-z2-7]{10}$/);
  assert.equal(user?.name, name);
  assert.deepEqual(
    user?.groups.filter(group => group.includes('://')),
    ['genericoidc_group://dev', 'genericoidc_group://ops'],
  );
  const made = await hub.get(User, { name });
  assert.deepEqual([made?.displayName, made?.principalIds], ['Jane Doe', ['genericoidc_user://jane', `local://${name}`]]);
  assert.equal(made?.metadata.annotations?.['drover.io/default-roles-pending'], undefined);
  const { items } = await hub.list(GlobalRoleBinding);
  assert.deepEqual(
    items.map(one => [one.globalRoleName, one.userName]),
    [['user', name]],
  );
  const { items: tokens } = await hub.list(Token);
  assert.equal(tokens[0]?.authProvider, 'genericoidc');
  assert.ok(!JSON.stringify(tokens).includes(session!.split(':')[1]!), 'the key is not kept');
  assert.ok(provider.asked.includes('GET /me'), 'groups came from the userinfo of the provider');
});

test('who returns is the same user; what an administrator has changed stays', async t => {
  const { hub, enter, provider } = await start(t);
  const first = await enter('jane');
  const { items } = await hub.list(GlobalRoleBinding);
  await hub.delete(GlobalRoleBinding, { name: items[0]!.metadata.name! });
  provider.accounts.get('jane')!.groups = ['dev'];
  const second = await enter('jane');
  assert.equal(second.user?.name, first.user?.name);
  assert.ok(!second.user?.groups.includes('genericoidc_group://ops'));
  assert.equal((await hub.list(GlobalRoleBinding)).items.length, 0);
  assert.equal((await hub.list(User)).items.length, 1);
});

test('the question to the provider has PKCE, a state and a nonce, and an answer is good once and for who asked', async t => {
  const { leave, get } = await start(t);
  const { away, cookie, back } = await leave('jane');
  const query = away.searchParams;
  assert.deepEqual(
    [query.get('code_challenge_method'), query.get('response_type'), query.get('redirect_uri')],
    ['S256', 'code', redirectUri],
  );
  for (const name of ['state', 'nonce', 'code_challenge']) assert.ok((query.get(name)?.length ?? 0) >= 43, name);

  assert.equal((await get(back)).status, 401, 'without the cookie of the browser that asked');
  const other = await leave('jane');
  assert.equal((await get(back, other.cookie)).status, 401, 'with the cookie of another question');
  assert.equal((await get(back.replace(/state=[^&]+/, 'state=x'), cookie)).status, 401);
  assert.equal((await get(back.replace(/code=[^&]+/, ''), cookie)).status, 401);
  assert.equal(
    (await get(`${back}&iss=https://evil.example.com`.replace(/([&?])iss=http%3A[^&]*/, ''), cookie)).status,
    401,
    'of another provider',
  );
  assert.equal((await get(back, cookie)).status, 302);
  assert.equal((await get(back, cookie)).status, 401, 'twice');
  assert.equal((await get(other.back.replace(/code=[^&]+/, 'code=guessed'), other.cookie)).status, 401);
});

test("clients of Rancher's API find the provider, and bring what it gave them", async t => {
  const { get, post, leave, identity } = await start(t);
  const { data } = (await (await get('/v3-public/authProviders')).json()) as {
    data: { type: string; redirectUrl: string; actions: object }[];
  };
  const [shown] = data;
  assert.deepEqual([shown?.type, shown?.redirectUrl], ['genericOIDCProvider', 'https://hub.example.com/v1-public/oidc/start']);
  const login = '/v3-public/genericOIDCProviders/genericoidc?action=login';
  assert.deepEqual(shown?.actions, { login: `https://hub.example.com${login}` });
  const { cookie, back } = await leave('jane');
  const { code, state } = Object.fromEntries(new URL(back, 'https://hub.example.com').searchParams);
  assert.equal((await post(login, { code, state }, '')).status, 401);
  assert.equal((await post(login, { code, state: {} }, cookie)).status, 401);
  const made = await post(login, { code, state, responseType: 'kubeconfig_c-abcde' }, cookie);
  assert.equal(made.status, 201);
  const { token } = (await made.json()) as { token: string };
  const known = identity.tokens.verify(token);
  assert.deepEqual([known?.token.clusterName, known?.token.authProvider], ['c-abcde', 'genericoidc']);
  assert.equal((await post(login, { code, state }, cookie)).status, 401, 'twice');
});

test('the mode of the provider decides who comes in, and nothing is made of who does not', async t => {
  const { hub, enter } = await start(t, { accessMode: 'required', allowedPrincipalIds: ['genericoidc_group://admins'] });
  assert.equal((await enter('jane')).res.status, 403);
  assert.deepEqual([(await hub.list(User)).items, (await hub.list(Token)).items, (await hub.list(UserAttribute)).items], [[], [], []]);
  const allow = (allowedPrincipalIds: string[]) =>
    hub.patch(AuthConfig, { name: 'genericoidc' }, { type: 'merge', body: { allowedPrincipalIds } });
  await allow(['genericoidc_group://ops']);
  await eventually(
    async () => (await enter('jane')).res.status,
    status => status === 302,
  );
});

test('a provider that is disabled opens nothing from that moment on', async t => {
  const { hub, enter, identity, get } = await start(t);
  const { session } = await enter('jane');
  assert.ok(identity.tokens.verify(session!));
  await hub.patch(AuthConfig, { name: 'genericoidc' }, { type: 'merge', body: { enabled: false } });
  await eventually(() => identity.tokens.verify(session!) === undefined);
  assert.equal((await get('/v1-public/oidc/start')).status, 404);
});

test('a user who is disabled does not come in again', async t => {
  const { hub, enter, identity } = await start(t);
  const { user } = await enter('jane');
  await hub.patch(User, { name: user!.name }, { type: 'merge', body: { enabled: false } });
  await eventually(() => identity.objects.users.get(user!.name)?.enabled === false);
  assert.equal((await enter('jane')).res.status, 403);
});

test('what the provider says is asked for again, and whom it does not know any more loses their sessions', async t => {
  const { hub, enter, identity, provider, client, signal, numbers } = await start(t);
  const { user, session } = await enter('jane');
  runOidc({ hub, objects: identity.objects, settings: numbers, client, signal });
  const again = () => hub.patch(UserAttribute, { name: user!.name }, { type: 'merge', body: { lastRefresh: '2020-01-01T00:00:00Z' } });
  provider.accounts.get('jane')!.groups = ['new'];
  await again();
  await eventually(() => identity.tokens.verify(session!)?.user.groups.includes('genericoidc_group://new'));
  provider.accounts.delete('jane');
  await again();
  await eventually(() => identity.tokens.verify(session!) === undefined);
  assert.deepEqual((await hub.list(Token)).items, []);
});

test('a provider is asked only where the operator of the hub allows it', async t => {
  const { provider, get } = await start(t, {}, { allow: [] });
  const res = await get('/v1-public/oidc/start');
  assert.equal(res.status, 503);
  assert.ok(!(await res.text()).includes('127.0.0.1'), 'what is where is not told');
  assert.deepEqual(provider.asked, []);
});

test('the secret of the provider stays out of what people are told', async t => {
  const { get, provider, hub } = await start(t);
  await hub.patch(AuthConfig, { name: 'genericoidc' }, { type: 'merge', body: { clientSecret: provider.clientSecret } });
  const res = await eventually(
    () => get('/v1-public/oidc/start'),
    answer => answer.status === 503,
  );
  assert.ok(!(await res.text()).includes(provider.clientSecret));
});

test('the Secret of a provider is one of those that are there for it', async t => {
  const { hub } = await start(t);
  await assert.rejects(clientSecrets(hub)('no-such', AbortSignal.timeout(5000)), (error: Error) => !(error instanceof StatusError));
});
