import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connect } from 'node:tls';
import { agentGroup, agentUser } from '../../src/tunnel/protocol.ts';
import { admitted, everyAttempt, type Attempt } from '../helpers/access-matrix.ts';
import { droverFor } from '../helpers/drover.ts';
import { eventually } from '../helpers/eventually.ts';
import { startHub, type Hub } from '../helpers/hub.ts';
import type { RequestBody, RequestHeaders } from '../helpers/http-target.ts';
import { scratchDir } from '../helpers/real-cluster.ts';

/** Somebody who has signed in. */
interface Person {
  readonly id: string;
  readonly bearer: string;
}

const password = 'correct horse battery';
const management = '/apis/management.cattle.io/v3';
const object = (kind: string, name: string) => ({ apiVersion: 'management.cattle.io/v3', kind, metadata: { name } });

describe('people who want more of Rancher than they were given', { timeout: 180_000 }, () => {
  const stack = new AsyncDisposableStack();
  let hub: Hub;
  let admin: Person;
  let mallory: Person;
  let east: string;
  let west: string;
  let scratch: { dir: string };
  const canaries: Record<string, string> = {};

  before(async () => {
    const temporary = stack.use(scratchDir('rancher-abuse'));
    scratch = temporary;
    hub = stack.use(
      await startHub({ dataDir: path.join(temporary.dir, 'data'), env: { DROVER_DEBUG: '1' }, extraArgs: ['--sandbox', '2'] }),
    );
    const first = await eventually(
      () => /shown once: (\S+)/.exec(readFileSync(hub.program.logFile, 'utf8'))?.[1] ?? '',
      found => found !== '',
    );
    canaries['the first password'] = first;
    admin = await eventually(() => signIn('admin', first), Boolean, { timeoutMs: 30_000, what: 'the first administrator' });
    [east, west] = await Promise.all([idOf('sandbox-1'), idOf('sandbox-2')]);
    const made = await call(admin, 'POST', '/v3/users', { username: 'mallory', password, name: 'Mallory' });
    assert.equal(made.code, 201, made.text);
    const { id } = made.json<{ id: string }>();
    for (const [type, binding] of [
      ['globalrolebindings', { globalRoleId: 'user', userId: id }],
      ['clusterroletemplatebindings', { clusterId: east, roleTemplateId: 'cluster-member', userPrincipalId: `local://${id}` }],
    ] as const) {
      const bound = await call(admin, 'POST', `/v3/${type}`, binding);
      assert.equal(bound.code, 201, bound.text);
    }
    canaries["mallory's password"] = password;
    mallory = await signIn('mallory', password);
    await eventually(
      async () => (await call(mallory, 'GET', `/k8s/clusters/${east}/version`)).code,
      code => code === 200,
    );
  });
  after(() => stack.disposeAsync());

  function idOf(name: string): Promise<string> {
    const read = async () =>
      (await hub.request('GET', `/apis/drover.io/v1alpha1/clusters/${name}`)).json<{ status: { id: string } }>().status.id;
    return eventually(read, Boolean, { timeoutMs: 30_000 });
  }

  function ask(method: string, url: string, body?: RequestBody, headers: RequestHeaders = {}) {
    return hub.request(method, url, body, headers, { anonymous: true });
  }
  const call = (who: Person, method: string, url: string, body?: RequestBody, headers: RequestHeaders = {}) =>
    ask(method, url, body, { authorization: `Bearer ${who.bearer}`, ...headers });
  const login = (username: string, word: string, more: object = {}) =>
    ask('POST', '/v3-public/localProviders/local?action=login', { username, password: word, ...more });

  async function signIn(username: string, word: string): Promise<Person> {
    const answer = await login(username, word);
    assert.equal(answer.code, 201, answer.text);
    const { token, userId } = answer.json<{ token: string; userId: string }>();
    canaries[`a token of ${username}`] = token.split(':')[1]!;
    return { id: userId, bearer: token };
  }

  /** Hands the hub secrets in all ways that it takes and refuses. Answers what it may keep in its store, and nowhere else. */
  async function feedSecrets(): Promise<Record<string, string>> {
    const stored: Record<string, string> = {};
    const fresh = (what: string, kept: Record<string, string> = canaries) =>
      (kept[what] = `Se/cret+${randomBytes(9).toString('base64url')}=`);
    const secrets = '/api/v1/namespaces/default/secrets';
    const secretOf = (name: string, value: string, more: object = {}) => ({ metadata: { name }, stringData: { value }, ...more });
    for (let i = 0; i < 8; i++) {
      const name = `kept-${i}`;
      const made = await hub.request('POST', secrets, secretOf(name, fresh(`a kept Secret ${i}`, stored)));
      assert.equal(made.code, 201, made.text);
      const patched = { stringData: { more: fresh(`a changed Secret ${i}`, stored) } };
      await hub.request('PATCH', `${secrets}/${name}`, patched, { 'content-type': 'application/merge-patch+json' });
    }
    const refused: [string, (value: string) => Promise<{ code: number; text: string }>][] = [
      ['a Secret with a bad name', value => hub.request('POST', secrets, secretOf('Not A Name', value))],
      [
        'a Secret with a field that nobody knows',
        value => hub.request('POST', `${secrets}?fieldValidation=Strict`, secretOf('x', value, { secretly: 1 })),
      ],
      ['a Secret of a bad type', value => hub.request('POST', secrets, secretOf('x', value, { type: 'kubernetes.io/tls' }))],
      ['a Secret in no namespace', value => hub.request('POST', '/api/v1/namespaces/nowhere/secrets', secretOf('x', value))],
      ['a Secret of somebody else', value => call(mallory, 'POST', secrets, secretOf('x', value))],
      ['a Secret of nobody', value => ask('POST', secrets, secretOf('x', value))],
      ['JSON that breaks off', value => hub.request('POST', secrets, `{"stringData":{"value":"${value}"`)],
      ['a bearer', value => ask('GET', '/api/v1/pods', undefined, { authorization: `Bearer ${value}` })],
      ["a bearer of Rancher's form", value => ask('GET', '/v3/clusters', undefined, { authorization: `Bearer token-abcde:${value}` })],
      [
        'a password in Basic',
        value => ask('GET', '/v3/clusters', undefined, { authorization: `Basic ${Buffer.from(`admin:${value}`).toString('base64')}` }),
      ],
      ['a cookie', value => ask('GET', '/v3/clusters', undefined, { cookie: `R_SESS=token-abcde:${encodeURIComponent(value)}` })],
      ['a password for a login', value => login('mallory', value)],
      ['a password of nobody', value => login('nobody', value)],
      [
        'a password that is too short',
        value => call(admin, 'POST', '/v3/users', { username: 'y', password: value.slice(0, 5), token: value }),
      ],
      ['a password for another user', value => call(mallory, 'POST', `/v3/users/${admin.id}?action=setpassword`, { newPassword: value })],
      ['a token of a registration', value => ask('GET', `/v3/import/${encodeURIComponent(value)}_c-m-abcdefgh.yaml`)],
      ['a token of an agent', value => ask('GET', `/v3/connect/register?token=${encodeURIComponent(value)}`)],
    ];
    for (const [what, send] of refused)
      for (const round of ['once', 'twice']) {
        const secret = fresh(`${what}, ${round}`);
        const { code, text } = await send(secret);
        assert.ok(code >= 400, `${what}: ${code}`);
        for (const form of encodings(secret)) assert.ok(!text.includes(form), `${what} is in the answer: ${text.slice(0, 300)}`);
      }
    return stored;
  }

  test('are themselves, whatever their headers say', async () => {
    const claims: RequestHeaders[] = [
      { 'impersonate-user': admin.id },
      { 'Impersonate-User': 'system:admin', 'Impersonate-Group': 'system:masters' },
      { 'impersonate-user': admin.id, connection: 'close, Impersonate-User' },
      { 'impersonate-user': [mallory.id, admin.id] },
      { 'impersonate-group': 'system:masters' },
      { 'impersonate-extra-scopes': 'all' },
      { 'x-remote-user': 'kubernetes-admin', 'x-remote-group': 'system:masters' },
      { 'x-forwarded-user': admin.id, 'x-api-host': 'evil.example.com' },
      { impersonate_user: admin.id },
    ];
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const self = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    for (const headers of claims) {
      const answers = await Promise.all([
        call(mallory, 'GET', '/v3/users?me=true', undefined, headers),
        call(mallory, 'POST', `/k8s/clusters/${east}${self}`, review, headers),
        call(mallory, 'POST', self, review, headers),
      ]);
      for (const { code, text } of answers) {
        assert.ok(
          code < 300 ? text.includes(mallory.id) && !text.includes('system:masters') : code < 500,
          `${JSON.stringify(headers)}: ${code} ${text}`,
        );
        assert.ok(!text.includes(`"username":"${admin.id}"`), text);
      }
    }
  });

  test('use the token of one cluster for that cluster alone, and get no better one by it', async () => {
    const made = await call(mallory, 'POST', `/v3/clusters/${east}?action=generateKubeconfig`);
    const [, bearer = ''] = /token: "?([^"\s]+)/.exec(made.json<{ config: string }>().config) ?? [];
    canaries['a token in a kubeconfig'] = bearer.split(':')[1]!;
    const bound = { ...mallory, bearer };
    assert.equal((await call(bound, 'GET', `/k8s/clusters/${east}/version`)).code, 200);
    for (const url of [
      `/k8s/clusters/${west}/version`,
      '/k8s/clusters/sandbox-2/version',
      '/k8s/clusters/local/version',
      `/k8s/clusters/${east}/../${west}/version`,
      `/k8s/clusters/${east}%2f..%2f${west}/version`,
      `/apis/cluster.karmada.io/v1alpha1/clusters/sandbox-2/proxy/version`,
      '/v3/clusters',
      `/v3/clusters/${west}`,
      '/v3/tokens',
      '/v1/management.cattle.io.clusters',
      '/api/v1/namespaces',
      '/audit/events',
    ]) {
      const { code, text } = await call(bound, 'GET', url);
      assert.ok(code === 400 || code === 401 || code === 404, `${url}: ${code} ${text.slice(0, 300)}`);
    }
    const again = await call(bound, 'POST', `/v3/clusters/${east}?action=generateKubeconfig`);
    if (again.code !== 200) return;
    const [, second = ''] = /token: "?([^"\s]+)/.exec(again.json<{ config: string }>().config) ?? [];
    assert.equal((await call({ ...mallory, bearer: second }, 'GET', '/v3/clusters')).code, 401);
  });

  test('see and change nothing of clusters and people that are not theirs', async () => {
    const list = await call(mallory, 'GET', '/v3/clusters');
    assert.deepEqual(
      list.json<{ data: { id: string }[] }>().data.map(({ id }) => id),
      [east],
    );
    for (const [method, url, body] of [
      ['GET', `/v3/clusters/${west}`],
      ['POST', `/v3/clusters/${west}?action=generateKubeconfig`],
      ['GET', `/k8s/clusters/${west}/version`],
      ['GET', `/v1/management.cattle.io.clusters/${west}`],
      ['PUT', `/v3/users/${admin.id}`, { enabled: false }],
      ['POST', `/v3/users/${admin.id}?action=setpassword`, { newPassword: 'another long password' }],
      ['DELETE', `/v3/users/${admin.id}`],
      ['DELETE', `/v3/tokens/${admin.bearer.split(':')[0]}`],
      ['POST', '/v3/globalrolebindings', { globalRoleId: 'admin', userId: mallory.id }],
      ['POST', '/v3/globalroles', { name: 'mine', rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] }],
      ['POST', '/v3/roletemplates', { name: 'mine', context: 'cluster', rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] }],
      [
        'POST',
        '/v3/clusterroletemplatebindings',
        { clusterId: east, roleTemplateId: 'cluster-owner', userPrincipalId: `local://${mallory.id}` },
      ],
      [
        'POST',
        '/v3/clusterroletemplatebindings',
        { clusterId: west, roleTemplateId: 'cluster-member', userPrincipalId: `local://${mallory.id}` },
      ],
      ['PUT', '/v3/settings/server-url', { value: 'https://evil.example.com' }],
      ['PUT', '/v3/authconfigs/genericoidc', { enabled: true, issuer: 'https://evil.example.com' }],
      ['GET', '/api/v1/namespaces/cattle-local-user-passwords/secrets'],
      ['GET', `${management}/tokens`],
      ['GET', `${management}/namespaces/${east}/clusterregistrationtokens`],
      ['GET', `/api/v1/namespaces/${east}/secrets`],
      ['GET', `/k8s/clusters/${east}/api/v1/secrets`],
      ['GET', '/k8s/clusters/local/api/v1/secrets'],
      ['GET', '/audit/events'],
    ] as const) {
      const { code, text } = await call(mallory, method, url, body);
      assert.ok(code === 403 || code === 404, `${method} ${url}: ${code} ${text.slice(0, 300)}`);
    }
    assert.equal((await call(admin, 'GET', '/v3/users?me=true')).code, 200);
    for (const url of [
      '/v3/clusterregistrationtokens',
      '/v3/settings',
      '/v3/clusters',
      '/v1/management.cattle.io.clusters',
      '/v1/secrets',
    ]) {
      const { data = [] } = (await call(mallory, 'GET', url)).json<{ data?: object[] }>();
      assert.doesNotMatch(JSON.stringify(data), /serviceAccountToken"|[bcdfghjklmnpqrstvwxz2456789]{54}/, url);
    }
  });

  test('are let in nowhere else, whatever kinds the hub has', async () => {
    const isGate = process.env['DROVER_GATE'] === 'true';
    const attempts = await everyAttempt(url => hub.request('GET', url), isGate ? [west] : [west, 'kube-system']);
    assert.ok(attempts.length > 1000, `${attempts.length} attempts`);
    const as = (user: string, group: string) => (one: Attempt) =>
      hub.request(one.method, one.url, one.body, { 'impersonate-user': user, 'impersonate-group': [group, 'system:authenticated'] });
    const oneself = [
      'create authentication.k8s.io/selfsubjectreviews',
      'create authorization.k8s.io/selfsubjectaccessreviews',
      'create authorization.k8s.io/selfsubjectrulesreviews',
    ];
    const readable = ['features', 'globalroles', 'roletemplates', 'settings'].map(name => `management.cattle.io/${name}`);
    const ofUsers = [
      'create management.cattle.io/clusters',
      'create provisioning.cattle.io/clusters',
      ...readable.flatMap(name => [`get ${name}`, `list ${name}`]),
    ];
    assert.deepEqual(await admitted(attempts, one => ask(one.method, one.url, one.body)), []);
    assert.deepEqual(await admitted(attempts, one => call(mallory, one.method, one.url, one.body)), [...oneself, ...ofUsers].toSorted());
    assert.deepEqual(await admitted(attempts, as(agentUser(east), agentGroup)), oneself);
    if (!isGate) assert.deepEqual(await admitted(attempts, as('system:serviceaccount:default:default', 'system:serviceaccounts')), oneself);
  });

  test('who manages users does not become one of those who may more', async () => {
    const made = await call(admin, 'POST', '/v3/users', { username: 'manager', password });
    const { id } = made.json<{ id: string }>();
    const boss = { ...object('User', 'u-boss'), username: 'boss' };
    assert.equal((await call(admin, 'POST', `${management}/users`, boss)).code, 201);
    for (const binding of [
      { globalRoleId: 'users-manage', userId: id },
      { globalRoleId: 'admin', userId: 'u-boss' },
    ]) {
      const bound = await call(admin, 'POST', '/v3/globalrolebindings', binding);
      assert.equal(bound.code, 201, bound.text);
    }
    const manager = await signIn('manager', password);
    await eventually(
      async () => (await call(manager, 'GET', '/v3/users')).json<{ data: object[] }>().data.length,
      count => count >= 4,
    );
    const newPassword = 'another long password';
    for (const [method, url, body] of [
      ['POST', `/v3/users/${admin.id}?action=setpassword`, { newPassword }],
      ['POST', '/v3/users/u-boss?action=setpassword', { newPassword }],
      ['POST', '/v3/globalrolebindings', { globalRoleId: 'admin', userId: id }],
      ['POST', `${management}/globalrolebindings`, { ...object('GlobalRoleBinding', 'mine'), globalRoleName: 'admin', userName: id }],
      ['PUT', `${management}/users/${id}`, { ...object('User', id), username: 'manager', principalIds: [`local://${admin.id}`] }],
      ['POST', `${management}/userattributes`, object('UserAttribute', id)],
      ['POST', `${management}/tokens`, { ...object('Token', 'token-mine'), userId: admin.id, token: 'x' }],
    ] as const) {
      const { code, text } = await call(manager, method, url, body);
      assert.ok(code === 403 || code === 422 || code === 409, `${method} ${url}: ${code} ${text.slice(0, 300)}`);
    }
    assert.equal((await login('boss', newPassword)).code, 401);
  });

  test('change nothing by reading, nor by saying that they meant another method', async () => {
    const tokens = async () => (await call(mallory, 'GET', '/v3/tokens')).json<{ data: object[] }>().data.length;
    const before = await tokens();
    for (const url of [
      `/v3/clusters/${east}?action=generateKubeconfig`,
      `/v3/clusters/${east}?action=remove`,
      `/v3/clusters/${east}?_method=DELETE`,
      '/v3/tokens?action=logout',
      '/v3/tokens?_method=POST',
    ])
      assert.equal((await call(mallory, 'GET', url)).code, 200, url);
    assert.equal(await tokens(), before);
    for (const headers of [{}, { 'x-http-method-override': 'PUT' }, { 'x-http-method': 'PUT' }]) {
      const { code, text } = await ask('GET', '/v3/settings/ui-brand?_method=PUT&value=evil', { value: 'evil' }, headers);
      assert.ok(code === 200 && !text.includes('evil'), text);
    }
    assert.equal((await ask('PUT', '/v3/settings/ui-brand', { value: 'evil' })).code, 401);
    assert.equal((await call(admin, 'PATCH', '/v3/settings/ui-brand', { value: 'evil' })).code, 405);
  });

  test('learn nothing about who there is by trying to sign in', async () => {
    const answers = [
      await login('mallory', 'wrong password'),
      await login('nobody', 'wrong password'),
      await login('', ''),
      await login('admin', ''),
    ];
    for (const { code, text } of answers) assert.deepEqual([code, JSON.parse(text)], [401, JSON.parse(answers[0]!.text)]);
    const headers = answers.map(answer => Object.keys(answer.headers).sort().join());
    assert.equal(new Set(headers).size, 1);
  });

  test('make a browser do nothing that its user did not want', async () => {
    const entered = await login('mallory', password, { responseType: 'cookie' });
    const cookies = (entered.headers['set-cookie'] ?? []).map(line => line.split(';')[0]!);
    const session = cookies.find(cookie => cookie.startsWith('R_SESS='))!;
    const csrf = cookies.find(cookie => cookie.startsWith('CSRF='))!;
    canaries['a session'] = decodeURIComponent(session).split(':')[1]!;
    const cookie = cookies.join('; ');
    assert.equal((await ask('GET', '/v3/users?me=true', undefined, { cookie })).code, 200);
    const post = (headers: RequestHeaders) =>
      ask('POST', '/v3/tokens', { description: 'x' }, { ...headers, cookie: headers['cookie'] ?? cookie });
    const proof = csrf.slice('CSRF='.length);
    for (const headers of [
      {},
      { 'x-api-csrf': 'guess' },
      { 'x-api-csrf': '0'.repeat(32) },
      { cookie: session, 'x-api-csrf': proof },
      { cookie: `${session}; CSRF=`, 'x-api-csrf': '' },
      { 'content-type': 'text/plain' },
      { origin: 'https://evil.example.com' },
    ])
      assert.equal((await post(headers as RequestHeaders)).code, 422, JSON.stringify(headers));
    assert.equal((await post({ 'x-api-csrf': proof })).code, 201);
    assert.equal((await ask('DELETE', `/k8s/clusters/${east}/api/v1/namespaces/default`, undefined, { cookie })).code, 422);
    assert.ok([401, 403].includes((await ask('GET', '/api/v1/namespaces', undefined, { cookie })).code), 'cookies are for the gateway');
    const sockets = ['/v3/subscribe?resourceTypes=cluster', '/v1/subscribe', `/k8s/clusters/${east}/api/v1/pods?watch=true`];
    for (const url of sockets)
      for (const origin of ['https://evil.example.com', 'null', `http://${new URL(hub.server).host}`, ''])
        assert.equal(await upgrade(url, { cookie, ...(origin !== '' && { origin }) }), 403, `${url} ${origin}`);
    assert.equal((await ask('POST', '/v3/tokens?action=logout', {}, { cookie, 'x-api-csrf': proof })).code, 200);
    assert.equal((await ask('GET', '/v3/users?me=true', undefined, { cookie })).code, 401);
  });

  /** The status that a WebSocket is answered with. */
  function upgrade(url: string, headers: Record<string, string>): Promise<number> {
    const { hostname, port, host } = new URL(hub.server);
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
    const lines = Object.entries({
      host,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${url} HTTP/1.1\r\n${lines.join('')}\r\n`);
    socket.once('data', chunk => {
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1'))?.[1] ?? 0));
      socket.destroy();
    });
    socket.once('error', reject);
    socket.setTimeout(10_000, () => socket.destroy(new Error('no answer')));
    return promise;
  }

  test('write text that stays text, for browsers and for terminals', async () => {
    const evil = '<script>alert(1)</script>\u001b[31m';
    const made = await call(admin, 'POST', '/v3/users', { username: 'evil', password, name: evil, description: 'javascript:alert(1)' });
    assert.equal(made.code, 201, made.text);
    const browser = { 'user-agent': 'Mozilla/5.0', accept: 'text/html,*/*' };
    for (const url of [
      '/v3/users',
      '/v3',
      '/v3/nonsense<script>',
      '/v1/schemas',
      '/v3-public/authProviders',
      `/v3/clusters/${encodeURIComponent(evil)}`,
    ]) {
      const { headers, text } = await call(admin, 'GET', url, undefined, browser);
      assert.match(headers['content-type']?.[0] ?? '', /^application\/json/, url);
      assert.equal(headers['x-content-type-options']?.[0], 'nosniff', url);
      assert.doesNotThrow(() => JSON.parse(text), url);
    }
    await call(admin, 'GET', `/k8s/clusters/${east}/api/v1/namespaces/default/pods/x%1b`, undefined, {
      'user-agent': evil.replace('\u001b', ''),
    });
    const drover = droverFor({ hub: hub.kubeconfig, dir: scratch.dir });
    const shown = (await drover.expect('get users.management.cattle.io')) + (await drover.expect('audit --user admin'));
    assert.ok(shown.includes('<script>') && !shown.includes('\u001b'));
  });

  test('are written down, and no secret is, anywhere', async () => {
    await login('mallory', 'a wrong password that is secret');
    canaries['a wrong password'] = 'a wrong password that is secret';
    const drover = droverFor({ hub: hub.kubeconfig, dir: scratch.dir });
    const events = await eventually(
      async () =>
        (await drover.expect('audit --user mallory -o json'))
          .trim()
          .split('\n')
          .map(line => JSON.parse(line) as Record<string, unknown>),
      found =>
        found.some(
          event => JSON.stringify(event['responseStatus']).includes('401') && String(event['requestURI']).includes('action=login'),
        ),
    );
    assert.ok(events.some(({ annotations, verb }) => verb === 'get' && JSON.stringify(annotations).includes(east)));
    const own = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'seen', namespace: 'default' } };
    await call(admin, 'POST', '/api/v1/namespaces/default/configmaps', own);
    const deeds = await eventually(
      () => drover.expect('audit --user admin'),
      said => said.includes('configmaps'),
    );
    assert.match(deeds, /default: configmaps\/seen/, 'by the token of Rancher at the API of the hub');
    assert.match(deeds, /\/v3\/users \(made user\/u-/);
    const stored = await feedSecrets();
    const metrics = (await hub.request('GET', '/metrics')).text;
    const objects: string[] = [];
    for (const { verb, resource, url } of await everyAttempt(url => hub.request('GET', url), ['default']))
      if (verb === 'list' && resource !== 'secrets') objects.push((await hub.request('GET', url)).text);
    const files = readdirSync(hub.dir, { recursive: true, withFileTypes: true })
      .filter(file => file.isFile())
      .map(file => path.join(file.parentPath, file.name));
    const said = readFileSync(hub.program.logFile, 'latin1').replace(/shown once: \S+/, '');
    const sinks: [string, string][] = [['log', said], ['metrics', metrics], ...objects.map((text): [string, string] => ['objects', text])];
    for (const file of files) sinks.push([file, readFileSync(file, 'latin1')]);
    assert.ok(Object.keys(canaries).length + Object.keys(stored).length >= 50);
    for (const [what, secret] of [...Object.entries(canaries), ...Object.entries(stored)])
      for (const [sink, text] of sinks) {
        // Whoever has the store has what is in it.
        if (what in stored && /hub\.db/.test(sink)) continue;
        for (const form of encodings(secret)) assert.ok(!text.includes(form), `${what} is in ${sink}`);
      }
  });
});

/** A secret as it may stand in a text: as it is, in JSON, in addresses, in hexadecimal, and in base64, wherever it begins there. */
function encodings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const inBase64 = [0, 1, 2].map(offset => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    return text.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3));
  });
  const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), bytes.toString('hex'), ...inBase64];
  return [...new Set([...forms, ...inBase64.map(text => text.replaceAll('+', '-').replaceAll('/', '_'))])];
}
