import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { startIdentityRig } from '../../../../test/helpers/identity-rig.ts';
import { Secret } from '../../../api/builtin-kinds.ts';
import { passwordNamespace } from './identity-names.ts';
import { hashOf, loginLabel, parseLogin, readCode, secretName } from './program-login.ts';
import { programLogins } from './program-logins.ts';

const path = '/v1-public/programLogins';
const random = () => randomBytes(32).toString('base64url');

interface Begun {
  readonly code: string;
  readonly link: string;
  readonly page: string;
  readonly expiresAt: string;
}

async function start(t: TestContext) {
  const rig = await startIdentityRig(t);
  const user = await rig.addUser('jane');
  const { bearer } = await rig.identity.tokens.issue({ user, kind: 'session' });
  const jane = { authorization: `Bearer ${bearer}` };
  const post = (where: string, body: object, headers: Record<string, string> = {}) =>
    rig.fetch(path + where, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });
  const begin = async (more: object = {}) => {
    const verifier = random();
    const answer = await post('', { challenge: hashOf(verifier), program: 'drover on laptop', ...more });
    assert.equal(answer.status, 201);
    const begun = (await answer.json()) as Begun;
    const take = (body: object = {}) => post(`/${begun.code}?action=take`, { verifier, ...body });
    return { ...begun, verifier, take };
  };
  const decide = (code: string, action: 'allow' | 'deny', headers: Record<string, string> = jane) =>
    post(`/${code}?action=${action}`, {}, headers);
  return { rig, user, bearer, jane, post, begin, decide };
}

test('a program is given an ordinary token once somebody has compared the code and allowed it', async t => {
  const { rig, user, jane, begin, decide } = await start(t);
  const { code, link, page, take, expiresAt } = await begin({ ttl: 3_600_000 });
  assert.match(code, /^[B-Z]{4}-[B-Z]{4}$/);
  assert.deepEqual([page, link], ['https://hub.example.com/ui/allow', `https://hub.example.com/ui/allow?code=${code}`]);
  assert.ok(Date.parse(expiresAt) < Date.now() + 11 * 60_000);
  assert.equal((await take()).status, 202);

  assert.equal((await rig.fetch(`${path}/${code}`)).status, 401, 'strangers learn nothing');
  const shown = await rig.fetch(`${path}/${code.toLowerCase().replace('-', '')}`, { headers: jane });
  const { program, from, isHere, isDecided } = (await shown.json()) as Record<string, unknown>;
  assert.deepEqual([program, from, isHere, isDecided], ['drover on laptop', '127.0.0.1', false, false]);

  const allowed = await decide(code, 'allow');
  assert.deepEqual([allowed.status, await allowed.json()], [200, { type: 'programLogin' }]);
  const taken = await take();
  assert.equal(taken.status, 201);
  const { token, expiresAt: endsAt } = (await taken.json()) as { token: string; expiresAt: string };
  const known = rig.identity.tokens.verify(token);
  assert.deepEqual([known?.user.name, known?.token.isDerived], [user.metadata.name, true]);
  assert.deepEqual([known?.token.description, known?.token.ttl, known?.token.expiresAt], ['drover on laptop', 3_600_000, endsAt]);
  assert.equal((await take()).status, 404, 'once');
  assert.equal((await decide(code, 'allow')).status, 404);
});

test('of all who take at the same time, one gets it, and only with the secret', async t => {
  const { rig, begin, decide, post } = await start(t);
  const { code, take } = await begin();
  await decide(code, 'allow');
  assert.equal((await post(`/${code}?action=take`, { verifier: random() })).status, 404);
  assert.equal((await post(`/${code}?action=take`, {})).status, 404);
  const answers = await Promise.all([take(), take(), take()]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 404, 404]);
  const { items } = await rig.client.list(Secret, { namespace: passwordNamespace, labelSelector: 'drover.io/program-login' });
  assert.deepEqual(items, []);
});

test('a program on the same machine gets it by way of the browser there, and in no other', async t => {
  const { begin, decide } = await start(t);
  const { code, take } = await begin({ port: 41_234, state: 'a'.repeat(32) });
  const { returnTo } = (await (await decide(code, 'allow')).json()) as { returnTo: string };
  const back = new URL(returnTo);
  assert.deepEqual([back.origin, back.pathname, back.searchParams.get('state')], ['http://127.0.0.1:41234', '/', 'a'.repeat(32)]);
  assert.equal((await take()).status, 202, 'whoever sent the link to somebody else gets nothing');
  assert.equal((await take({ code: random() })).status, 404);
  assert.equal((await take({ code: back.searchParams.get('code') })).status, 201);
});

test('what is denied stays denied, and what is decided is decided once', async t => {
  const { begin, decide } = await start(t);
  const { code, take } = await begin();
  assert.equal((await decide(code, 'deny')).status, 200);
  assert.equal((await decide(code, 'allow')).status, 409);
  const answer = await take();
  assert.deepEqual([answer.status, ((await answer.json()) as { message: string }).message], [403, 'it was not allowed']);
  assert.equal((await take()).status, 404);
});

test('nobody decides without being signed in, nor for another site', async t => {
  const { rig, bearer, user, begin, decide } = await start(t);
  const { code, take } = await begin();
  assert.equal((await decide(code, 'allow', {})).status, 401);
  assert.equal((await decide(code, 'allow', { cookie: `R_SESS=${bearer}` })).status, 422);
  const { bearer: bound } = await rig.identity.tokens.issue({ user, kind: 'api', clusterId: 'c-m-ab12cd34' });
  assert.equal((await decide(code, 'allow', { authorization: `Bearer ${bound}` })).status, 401);
  assert.equal((await take()).status, 202);
});

test('what makes no sense is refused, and nobody is sent to another machine', async t => {
  const { post, rig } = await start(t);
  const good = { challenge: hashOf('x'), program: 'p', port: 1, state: 'a'.repeat(20) };
  for (const wrong of [
    { challenge: 'short' },
    { challenge: undefined },
    { program: '' },
    { program: 'a\u0007b' },
    { program: 'x'.repeat(201) },
    { port: 0 },
    { port: 70_000 },
    { port: '80' },
    { port: '1@evil.example.com' },
    { state: undefined },
    { state: 'a b' },
    { ttl: -1 },
  ])
    assert.equal((await post('', { ...good, ...wrong })).status, 422, JSON.stringify(wrong));
  assert.equal((await rig.fetch(path)).status, 405);
  assert.equal((await post('/BCDF-GHJK?action=burn', {})).status, 422);
  assert.equal((await post('/BCDF-GHJK?action=take', { verifier: 'x' })).status, 404);
  assert.equal((await post('/..%2f?action=take', { verifier: 'x' })).status, 404);
});

test('an address cannot ask without end, nor guess codes', async t => {
  const { post, rig, jane } = await start(t);
  const statuses = [];
  for (let i = 0; i < 31; i++) statuses.push((await post('', { challenge: hashOf(String(i)), program: 'p' })).status);
  assert.deepEqual([statuses.indexOf(429), statuses.filter(one => one === 201).length], [30, 30]);
  const guessed = [];
  for (let i = 0; i < 31; i++) guessed.push((await rig.fetch(`${path}/BCDF-GHJ${'BCDFGHJK'[i % 8]}`, { headers: jane })).status);
  assert.ok(guessed.includes(429));
});

test('codes are read as people type them', () => {
  assert.equal(readCode(' bcdfghjk '), 'BCDF-GHJK');
  assert.equal(readCode('bcdf-ghjk'), 'BCDF-GHJK');
  for (const wrong of ['', 'BCDF', 'ABCD-EFGH', 'BCDF--GHJK', '../../etc']) assert.equal(readCode(wrong), undefined);
});

test('codes that are too old are of no use, and go when the next one comes', async t => {
  const { client, identity } = await startIdentityRig(t);
  let nowMs = Date.now();
  const logins = programLogins({ hub: client, users: identity.objects.users, tokens: identity.tokens, now: () => nowMs });
  const login = () => parseLogin({ challenge: hashOf('secret'), program: 'p' }, { from: '::1', nowMs });
  const code = await logins.begin(login());
  assert.equal(await logins.take(code, { verifier: 'secret', pass: undefined }), undefined);
  nowMs += 11 * 60_000;
  await assert.rejects(logins.show(code), { code: 404 });
  await assert.rejects(logins.take(code, { verifier: 'secret', pass: undefined }), { code: 404 });
  const next = await logins.begin(login());
  const { items } = await client.list(Secret, { namespace: passwordNamespace, labelSelector: loginLabel });
  assert.deepEqual(
    items.map(({ metadata }) => metadata.name),
    [secretName(next)],
  );
});
