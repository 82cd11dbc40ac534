import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { Token, User } from '../../src/dialects/rancher/kinds/user.ts';
import { startHub } from '../../src/hub/hub.ts';
import { eventually } from '../helpers/eventually.ts';
import { tempDir } from '../helpers/temp-dir.ts';

/* Fault 20: what was stolen is of no use once it was taken back, and nobody learns it from the hub's files. */

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly cookies: readonly string[];
}

async function start(t: TestContext) {
  const scratch = tempDir('tokens');
  t.after(() => scratch[Symbol.dispose]());
  const dataDir = path.join(scratch.dir, 'data');
  const hub = await startHub({
    dataDir,
    host: '127.0.0.1',
    port: 0,
    serverUrl: undefined,
    agentImage: 'drover/drover:test',
    version: '0.0.0',
  });
  t.after(() => hub.close());
  await hub.ready;
  const ca = readFileSync(path.join(dataDir, 'pki/ca.crt'));
  const open = (url: string, options: RequestOptions, body?: object) => {
    const req = httpsRequest(new URL(url, hub.url), { ca, ...options });
    req.end(body && JSON.stringify(body));
    return req;
  };
  const ask = (method: string, url: string, headers: Record<string, string> = {}, body?: object) =>
    new Promise<Answer>((resolve, reject) => {
      const req = open(url, { method, headers: { 'content-type': 'application/json', ...headers }, timeout: 15_000 }, body);
      req.on('error', reject).on('response', res => {
        let text = '';
        res.setEncoding('utf8').on('data', chunk => (text += chunk));
        res.on('end', () => resolve({ status: res.statusCode!, body: text, cookies: res.headers['set-cookie'] ?? [] }));
      });
    });
  /** A stream, and whether it is still open. */
  const follow = (url: string, headers: Record<string, string>) =>
    new Promise<() => boolean>((resolve, reject) => {
      const req = open(url, { headers });
      t.after(() => req.destroy());
      let isOpen = true;
      const ended = () => (isOpen = false);
      req.on('error', ended).on('response', res => {
        if (res.statusCode !== 200) return reject(new Error(`${url} answered ${res.statusCode}`));
        res.on('close', ended).on('error', ended).resume();
        resolve(() => isOpen);
      });
    });
  return { hub, dataDir, ask, follow };
}

const loginPath = '/v3-public/localProviders/local?action=login';
const watchPath = '/api/v1/namespaces?watch=true';
const memberPath = '/k8s/clusters/local/api/v1/namespaces?watch=true';

test('stolen sessions and tokens are of no use when they were taken back, and their streams end', { timeout: 180_000 }, async t => {
  const { hub, dataDir, ask, follow } = await start(t);
  const password = hub.newPassword!;
  const asAdmin = { username: 'admin', password };
  const login = async (body: object): Promise<Answer> => ask('POST', loginPath, {}, body);
  // The administrator is made while the hub answers already.
  await eventually(async () => (await login(asAdmin)).status === 201, Boolean, { timeoutMs: 30_000 });

  const secrets = [password];
  const session = async () => {
    const { status, cookies } = await login({ ...asAdmin, responseType: 'cookie' });
    assert.equal(status, 200);
    const cookie = cookies.map(one => one.split(';')[0]).join('; ');
    secrets.push(/R_SESS=[^:]+:([^;]+)/.exec(cookie)![1]!);
    return { cookie, 'x-api-csrf': /CSRF=([0-9a-f]+)/.exec(cookie)![1]! };
  };
  const bearer = async (body: object) => {
    const { status, body: text } = await login({ ...asAdmin, ...body });
    assert.equal(status, 201, text);
    const { id, token } = JSON.parse(text) as { id: string; token: string };
    secrets.push(token.split(':')[1]!);
    return { id, headers: { authorization: `Bearer ${token}` } };
  };
  const isUse = async (headers: Record<string, string>) => (await ask('GET', '/v3/clusters', headers)).status !== 401;

  await eventually(async () => (await ask('GET', '/api/v1/namespaces', (await bearer({})).headers)).status === 200, Boolean, {
    timeoutMs: 30_000,
  });

  await t.test('a session cookie after the logout', async () => {
    const stolen = await session();
    assert.ok(await isUse(stolen));
    assert.equal((await ask('POST', '/v1/logout', stolen)).status, 200);
    assert.equal(await isUse(stolen), false);
  });

  await t.test('a kubeconfig token after its revocation, with the streams it opened', async () => {
    const stolen = await bearer({ responseType: 'kubeconfig' });
    const kept = await bearer({ responseType: 'kubeconfig' });
    const watch = await follow(watchPath, stolen.headers);
    const member = await follow(memberPath, stolen.headers);
    const other = await follow(watchPath, kept.headers);
    await hub.client.delete(Token, { name: stolen.id });
    await eventually(() => !watch() && !member(), Boolean, { timeoutMs: 5000, what: 'end of the streams' });
    assert.ok(other());
    assert.equal(await isUse(stolen.headers), false);
    assert.ok(await isUse(kept.headers));
  });

  await t.test('a session after the password was changed, with its stream', async () => {
    const stolen = await session();
    const stream = await follow(memberPath, stolen);
    const admin = (await hub.client.list(User)).items[0]!;
    const own = await session();
    const newPassword = 'chosen by the person';
    const change = await ask('POST', '/v3/users?action=changepassword', own, { currentPassword: asAdmin.password, newPassword });
    assert.equal(change.status, 200, change.body);
    asAdmin.password = newPassword;
    secrets.push(newPassword);
    await eventually(async () => !(await isUse(stolen)), Boolean, { timeoutMs: 5000, what: 'end of the session' });
    await eventually(() => !stream(), Boolean, { timeoutMs: 5000, what: 'end of the stream' });
    assert.equal(admin.username, 'admin');
  });

  await t.test('everything after the user was deleted', async () => {
    const [stolen, token] = [await session(), await bearer({ responseType: 'kubeconfig' })];
    const streams = [await follow(memberPath, stolen), await follow(watchPath, token.headers)];
    const admin = (await hub.client.list(User)).items[0]!;
    await hub.client.delete(User, { name: admin.metadata.name! });
    await eventually(() => streams.every(isOpen => !isOpen()), Boolean, { timeoutMs: 5000, what: 'end of the streams' });
    assert.equal(await isUse(stolen), false);
    assert.equal(await isUse(token.headers), false);
    assert.equal((await login(asAdmin)).status, 401);
  });

  await t.test('nothing that opens a door is in the files of the hub', () => {
    for (const file of readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())) {
      const bytes = readFileSync(path.join(file.parentPath, file.name));
      for (const secret of secrets) assert.ok(!bytes.includes(secret), `"${file.name}" holds a secret`);
    }
  });
});
