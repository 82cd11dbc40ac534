import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { test, type TestContext } from 'node:test';
import { startPlainServer } from '../../../../../test/helpers/source-server.ts';
import { jwkOf, signJwt, tokenKey } from '../../../../auth/jwt.ts';
import { createEgress } from '../../../../sources/egress.ts';
import { errorText } from '../../../../util/error-text.ts';
import { newLoginState } from './login-state.ts';
import { oidcClient, RefusedByProvider } from './oidc-client.ts';
import type { OidcConfig } from './oidc-config.ts';

const { signal } = new AbortController();
const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const secret = 'the secret of the client';

/** A provider that does as it is told. */
async function start(t: TestContext) {
  let key: KeyObject = newKey();
  let claims: object = {};
  const answers: Record<string, object | string> = {};
  const posted: { authorization: string | undefined; body: URLSearchParams }[] = [];
  let nowMs = Date.now();
  const server = await startPlainServer(t, (req, res) => {
    void (async () => {
      const path = (req.url ?? '').split('?', 1)[0]!;
      if (req.method === 'POST') posted.push({ authorization: req.headers.authorization, body: new URLSearchParams(await bodyOf(req)) });
      const answer = answers[path];
      res.writeHead(answer === undefined ? 404 : 'error' in Object(answer) ? 400 : 200);
      res.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    })();
  });
  const issuer = `http://127.0.0.1:${server.port}`;
  const config: OidcConfig = {
    issuer,
    clientId: 'hub',
    clientSecretName: 'x',
    redirectUrl: 'https://hub.example.com/verify-auth',
    scope: 'openid',
    groupsClaim: 'groups',
    nameClaim: 'name',
    emailClaim: 'email',
    certificate: undefined,
    accessMode: 'unrestricted',
    allowedPrincipalIds: [],
  };
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize?prompt=login`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    userinfo_endpoint: `${issuer}/me`,
  };
  const state = newLoginState('/', nowMs);
  const client = oidcClient({
    egress: createEgress({ allow: ['127.0.0.1/32'] }),
    readSecret: async () => secret,
    now: () => nowMs,
  });
  const publish = (more: object = {}) => (answers['/.well-known/openid-configuration'] = { ...metadata, ...more });
  publish();
  return {
    issuer,
    config,
    client,
    state,
    answers,
    posted,
    server,
    publish,
    later: (ms: number) => (nowMs += ms),
    changeKey: () => (key = newKey()),
    /** What the token endpoint says. */
    say(more: object = {}) {
      const now = Math.floor(nowMs / 1000);
      claims = {
        iss: issuer,
        aud: 'hub',
        sub: 'jane',
        nonce: state.nonce,
        iat: now,
        exp: now + 300,
        name: 'Jane',
        groups: ['dev'],
        ...more,
      };
      answers['/keys'] = { keys: [jwkOf(tokenKey(key))] };
      answers['/token'] = { id_token: signJwt(key, tokenKey(key), claims), access_token: 'access', token_type: 'Bearer' };
    },
    redeem: () => client.redeem(config, 'code', state, signal),
  };
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function failure(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => assert.fail('it worked'),
    (error: unknown) => error as Error,
  );
  assert.ok(!errorText(error).includes(secret) && !errorText(error).includes('access'), errorText(error));
  return errorText(error);
}

test('the hub shows its secret as the provider wants it, and proves that it asked', async t => {
  const rig = await start(t);
  rig.say();
  assert.deepEqual((await rig.redeem()).identity, {
    principal: 'genericoidc_user://jane',
    displayName: 'Jane',
    loginName: 'jane',
    groups: ['genericoidc_group://dev'],
  });
  const [first] = rig.posted;
  assert.equal(first?.authorization, `Basic ${Buffer.from(`hub:${secret.replaceAll(' ', '+')}`).toString('base64')}`);
  assert.deepEqual([first?.body.get('code'), first?.body.get('code_verifier')], ['code', rig.state.verifier]);
  assert.equal(first?.body.get('client_secret'), null);

  const other = await start(t);
  other.publish({ token_endpoint_auth_methods_supported: ['client_secret_post'] });
  other.say();
  await other.redeem();
  assert.deepEqual([other.posted[0]?.authorization, other.posted[0]?.body.get('client_secret')], [undefined, secret]);
});

test('what the address of the provider asks for stays in it', async t => {
  const rig = await start(t);
  const url = new URL(await rig.client.authorizationUrl(rig.config, rig.state, signal));
  assert.deepEqual([url.searchParams.get('prompt'), url.searchParams.get('client_id')], ['login', 'hub']);
});

test('a provider that calls itself otherwise is not believed', async t => {
  const rig = await start(t);
  rig.publish({ issuer: 'https://other.example.com' });
  assert.match(await failure(rig.redeem()), /calls itself "https:\/\/other.example.com"/);
});

test('a provider leads the hub nowhere that its operator does not allow', async t => {
  const inner = await startPlainServer(t, (_req, res) => void res.end('{}'), '127.0.0.2');
  for (const name of ['token_endpoint', 'jwks_uri', 'userinfo_endpoint']) {
    const rig = await start(t);
    rig.publish({ [name]: `http://127.0.0.2:${inner.port}/` });
    rig.say({ groups: undefined });
    assert.match(await failure(rig.redeem()), /refused to ask/, name);
  }
  for (const address of ['http://169.254.169.254/', 'file:///etc/passwd', 'https://[::1]/']) {
    const rig = await start(t);
    rig.publish({ token_endpoint: address });
    assert.match(await failure(rig.redeem()), /refused to ask|does not say/, address);
  }
  assert.equal(inner.requests.length, 0);
});

test('keys that a provider has changed are asked for again, and not more often than that', async t => {
  const rig = await start(t);
  rig.say();
  await rig.redeem();
  rig.changeKey();
  rig.say();
  assert.match(await failure(rig.redeem()), /signature/);
  const asked = () => rig.server.requests.filter(({ url }) => url === '/keys').length;
  assert.equal(asked(), 1);
  rig.later(31_000);
  rig.say();
  await rig.redeem();
  assert.equal(asked(), 2);
});

test('names and groups come from the userinfo when the token has none, and are about the same person', async t => {
  const rig = await start(t);
  rig.say({ groups: undefined });
  rig.answers['/me'] = { sub: 'jane', groups: ['ops'] };
  assert.deepEqual((await rig.redeem()).identity.groups, ['genericoidc_group://ops']);
  rig.answers['/me'] = { sub: 'joe', groups: ['ops'] };
  assert.match(await failure(rig.redeem()), /somebody else/);
});

test('refusals are told from trouble', async t => {
  const rig = await start(t);
  rig.say();
  rig.answers['/token'] = { error: 'invalid_grant', error_description: 'access' };
  await assert.rejects(rig.redeem(), RefusedByProvider);
  rig.answers['/token'] = { error: 'temporarily_unavailable' };
  assert.match(await failure(rig.redeem()), /answered 400 "temporarily_unavailable"/);
  rig.answers['/token'] = 'no JSON';
  assert.match(await failure(rig.redeem()), /answered 200/);
  rig.answers['/token'] = 'x'.repeat(2_000_000);
  assert.match(await failure(rig.redeem()), /more than the 1048576 bytes/);
  rig.answers['/token'] = { access_token: 'access' };
  assert.match(await failure(rig.redeem()), /no ID token/);
});
