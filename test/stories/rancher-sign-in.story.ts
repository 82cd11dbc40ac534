import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { hubKindsByTime, startEitherHub, type EitherHub } from '../helpers/either-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import { HttpTarget } from '../helpers/http-target.ts';
import { kubectlFor } from '../helpers/kubectl.ts';
import { printKubeconfig, scratchDir, startEtcd, type Etcd } from '../helpers/real-cluster.ts';
import { missingRig } from '../helpers/rig.ts';

const loginPath = '/v3-public/localProviders/local?action=login';
const chosen = 'chosen by the person';
const patient = { timeoutMs: 60_000, everyMs: 200 };

for (const kind of hubKindsByTime)
  describe(`signing in, hub: ${kind}`, { skip: missingRig('etcd', 'kube-apiserver', 'kubectl') ?? false, timeout: 240_000 }, () => {
    const scratch = scratchDir('rancher-sign-in');
    let etcd: Etcd | undefined;
    let hub: EitherHub;
    let target: HttpTarget;
    let printed = '';
    before(async () => {
      if (kind !== 'embedded') etcd = await startEtcd();
      hub = await startEitherHub(kind, etcd!);
      target = new HttpTarget({ server: hub.gateway, ca: readFileSync(hub.authorities, 'utf8') });
      [, printed = ''] = /First admin password, shown once: (\S+)/.exec(readFileSync(hub.program.logFile, 'utf8')) ?? [];
    });
    after(async () => {
      target?.close();
      for (const one of [hub, etcd]) await one?.[Symbol.asyncDispose]();
      scratch[Symbol.dispose]();
    });

    const login = (password: string, more: object = {}) => target.request('POST', loginPath, { username: 'admin', password, ...more });
    const kubectlWith = (token: string) => {
      const kubeconfig = path.join(scratch.dir, 'person.kubeconfig');
      const ca = readFileSync(hub.authorities, 'utf8');
      writeFileSync(kubeconfig, printKubeconfig({ server: `${hub.gateway}/k8s/clusters/local`, ca, token }));
      return kubectlFor('kubectl', { kubeconfig, dir: scratch.dir });
    };
    let token = '';

    test('the administrator signs in with the password that was printed, and uses the hub with kubectl', async () => {
      assert.notEqual(printed, '');
      const answer = await eventually(
        () => login(printed, { responseType: 'kubeconfig' }),
        one => one.code === 201,
        patient,
      );
      token = answer.json<{ token: string }>().token;
      await eventually(() => kubectlWith(token).expect('get namespaces', { says: 'cattle-local-user-passwords' }), Boolean, patient);
      await kubectlWith(token).expect('auth whoami', { says: [/user-[a-z0-9]{5}/, 'system:cattle:authenticated'] });
    });

    test('a password that he chose is not undone by a restart, and tokens outlive it', async () => {
      const session = (await login(printed)).json<{ token: string }>().token;
      const passwords = { currentPassword: printed, newPassword: chosen };
      const headers = { Authorization: `Bearer ${session}` };
      const changed = await target.request('POST', '/v3/users?action=changepassword', passwords, headers);
      assert.equal(changed.code, 200, changed.text);
      await hub.restart();
      await eventually(
        () => login(chosen),
        one => one.code === 201,
        patient,
      );
      assert.equal((await login(printed)).code, 401);
      await kubectlWith(token).expect('get namespaces');
    });

    test('he is sent away when his token is deleted, also while he watches', async () => {
      const kubectl = kubectlWith(token);
      const watch = await target.stream('/k8s/clusters/local/api/v1/namespaces?watch=true', { Authorization: `Bearer ${token}` });
      assert.equal(watch.code, 200);
      await kubectl.expect(`delete tokens.management.cattle.io ${token.split(':')[0]} --wait=false`);
      await eventually(() => watch.isEnded, Boolean, { timeoutMs: 5000, what: 'end of the watch' });
      await kubectl.expect('get namespaces', { code: 1, says: /Unauthorized|logged in/ });
    });
  });
