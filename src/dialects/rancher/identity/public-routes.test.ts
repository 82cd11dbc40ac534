import assert from 'node:assert/strict';
import { ServerResponse, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { unauthorized } from '../../../api/status.ts';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { goodPassword, startIdentityRig, type IdentityRig } from '../../../../test/helpers/identity-rig.ts';
import { AuthConfig, User } from '../kinds/user.ts';
import { normanErrorOf } from '../v3/norman-error.ts';
import { publicRoutes, type PublicRoutes } from './public-routes.ts';
import { localSignIn, type SignInProvider } from './sign-in-provider.ts';

const loginPath = '/v3-public/localProviders/local?action=login';
const jane = { username: 'jane', password: goodPassword };

const post = ({ fetch }: IdentityRig, path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });

test('signing in gives a session, in the older and the newer way', async t => {
  const rig = await startIdentityRig(t);
  const user = await rig.addUser('jane');
  for (const [path, body] of [
    [loginPath, jane],
    ['/v3-public/localproviders/local?action=login', { ...jane, responseType: 'json', ttl: 1 }],
    ['/v1-public/login', { ...jane, type: 'localProvider' }],
  ] as const) {
    const answer = await post(rig, path, body);
    assert.equal(answer.status, 201, path);
    const token = (await answer.json()) as Record<string, string>;
    assert.deepEqual([token['type'], token['baseType'], token['userId']], ['token', 'token', user.metadata.name]);
    const known = rig.identity.tokens.verify(token['token']!);
    assert.equal(known?.token.metadata.name, token['id']);
    assert.equal(known?.token.expiresAt, token['expiresAt']);
    assert.equal(known?.token.ttl, 960 * 60_000);
  }
});

test('a browser gets the session in a cookie, and loses it when it signs out', async t => {
  const rig = await startIdentityRig(t);
  await rig.addUser('jane');
  const answer = await post(rig, loginPath, { ...jane, responseType: 'cookie' });
  assert.equal(answer.status, 200);
  assert.equal(await answer.text(), '');
  const [session = '', csrf = ''] = answer.headers.getSetCookie();
  assert.match(session, /^R_SESS=token-[a-z0-9]+:[a-z0-9]{54}; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
  assert.match(csrf, /^CSRF=[0-9a-f]{32}; Path=\/; Secure; SameSite=Lax$/);
  const bearer = /R_SESS=([^;]+)/.exec(session)![1]!;
  const cookie = `${session.split(';')[0]}; ${csrf.split(';')[0]}`;

  const without = await post(rig, '/v1/logout', {}, { cookie });
  assert.equal(without.status, 422);
  assert.equal(((await without.json()) as { code: string }).code, 'InvalidCSRFToken');
  assert.ok(rig.identity.tokens.verify(bearer));
  const out = await post(rig, '/v1/logout', {}, { cookie, 'x-api-csrf': /CSRF=([0-9a-f]+)/.exec(csrf)![1]! });
  assert.equal(out.status, 200);
  assert.match(out.headers.getSetCookie()[0] ?? '', /^R_SESS=; Path=\/; Max-Age=0/);
  assert.equal(rig.identity.tokens.verify(bearer), undefined);
  assert.equal((await post(rig, '/v1/logout', {}, { cookie })).status, 401);
});

test('kubeconfig tokens are for one cluster when that is asked for', async t => {
  const rig = await startIdentityRig(t);
  await rig.addUser('jane');
  for (const [responseType, cluster] of [
    ['kubeconfig', undefined],
    ['kubeconfig_c-m-ab12cd34', 'c-m-ab12cd34'],
  ] as const) {
    const answer = await post(rig, loginPath, { ...jane, responseType });
    assert.equal(answer.status, 201);
    const { id, token } = (await answer.json()) as Record<string, string>;
    assert.match(id!, /^kubeconfig-u-/);
    assert.equal(rig.identity.tokens.verify(token!)?.token.clusterName, cluster);
  }
});

test('wrong users and wrong passwords are told the same', async t => {
  const rig = await startIdentityRig(t);
  await rig.addUser('jane');
  const answers = await Promise.all(
    [
      { ...jane, password: 'wrong horse battery' },
      { ...jane, username: 'nobody' },
    ].map(async body => {
      const answer = await post(rig, loginPath, body);
      return [answer.status, await answer.text(), Object.fromEntries([...answer.headers].filter(([name]) => name !== 'date'))] as const;
    }),
  );
  assert.deepEqual(answers[0], answers[1]);
  assert.equal(answers[0]![0], 401);
  assert.deepEqual(JSON.parse(answers[0]![1]), {
    type: 'error',
    baseType: 'error',
    status: 401,
    code: 'Unauthorized',
    message: 'authentication failed',
  });
});

test('disabled users, bodies that make no sense and other methods are refused', async t => {
  const rig = await startIdentityRig(t);
  const user = await rig.addUser('jane');
  const refused = async (answer: Response) => [answer.status, ((await answer.json()) as { code: string }).code];
  assert.deepEqual(await refused(await rig.fetch(loginPath, { method: 'POST', body: '{' })), [422, 'InvalidBodyContent']);
  assert.deepEqual(await refused(await post(rig, loginPath, { username: {}, password: [] })), [422, 'InvalidBodyContent']);
  assert.deepEqual(await refused(await post(rig, loginPath, { ...jane, responseType: 'page' })), [422, 'InvalidOption']);
  assert.deepEqual(await refused(await post(rig, loginPath, { ...jane, ttl: 'soon' })), [422, 'InvalidFormat']);
  assert.deepEqual(await refused(await post(rig, loginPath, 'x'.repeat(1_100_000))), [413, 'MaxLimitExceeded']);
  assert.deepEqual(await refused(await post(rig, '/v3-public/localProviders/local?action=remove', jane)), [422, 'InvalidAction']);
  assert.deepEqual(await refused(await post(rig, '/v3-public/githubProviders/github?action=login', jane)), [404, 'NotFound']);
  assert.deepEqual(await refused(await post(rig, '/v1-public/login', { ...jane, type: 'githubProvider' })), [422, 'InvalidBodyContent']);
  assert.deepEqual(await refused(await rig.fetch(loginPath, { method: 'PUT', body: '{}' })), [405, 'MethodNotAllow']);
  assert.deepEqual(await refused(await rig.fetch('/v1-public/login')), [405, 'MethodNotAllow']);
  const foreign = { origin: 'https://evil.example.com' };
  assert.deepEqual(await refused(await post(rig, loginPath, { ...jane, responseType: 'cookie' }, foreign)), [403, 'PermissionDenied']);
  await rig.client.patch(User, { name: user.metadata.name! }, { type: 'merge', body: { enabled: false } });
  await eventually(async () => (await post(rig, loginPath, jane)).status === 403);
  assert.deepEqual(await refused(await post(rig, loginPath, jane)), [403, 'PermissionDenied']);
});

test('reading the login action signs nobody in', async t => {
  const rig = await startIdentityRig(t);
  const answer = await rig.fetch(`${loginPath}&username=jane&password=x`);
  assert.equal(answer.status, 200);
  assert.equal(((await answer.json()) as { id: string }).id, 'local');
});

test('guesses at one name are slowed down, from wherever they come, and other names are not', async t => {
  const { identity, addUser } = await startIdentityRig(t);
  const user = await addUser('jane');
  // As the passwords of the hub, but for the time that each takes.
  const quick: SignInProvider = {
    ...localSignIn(identity.users, identity.objects.providers),
    async signIn({ password }) {
      if (password !== goodPassword) throw unauthorized();
      return { user };
    },
  };
  let nowMs = 0;
  const routes = publicRoutes({
    tokens: identity.tokens,
    authTokens: identity.authTokens,
    programLogins: identity.programLogins,
    providers: [quick],
    base: () => 'https://hub',
    bodyLimit: () => 1024 * 1024,
    now: () => nowMs,
  });
  const attempt = (body: object, i: number) => codeFor(routes, body, `10.0.0.${i}`);
  for (let i = 0; i < 30; i++) assert.equal(await attempt({ ...jane, password: `guess number ${i}` }, i), 401);
  assert.equal(await attempt({ ...jane, password: 'one more' }, 100), 429);
  assert.equal(await attempt(jane, 200), 429, 'also when the password is right');
  assert.equal(await attempt({ ...jane, username: 'joe' }, 200), 201);
  nowMs += 2000;
  assert.equal(await attempt(jane, 200), 201);
});

test('guesses from one address are slowed down, whatever name they are at', async t => {
  const { identity } = await startIdentityRig(t);
  const nobody: SignInProvider = {
    ...localSignIn(identity.users, identity.objects.providers),
    signIn: () => Promise.reject(unauthorized()),
  };
  const routes = publicRoutes({
    tokens: identity.tokens,
    authTokens: identity.authTokens,
    programLogins: identity.programLogins,
    providers: [nobody],
    base: () => 'https://hub',
    bodyLimit: () => 1024 * 1024,
    now: () => 0,
  });
  const attempt = (i: number, address: string) => codeFor(routes, { ...jane, username: `name-${i}` }, address);
  for (let i = 0; i < 30; i++) assert.equal(await attempt(i, '10.0.0.1'), 401);
  assert.equal(await attempt(30, '10.0.0.1'), 429);
  assert.equal(await attempt(31, '10.0.0.2'), 401);
});

/** How somebody at an address is answered. */
async function codeFor(routes: PublicRoutes, body: object, remoteAddress: string): Promise<number> {
  const req = Object.assign(Readable.from([Buffer.from(JSON.stringify(body))]), {
    method: 'POST',
    url: loginPath,
    headers: {},
    rawHeaders: [],
    complete: true,
    socket: { remoteAddress },
  }) as unknown as IncomingMessage;
  const res = new ServerResponse(req);
  try {
    await routes.handle(req, res);
    return res.statusCode;
  } catch (error) {
    return normanErrorOf(error).status;
  }
}

test('providers are listed while they are enabled', async t => {
  const rig = await startIdentityRig(t);
  for (const path of ['/v3-public/authProviders', '/v1-public/authproviders']) {
    const answer = await rig.fetch(path);
    const { data } = (await answer.json()) as { data: { id: string; type: string; actions: object }[] };
    assert.deepEqual(
      data.map(({ id, type, actions }) => ({ id, type, actions })),
      [{ id: 'local', type: 'localProvider', actions: { login: 'https://hub.example.com/v3-public/localProviders/local?action=login' } }],
    );
    assert.match(answer.headers.getSetCookie()[0] ?? '', /^CSRF=/);
  }
  const local = {
    apiVersion: 'management.cattle.io/v3',
    kind: 'AuthConfig',
    metadata: { name: 'local' },
    type: 'localConfig',
    enabled: false,
  };
  await rig.client.create(AuthConfig, local);
  await eventually(async () => {
    const { data } = (await (await rig.fetch('/v3-public/authProviders')).json()) as { data: unknown[] };
    return data.length === 0;
  });
  assert.equal((await post(rig, loginPath, jane)).status, 404);
});
