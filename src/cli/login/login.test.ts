import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { httpsTransport } from '../../client/https-transport.ts';
import { readContext } from '../../client/kubeconfig/kubeconfig.ts';
import { CommandError } from '../exit-codes.ts';
import { withOwnLogin } from '../kubeconfig/own-login.ts';
import { keptLogins } from './kept-logins.ts';
import { hubBesideMembers, loginKubeconfig, ownCommand } from './login-kubeconfig.ts';
import { listenOnLoopback } from './loopback.ts';
import { browserProgram } from './open-browser.ts';
import { parseHubUrl } from './trust-hub.ts';

function scratch(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'drover-login-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const server = 'https://hub.example.com:7443';
const login = { server, username: 'jane', token: 'kubeconfig-u-1:abc', expiresAt: '2030-01-01T00:00:00Z' };

test('addresses are taken as people paste them, without what is not part of them', () => {
  for (const text of [server, `${server}/`, `${server}/ui/clusters?x=1#code=abc`, 'hub.example.com:7443'])
    assert.equal(parseHubUrl(text), server);
  for (const text of ['http://hub.example.com', 'https://', 'ftp://x', 'https://jane:secret@hub.example.com', ''])
    assert.throws(() => parseHubUrl(text), CommandError, text);
});

test('tokens are kept where only their owner can read them, one for each hub', t => {
  const logins = keptLogins({ HOME: scratch(t) });
  assert.deepEqual([logins.get(server), logins.list(), logins.forget(server)], [undefined, [], false]);
  logins.keep(login);
  const other = { ...login, server: 'https://[::1]:8443', ca: 'PEM' };
  logins.keep(other);
  assert.deepEqual(logins.get(server), login);
  assert.deepEqual(logins.list(), [other, login]);
  assert.equal(logins.forget(server), true);
  assert.deepEqual(logins.list(), [other]);
});

test('what is no login is as good as absent', t => {
  const home = scratch(t);
  const logins = keptLogins({ HOME: home });
  logins.keep(login);
  const file = join(home, '.drover/logins/hub.example.com_7443.json');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  for (const text of ['', 'null', '[]', '{"server":1}', JSON.stringify({ ...login, server: 'https://evil.example.com:7443' })]) {
    writeFileSync(file, text);
    assert.equal(logins.get(server), undefined, text);
  }
});

test('the kubeconfig asks this program, by its name where that leads to it', t => {
  const dir = scratch(t);
  const script = join(dir, 'package/drover.js');
  mkdirSync(join(dir, 'package'));
  mkdirSync(join(dir, 'path'));
  writeFileSync(script, '');
  assert.deepEqual(ownCommand({ PATH: join(dir, 'path') }, script), { command: process.execPath, args: [script] });
  chmodSync(script, 0o755);
  assert.deepEqual(ownCommand({ PATH: join(dir, 'path') }, script), { command: script, args: [] });
  writeFileSync(join(dir, 'path/drover'), 'another program');
  chmodSync(join(dir, 'path/drover'), 0o755);
  assert.deepEqual(ownCommand({ PATH: join(dir, 'path') }, script), { command: script, args: [] });
  rmSync(join(dir, 'path/drover'));
  symlinkSync(script, join(dir, 'path/drover'));
  assert.deepEqual(ownCommand({ PATH: `/nowhere:${join(dir, 'path')}` }, script), { command: 'drover', args: [] });
});

test('we ask ourselves for the token of our own kubeconfig, and say what to do without one', async t => {
  const env = { HOME: scratch(t) };
  const content = loginKubeconfig({ server, ca: undefined }, hubBesideMembers(server), { command: '/opt/drover', args: [] });
  const files = [{ file: '/nowhere/config', content }];
  const context = readContext(files, { context: undefined, env, isInteractive: false });
  const hub = withOwnLogin({ files, context }, env)!;
  assert.equal(hub.context.connection.server, `${server}/k8s/clusters/local`);
  const current = async () => hub.context.connection.credentials?.current();
  await assert.rejects(current, { message: `you are not signed in at ${server}`, hint: `sign in: drover login ${server}` });
  keptLogins(env).keep({ ...login, expiresAt: '2020-01-01T00:00:00Z' });
  await assert.rejects(current, { message: `your sign-in at ${server} ended at 2020-01-01T00:00:00Z` });
  keptLogins(env).keep(login);
  assert.deepEqual(await current(), { authorization: 'Bearer kubeconfig-u-1:abc' });
  // A server that only begins like it gets nothing.
  const stolen = { ...context, connection: { ...context.connection, server: `${server}.evil.example.com` } };
  assert.equal(withOwnLogin({ files, context: stolen }, env), undefined);
});

test('only the browser that was sent to this machine can bring the code', async () => {
  await using loopback = await listenOnLoopback();
  const { port, state } = loopback;
  await using way = httpsTransport({ server: `http://127.0.0.1:${port}` });
  const code = 'c'.repeat(43);
  const ask = async (path: string, headers = {}, method = 'GET') => {
    const { status, body } = await way.request({ method, path, headers });
    body.resume();
    return status;
  };
  assert.equal(await ask(`/?code=${code}`), 400);
  assert.equal(await ask(`/?code=${code}&state=guess`), 400);
  assert.equal(await ask(`/?code=&state=${state}`), 400);
  assert.equal(await ask(`/?code=${code}&state=${state}`, {}, 'POST'), 400);
  assert.equal(await ask(`/?code=${code}&state=${state}`, { host: `evil.example.com:${port}` }), 400);
  assert.equal(await ask(`/?code=${code}&state=${state}`), 200);
  assert.equal(await loopback.code, code);
});

test('a browser is looked for where there is likely one', () => {
  assert.equal(browserProgram({ BROWSER: 'lynx' }, 'linux'), 'lynx');
  assert.equal(browserProgram({ DISPLAY: ':0' }, 'linux'), 'xdg-open');
  assert.equal(browserProgram({ DISPLAY: ':0', SSH_CONNECTION: 'x' }, 'linux'), undefined);
  assert.equal(browserProgram({}, 'linux'), undefined);
  assert.equal(browserProgram({}, 'darwin'), 'open');
});
