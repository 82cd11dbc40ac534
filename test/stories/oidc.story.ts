import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { droverFor } from '../helpers/drover.ts';
import { hubKindsByTime, startEitherHub, type EitherHub } from '../helpers/either-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import { HttpTarget, type RequestHeaders } from '../helpers/http-target.ts';
import { kubectlFor, type CommandLine } from '../helpers/kubectl.ts';
import { startOidcProvider, type OidcProviderRig } from '../helpers/oidc-provider.ts';
import { askingProgram } from '../helpers/program-key.ts';
import { scratchDir, startEtcd, type Etcd } from '../helpers/real-cluster.ts';
import { missingRig } from '../helpers/rig.ts';
import { noRancher, rancher } from '../helpers/rancher-program.ts';

const missing = missingRig('etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl');
const patient = { timeoutMs: 60_000, everyMs: 200 };

for (const kind of hubKindsByTime)
  describe(`signing in with OpenID Connect, hub: ${kind}`, { skip: missing ?? false, timeout: 180_000 }, () => {
    const scratch = scratchDir('oidc');
    const endings: (() => Promise<void>)[] = [];
    let etcd: Etcd;
    let hub: EitherHub;
    let provider: OidcProviderRig;
    let kubectl: CommandLine;
    let web: HttpTarget;
    let east = '';
    let session = '';
    let program = '';

    before(async () => {
      etcd = await startEtcd();
      hub = await startEitherHub(kind, etcd, ['--sandbox', '1', '--allow-egress', '127.0.0.1/32']);
      provider = await startOidcProvider({ after: end => void endings.push(end) }, { redirectUri: `${hub.gateway}/verify-auth` });
      provider.accounts.set('jane', { name: 'Jane Doe', email: 'jane@example.com', groups: ['ops'] });
      kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
      web = new HttpTarget({ server: hub.gateway, ca: readFileSync(hub.authorities, 'utf8') });
      east = await eventually(() => kubectl.expect('get clusters.drover.io sandbox-1 -o jsonpath={.status.id}'), Boolean, patient);
    });
    after(async () => {
      web?.close();
      for (const one of [hub, etcd]) await one?.[Symbol.asyncDispose]();
      for (const end of endings) await end();
      scratch[Symbol.dispose]();
    });

    const get = (path: string, headers: RequestHeaders = {}) => web.request('GET', path, undefined, headers);
    const apply = (...objects: object[]) =>
      kubectl.expect('apply -f -', { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }) });
    const management = (kind: string, name: string, fields: object, namespace?: string) => ({
      apiVersion: 'management.cattle.io/v3',
      kind,
      metadata: { name, ...(namespace !== undefined && { namespace }) },
      ...fields,
    });

    /** What the page does when somebody says so. */
    function allow(asked: object) {
      const csrf = '0123456789abcdef0123456789abcdef';
      const headers = { cookie: `${session}; CSRF=${csrf}`, 'x-api-csrf': csrf, 'content-type': 'application/json' };
      return web.request('POST', '/v3-public/authTokens', JSON.stringify(asked), headers);
    }

    test('a provider is set up with kubectl, and its groups are given roles', async () => {
      await eventually(() => kubectl.expect('get namespace cattle-global-data -o name'), Boolean, patient);
      await apply(
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'genericoidcconfig-clientsecret', namespace: 'cattle-global-data' },
          stringData: { clientsecret: provider.clientSecret },
        },
        management('AuthConfig', 'genericoidc', {
          type: 'genericOIDCConfig',
          enabled: true,
          accessMode: 'unrestricted',
          issuer: provider.issuer,
          clientId: provider.clientId,
          clientSecret: 'cattle-global-data:genericoidcconfig-clientsecret',
          rancherUrl: hub.gateway,
          scope: 'openid profile email groups',
        }),
        management('GlobalRoleBinding', 'ops', { globalRoleName: 'settings-manage', groupPrincipalName: 'genericoidc_group://ops' }),
        management(
          'ClusterRoleTemplateBinding',
          'ops',
          { clusterName: east, roleTemplateName: 'cluster-owner', groupPrincipalName: 'genericoidc_group://ops' },
          east,
        ),
      );
    });

    test('a person goes there with a browser and comes back signed in', async () => {
      const away = await eventually(
        () => get('/v1-public/oidc/start?back=/v3'),
        ({ code }) => code === 302,
        patient,
      );
      const cookie = away.headers['set-cookie']![0]!.split(';')[0]!;
      const back = await provider.signIn(away.headers['location']![0]!, 'jane');
      const entered = await get(`${back.pathname}${back.search}`, { cookie });
      assert.deepEqual([entered.code, entered.headers['location']], [302, ['/v3']], entered.text);
      session = entered.headers['set-cookie']!.find(line => line.startsWith('R_SESS='))!.split(';')[0]!;
      const me = (await get('/v3/users?me=true', { cookie: session })).json<{ data: { name: string; id: string }[] }>();
      assert.equal(me.data[0]?.name, 'Jane Doe');
      assert.match(me.data[0]?.id ?? '', /^u-[a-z2-7]{10}$/);
    });

    test('with the rights of their groups, on the hub and on members', async () => {
      const version = () => get(`/k8s/clusters/${east}/api/v1/namespaces/kube-system/configmaps`, { cookie: session });
      await eventually(version, ({ code }) => code === 200, patient);
      const settings = () => get('/v3/settings/server-url', { cookie: session });
      await eventually(settings, answer => answer.code === 200 && answer.text.includes('"update"'), patient);
      assert.equal((await get('/k8s/clusters/local/api/v1/secrets', { cookie: session })).code, 403);
    });

    test('a program in a terminal gets a token by way of the browser, as the rancher CLI asks for it', async () => {
      const { data } = (await get('/v1-public/authproviders')).json<{ data: { type: string }[] }>();
      assert.ok(
        data.some(({ type }) => type === 'keyCloakProvider'),
        'the CLI knows this way by the name of a provider',
      );
      const { requestId, publicKey, decrypt } = askingProgram();
      const asked = { requestId, publicKey, responseType: `kubeconfig_${east}` };
      const login = await get(`/dashboard/auth/login?${new URLSearchParams({ cli: 'true', ...asked }).toString()}`);
      assert.match(login.headers['location']?.[0] ?? '', /^\/ui\/allow\?requestId=/);
      const pickUp = () => get(`/v1-public/authtokens/${requestId}`);
      assert.equal((await pickUp()).code, 404);

      const granted = await allow(asked);
      assert.equal(granted.code, 201, granted.text);
      const { token } = (await pickUp()).json<{ token: string }>();
      program = decrypt(token);
      assert.equal((await web.request('DELETE', `/v1-public/authtokens/${requestId}`)).code, 204);
      assert.equal((await pickUp()).code, 404);
      const authorization = `Bearer ${program}`;
      assert.equal((await get(`/k8s/clusters/${east}/api/v1/namespaces`, { authorization })).code, 200);
      assert.equal((await get('/v3/users?me=true', { authorization })).code, 401, 'it is for that cluster');
    });

    test('the real program gets one', { skip: noRancher }, async () => {
      const args = ['token', '--server', hub.gateway, '--user', 'jane', '--auth-provider', 'keyCloakProvider', '--cluster', east];
      const env = { HOME: scratch.dir, RANCHER_CONFIG_DIR: scratch.dir, SSL_CERT_FILE: hub.authorities };
      const running = spawn(rancher, args, { env, cwd: scratch.dir });
      const said = { stdout: '', stderr: '' };
      running.stdout.on('data', chunk => (said.stdout += String(chunk)));
      running.stderr.on('data', chunk => (said.stderr += String(chunk)));
      const address = await eventually(() => /Login to Rancher Server at (\S+)/.exec(said.stderr)?.[1], Boolean, patient);
      const { pathname, search } = new URL(address!);
      const to = new URL((await get(pathname + search)).headers['location']![0]!, hub.gateway);
      const granted = await allow(Object.fromEntries(to.searchParams));
      assert.equal(granted.code, 201, granted.text);
      await once(running, 'exit');
      const { status } = JSON.parse(said.stdout) as { status: { token: string; expirationTimestamp: string } };
      const authorization = `Bearer ${status.token}`;
      assert.equal((await get(`/k8s/clusters/${east}/api/v1/namespaces`, { authorization })).code, 200, said.stderr);
      assert.ok(Date.parse(status.expirationTimestamp) > Date.now());
    });

    test('it is written down who that was and what they did', async () => {
      const drover = droverFor({ hub: hub.kubeconfig, dir: scratch.dir });
      const said = await eventually(
        () => drover.expect('audit --user jane@example.com -C sandbox-1'),
        text => text.includes('configmaps'),
      );
      assert.match(said, /jane@example\.com +sandbox-1 +list +200 +kube-system: configmaps/);
      assert.ok((await drover.expect('audit --user jane@example.com -o json')).includes('/verify-auth?code=[redacted]&state=[redacted]'));
    });

    test('and ends when the provider is disabled', async () => {
      await kubectl.expect(`patch authconfigs genericoidc --type merge -p '{"enabled":false}'`);
      await eventually(
        () => get('/v3/users?me=true', { cookie: session }),
        ({ code }) => code === 401,
        patient,
      );
      const authorization = `Bearer ${program}`;
      assert.equal((await get(`/k8s/clusters/${east}/api/v1/namespaces`, { authorization })).code, 401);
    });
  });
