import assert from 'node:assert/strict';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { droverFor } from '../helpers/drover.ts';
import { hubKindsByTime, startEitherHub, type EitherHub } from '../helpers/either-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import { HttpTarget } from '../helpers/http-target.ts';
import { kubectlFor, type CommandLine } from '../helpers/kubectl.ts';
import { Program } from '../helpers/program.ts';
import { scratchDir, startEtcd, type Etcd } from '../helpers/real-cluster.ts';
import { missingRig, repositoryRoot } from '../helpers/rig.ts';

const patient = { timeoutMs: 60_000, everyMs: 200 };
const logins = '/v1-public/programLogins';

for (const kind of hubKindsByTime)
  describe(
    `signing in from a terminal, hub: ${kind}`,
    { skip: missingRig('etcd', 'kube-apiserver', 'kubectl') ?? false, timeout: 240_000 },
    () => {
      const scratch = scratchDir('login');
      const kubeconfig = path.join(scratch.dir, 'config');
      const env = { HOME: scratch.dir, KUBECONFIG: kubeconfig, DROVER_KUBECONFIG: '', NO_COLOR: '1', DISPLAY: '', WAYLAND_DISPLAY: '' };
      let etcd: Etcd | undefined;
      let hub: EitherHub;
      let target: HttpTarget;
      let password = '';
      let session = {};
      let kubectl: CommandLine;
      /** As somebody who has nothing but the program and the address. */
      let drover: CommandLine;

      before(async () => {
        if (kind !== 'embedded') etcd = await startEtcd();
        hub = await startEitherHub(kind, etcd!, ['--sandbox', '1']);
        target = new HttpTarget({ server: hub.gateway, ca: readFileSync(hub.authorities, 'utf8') });
        const printed = () => /First admin password, shown once: (\S+)/.exec(readFileSync(hub.program.logFile, 'utf8'))?.[1];
        password = (await eventually(printed, Boolean, patient))!;
        const login = await eventually(
          () => target.request('POST', '/v3-public/localProviders/local?action=login', { username: 'admin', password }),
          answer => answer.code === 201,
          patient,
        );
        session = { Authorization: `Bearer ${login.json<{ token: string }>().token}` };
        kubectl = kubectlFor('kubectl', { kubeconfig, dir: scratch.dir });
        drover = droverFor({ dir: scratch.dir });
      });
      after(async () => {
        target?.close();
        for (const one of [hub, etcd]) await one?.[Symbol.asyncDispose]();
        scratch[Symbol.dispose]();
      });

      const run = (line: string, more: object = {}) => drover.run(line, { env, ...more });
      const keptFile = () => path.join(scratch.dir, '.drover/logins', `${new URL(hub.gateway).host.replace(':', '_')}.json`);
      const kept = () => JSON.parse(readFileSync(keptFile(), 'utf8')) as { token: string; expiresAt: string };

      /** Starts a login that waits for somebody, and answers the code that it shows. */
      async function begin(
        name: string,
        args: readonly string[],
        more: Record<string, string> = {},
      ): Promise<{ program: Program; code: string }> {
        const program = new Program({
          name,
          command: path.join(repositoryRoot, 'node_modules/.bin/node'),
          args: [path.join(repositoryRoot, 'bin/drover.js'), 'login', hub.gateway, '--ca-file', hub.authorities, ...args],
          logFile: path.join(scratch.dir, `${name}.log`),
          env: { ...env, ...more },
          cwd: scratch.dir,
        });
        const code = await eventually(() => /code=([A-Z]{4}-[A-Z]{4})/.exec(readFileSync(program.logFile, 'utf8'))?.[1], Boolean, patient);
        return { program, code: code! };
      }
      const decide = (code: string, action: 'allow' | 'deny') => target.request('POST', `${logins}/${code}?action=${action}`, {}, session);

      test('a hub that nobody vouches for is told nothing, unless the checksum is right', async () => {
        const stranger = await run(`login ${hub.gateway} --username admin --password-stdin`, { input: password });
        assert.equal(stranger.code, 1);
        assert.match(stranger.stderr, /nobody vouches for https.*\n {2}--ca-file FILE names its authorities; --ca-checksum/s);
        const wrong = await run(`login ${hub.gateway} --username admin --password-stdin --ca-checksum ${'0'.repeat(64)}`, {
          input: password,
        });
        assert.match(wrong.stderr, /but 0{64} was expected/);
      });

      test('with a code that is allowed in any browser, kubectl works, and no secret is in the kubeconfig', async () => {
        const { program, code } = await begin('device', ['--device', '--ttl', '2h']);
        const shown = (await target.request('GET', `${logins}/${code}`, undefined, session)).json<{ program: string; isHere: boolean }>();
        assert.match(shown.program, /^drover login by .+ on .+/);
        assert.equal(shown.isHere, false);
        assert.equal((await decide(code, 'allow')).code, 200);
        assert.equal(await program.exited, 0, program.logTail());
        const said = readFileSync(program.logFile, 'utf8');
        assert.match(said, /signed in at https:\S+ as admin until 20/);

        const { token, expiresAt } = kept();
        assert.equal(statSync(keptFile()).mode & 0o777, 0o600);
        assert.equal(statSync(path.dirname(keptFile())).mode & 0o777, 0o700);
        const [, key = ''] = token.split(':');
        for (const text of [said, readFileSync(kubeconfig, 'utf8')]) assert.ok(!text.includes(key));
        assert.ok(Math.abs(Date.parse(expiresAt) - Date.now() - 2 * 3_600_000) < 600_000);

        await kubectl.expect('auth whoami', { says: [/user-[a-z0-9]{5}/, 'system:cattle:authenticated'] });
        await kubectl.expect('get clusters.drover.io', { says: 'sandbox-1' });
        await kubectl.expect(`get tokens.management.cattle.io ${token.split(':')[0]} -o jsonpath={.description}`, {
          says: 'drover login by',
        });
        const credential = JSON.parse((await run(`token ${hub.gateway}`)).stdout) as { apiVersion: string; status: object };
        assert.deepEqual(credential, {
          apiVersion: 'client.authentication.k8s.io/v1',
          kind: 'ExecCredential',
          status: { token, expirationTimestamp: expiresAt },
        });
      });

      test('every command of ours finds the hub and its members by that kubeconfig', async () => {
        for (const line of ['get clusters', 'get nodes -C sandbox-1', 'kubectl sandbox-1 -- get nodes'])
          await eventually(
            () => run(line),
            ({ code }) => code === 0,
            patient,
          );
        const file = path.join(scratch.dir, 'member.yaml');
        assert.equal((await run(`kubeconfig sandbox-1 -o ${file}`)).code, 0);
        await kubectlFor('kubectl', { kubeconfig: file, dir: scratch.dir }).expect('get nodes', { says: 'Ready' });
      });

      test('with a browser on this machine, what is allowed comes back to it alone', async () => {
        const opened = path.join(scratch.dir, 'opened');
        const browser = path.join(scratch.dir, 'browser');
        writeFileSync(browser, `#!/bin/sh\necho "$1" > ${opened}\n`);
        chmodSync(browser, 0o755);
        const before = kept().token;
        const { program, code } = await begin('browser', [], { BROWSER: browser });
        assert.equal(await eventually(() => readFileSync(opened, 'utf8').trim(), Boolean, patient), `${hub.gateway}/ui/allow?code=${code}`);
        const { returnTo } = (await decide(code, 'allow')).json<{ returnTo: string }>();
        assert.match(returnTo, /^http:\/\/127\.0\.0\.1:\d+\/\?code=/);
        const forged = await fetch(returnTo.replace(/state=[^&]+/, 'state=guessed'));
        assert.equal(forged.status, 400);
        const back = await fetch(returnTo);
        assert.match(await back.text(), /Go back to the terminal/);
        assert.equal(await program.exited, 0, program.logTail());
        assert.notEqual(kept().token, before);
        await kubectl.expect('get namespaces', { says: 'default' });
        const old = await target.request('GET', '/v3/users?me=true', undefined, { Authorization: `Bearer ${before}` });
        assert.equal(old.code, 401, 'the token before it was taken back');
      });

      test('what is refused, and what nobody allows, says so', async () => {
        const { program, code } = await begin('refused', ['--device']);
        await decide(code, 'deny');
        assert.equal(await program.exited, 1);
        assert.match(readFileSync(program.logFile, 'utf8'), /error: it was refused in the browser\n {2}if that was you/);
        const late = await run(`login ${hub.gateway} --device --timeout 1s`);
        assert.deepEqual([late.code, /error: nobody has allowed it in time\n {2}start "drover login" again/.test(late.stderr)], [4, true]);
      });

      test('who is signed out or late is told how to sign in', async () => {
        const login = kept();
        writeFileSync(keptFile(), JSON.stringify({ ...login, expiresAt: '2020-01-01T00:00:00Z' }));
        const next = new RegExp(`ended at 2020-01-01T00:00:00Z\n {2}sign in again: drover login ${hub.gateway}`);
        assert.match((await run('get clusters')).stderr, next);
        assert.match((await kubectl.run('get ns')).stderr, next);
        writeFileSync(keptFile(), JSON.stringify(login));
        assert.match((await run('logout')).stdout, /^signed out at https/);
        const gone = await target.request('GET', '/v3/users?me=true', undefined, { Authorization: `Bearer ${login.token}` });
        assert.equal(gone.code, 401);
        const refused = await kubectl.run('get ns');
        assert.notEqual(refused.code, 0);
        assert.match(refused.stderr, /you are not signed in at https.*\n {2}sign in: drover login https/);
        for (const line of ['logout', 'token'])
          assert.deepEqual([(await run(line)).code, /signed in nowhere/.test((await run(line)).stderr)], [1, true]);
      });

      test('with a password or with a token, as people of Rancher do', async () => {
        const wrong = await run(`login ${hub.gateway} --ca-file ${hub.authorities} --username admin --password-stdin`, { input: 'wrong' });
        assert.match(wrong.stderr, /error: "admin" could not sign in: authentication failed\n {2}look at/);
        const right = await run(`login ${hub.gateway} --ca-file ${hub.authorities} --username admin --password-stdin`, {
          input: `${password}\n`,
        });
        assert.equal(right.code, 0, right.stderr);
        await kubectl.expect('get namespaces', { says: 'default' });
        const { token } = kept();
        writeFileSync(keptFile(), 'broken');
        const brought = await run(`login ${hub.gateway} --ca-file ${hub.authorities} --token -`, { input: token });
        assert.equal(brought.code, 0, brought.stderr);
        assert.match(brought.stdout, /as admin until 20/);
        await kubectl.expect('get namespaces', { says: 'default' });
        const bearer = (await run('token create --description robot --cluster sandbox-1 --ttl 2h')).stdout.trim();
        const [name] = bearer.split(':');
        assert.match((await run('token list')).stdout, new RegExp(`^${name} +sandbox-1 +<never> +20\\S+ +robot$`, 'm'));
        const found = await target.request('GET', '/v3/clusters?name=sandbox-1', undefined, session);
        const { id } = found.json<{ data: { id: string }[] }>().data[0]!;
        const asRobot = async () => {
          const headers = { Authorization: `Bearer ${bearer}` };
          return (await target.request('GET', `/k8s/clusters/${id}/version`, undefined, headers)).code;
        };
        assert.equal(await asRobot(), 200);
        assert.equal((await run(`token revoke ${name}`)).stdout, `token/${name} revoked\n`);
        assert.equal(await asRobot(), 401);
        const other = await run(`login ${hub.gateway} --token token-abcde:${'b'.repeat(54)}`);
        assert.match(other.stderr, /error: the hub does not take this token.*\n {2}it may have expired/);
      });

      test('somebody who may see one member and nothing of the hub works on that member', async () => {
        const made = await target.request('POST', '/v3/users', { username: 'jane', password: 'correct horse battery' }, session);
        const userId = made.json<{ id: string }>().id;
        const { data } = (await target.request('GET', '/v3/clusters?name=sandbox-1', undefined, session)).json<{
          data: { id: string }[];
        }>();
        const bound = { type: 'clusterRoleTemplateBinding', clusterId: data[0]!.id, userId, roleTemplateId: 'cluster-member' };
        assert.equal((await target.request('POST', '/v3/clusterroletemplatebindings', bound, session)).code, 201);
        const file = path.join(scratch.dir, 'jane.yaml');
        const asJane = (line: string) => run(line, { input: 'correct horse battery', env: { ...env, KUBECONFIG: file } });
        const signedIn = await asJane(`login ${hub.gateway} --ca-file ${hub.authorities} --username jane --password-stdin`);
        assert.match(signedIn.stdout, /as jane until/);
        await eventually(
          () => asJane('get nodes -C sandbox-1'),
          ({ code }) => code === 0,
          patient,
        );
        const mine = path.join(scratch.dir, 'mine.yaml');
        const given = await asJane(`kubeconfig sandbox-1 -o ${mine}`);
        assert.equal(given.code, 0, given.stderr);
        await kubectlFor('kubectl', { kubeconfig: mine, dir: scratch.dir }).expect('get nodes', { says: 'Ready' });
        const refused = await asJane('get secrets -A');
        assert.match(refused.stderr, /Forbidden.*\n {2}ask an administrator/);
      });
    },
  );
