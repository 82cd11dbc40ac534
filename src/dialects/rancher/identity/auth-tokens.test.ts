import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { startIdentityRig, type IdentityRig } from '../../../../test/helpers/identity-rig.ts';
import { askingProgram, goKey } from '../../../../test/helpers/program-key.ts';
import { SamlToken, Token } from '../kinds/user.ts';
import { parseProgramKey } from './program-key.ts';

const { requestId, publicKey, decrypt } = askingProgram();

async function start(t: TestContext) {
  const rig = await startIdentityRig(t);
  const user = await rig.addUser('jane');
  const { bearer } = await rig.identity.tokens.issue({ user, kind: 'session' });
  const asked = { requestId, publicKey, responseType: 'kubeconfig_c-m-ab12cd34' };
  const grant = (body: object, headers: Record<string, string> = { authorization: `Bearer ${bearer}` }) =>
    rig.fetch('/v3-public/authTokens', { method: 'POST', headers, body: JSON.stringify(body) });
  return { rig, user, bearer, asked, grant };
}

const codeOf = async (answer: Response) => [answer.status, ((await answer.json()) as { code: string }).code];
const tokensOf = async ({ client }: IdentityRig) => (await client.list(Token)).items.map(({ metadata }) => metadata.name!);

for (const place of ['/v3-public/authTokens', '/v1-public/authtokens'])
  test(`a program picks up at ${place} what somebody allowed it in the browser`, async t => {
    const { rig, user, asked, grant } = await start(t);
    const path = `${place}/${requestId}`;
    assert.deepEqual(await codeOf(await rig.fetch(path)), [404, 'NotFound']);
    const granted = await grant(asked);
    assert.equal(granted.status, 201);
    assert.equal(((await granted.json()) as { token?: string }).token, undefined, 'the browser does not get it');

    const answer = (await (await rig.fetch(path)).json()) as { token: string; expiresAt: string; type: string };
    const known = rig.identity.tokens.verify(decrypt(answer.token));
    assert.deepEqual([known?.user.name, known?.token.clusterName, known?.token.isDerived], [user.metadata.name, 'c-m-ab12cd34', true]);
    assert.equal(known?.token.expiresAt, answer.expiresAt);
    assert.ok(Date.parse(answer.expiresAt) > Date.now());

    assert.equal((await rig.fetch(path, { method: 'DELETE' })).status, 204);
    assert.equal((await rig.fetch(path)).status, 404);
    assert.equal((await rig.fetch(path, { method: 'DELETE' })).status, 204, 'as often as it likes');
    assert.equal((await rig.fetch(path, { method: 'PUT', body: '{}' })).status, 405);
  });

test('nothing is allowed without somebody who is signed in and means it', async t => {
  const { rig, bearer, user, asked, grant } = await start(t);
  const before = await tokensOf(rig);
  assert.deepEqual(await codeOf(await grant(asked, {})), [401, 'Unauthorized']);
  assert.deepEqual(await codeOf(await grant(asked, { cookie: `R_SESS=${bearer}` })), [422, 'InvalidCSRFToken']);
  const { bearer: bound } = await rig.identity.tokens.issue({ user, kind: 'api', clusterId: 'c-m-ab12cd34' });
  assert.deepEqual(await codeOf(await grant(asked, { authorization: `Bearer ${bound}` })), [401, 'Unauthorized']);
  assert.equal((await rig.fetch('/v3-public/authTokens')).status, 405);
  assert.equal((await rig.fetch(`/v3-public/authTokens/${requestId}`)).status, 404);
  assert.equal((await tokensOf(rig)).length, before.length + 1);
});

test('a request that makes no sense, or was granted already, leaves no token behind', async t => {
  const { rig, asked, grant } = await start(t);
  const small = goKey(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey);
  for (const [wrong, code] of [
    [{ requestId: 'short' }, 'InvalidFormat'],
    [{ requestId: '../../../etc/passwd-etc-passwd' }, 'InvalidFormat'],
    [{ requestId: undefined }, 'InvalidFormat'],
    [{ publicKey: small }, 'InvalidFormat'],
    [{ publicKey: Buffer.from('{"N":12,"E":3}').toString('base64') }, 'InvalidFormat'],
    [{ publicKey: 'x'.repeat(100_000) }, 'InvalidFormat'],
    [{ publicKey: { N: 1 } }, 'InvalidFormat'],
    [{ responseType: 'json' }, 'InvalidOption'],
    [{ responseType: 'cookie' }, 'InvalidOption'],
  ] as const)
    assert.deepEqual(await codeOf(await grant({ ...asked, ...wrong })), [422, code], JSON.stringify(wrong));
  assert.equal((await tokensOf(rig)).length, 1);
  const twice = await Promise.all([grant(asked), grant({ ...asked, responseType: 'kubeconfig' })]);
  assert.deepEqual(twice.map(({ status }) => status).sort(), [201, 409]);
  assert.equal((await tokensOf(rig)).length, 2);
  assert.deepEqual(await codeOf(await grant(asked)), [409, 'AlreadyExists']);
});

test('nobody fills the hub with what no program picks up', async t => {
  const { rig, asked, grant } = await start(t);
  const ids = Array.from({ length: 21 }, (_, i) => `${'a'.repeat(24)}${i}`);
  for (const id of ids.slice(0, 20)) assert.equal((await grant({ ...asked, requestId: id })).status, 201);
  assert.equal((await grant({ ...asked, requestId: ids[20] })).status, 429);
  await rig.fetch(`/v3-public/authTokens/${ids[0]}`, { method: 'DELETE' });
  assert.equal((await grant({ ...asked, requestId: ids[20] })).status, 201);
});

test('what nobody picks up goes after a quarter of an hour', async t => {
  const { rig, asked, grant } = await start(t);
  assert.equal((await grant(asked)).status, 201);
  assert.equal((await rig.client.list(SamlToken)).items.length, 1);
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 15 * 60_000 });
  rig.identity.run({ adminPassword: undefined });
  await eventually(async () => (await rig.client.list(SamlToken)).items.length === 0);
});

test('the key of a program is read to the last digit', () => {
  for (const modulusLength of [2048, 3072]) {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength });
    assert.ok(parseProgramKey(goKey(publicKey)).equals(publicKey));
  }
});

test('the program sends people to the page of the hub, with what it asks for and nothing else', async t => {
  const { rig } = await start(t);
  const query = new URLSearchParams({ cli: 'true', requestId, publicKey: 'a+b/c=', responseType: 'kubeconfig', back: '//evil.example' });
  const answer = await rig.fetch(`/dashboard/auth/login?${query.toString()}`, { redirect: 'manual' });
  assert.equal(answer.status, 302);
  const to = new URL(answer.headers.get('location')!, 'https://hub.example.com');
  assert.deepEqual([to.origin, to.pathname], ['https://hub.example.com', '/ui/allow']);
  assert.deepEqual(Object.fromEntries(to.searchParams), { requestId, publicKey: 'a+b/c=', responseType: 'kubeconfig' });
});
