import assert from 'node:assert/strict';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import type { KubeObject } from '../api/object.ts';
import { serviceUnavailable } from '../api/status.ts';
import { eventually } from '../../test/helpers/eventually.ts';
import { startMemoryCluster } from '../../test/helpers/memory-cluster.ts';
import { createAuthority, issueLeaf, type KeyPair } from '../pki/certificate-authority.ts';
import { authenticator } from './authenticator.ts';
import { headerValues } from './header-values.ts';
import { signJwt, tokenKey } from './jwt.ts';
import { reviews, type ReviewContext } from './reviews.ts';
import { rbacAuthorizer } from './rbac.ts';
import { serviceAccountAuthenticator } from './service-account-authenticator.ts';
import { serviceAccountTokens } from './service-account-tokens.ts';
import { staticTokens, tokenDigest } from './static-tokens.ts';
import { handleTokenRequest } from './token-request.ts';

const secrets = { group: '', version: 'v1', resource: 'secrets' };
const robot: KubeObject = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot', namespace: 'shop' } };
const now = new Date('2026-05-01T12:00:00Z');

async function world() {
  const cluster = await startMemoryCluster({ namespaces: ['shop'] });
  const clock = { now };
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const tokens = serviceAccountTokens({ signingKey: ec.privateKey });
  const ca = createAuthority('ca', now);
  const proxyCa = createAuthority('proxy-ca', now);
  const auth = authenticator({
    clientAuthorities: [ca.x509],
    frontProxyAuthorities: [proxyCa.x509],
    frontProxyNames: ['front-proxy-client'],
    staticTokens: staticTokens([{ digest: tokenDigest('s3cret'), user: { name: 'alice', uid: 'u2', groups: ['dev'] } }]),
    serviceAccounts: serviceAccountAuthenticator({ api: cluster, tokens, now: () => clock.now }),
    audiences: tokens.audiences,
    now: () => clock.now,
  });
  const account = await cluster.add(robot);
  const uid = account.metadata.uid!;
  const request = (spec: object = {}, metadata: object = {}, name = 'robot') =>
    handleTokenRequest({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata, spec } as KubeObject, {
      api: cluster,
      tokens,
      namespace: 'shop',
      name,
      now: clock.now,
      warn: () => undefined,
      auditAnnotation: () => undefined,
    });
  const tokenOf = (spec?: object) => (request(spec)['status'] as { token: string }).token;
  const bearer = (token: string, ...more: string[]) =>
    auth.authenticate({ headers: headerValues(['Authorization', `Bearer ${token}`, ...more]) });
  return { cluster, account, uid, clock, ec, tokens, ca, proxyCa, auth, request, tokenOf, bearer };
}

const unauthorized = { message: 'Unauthorized', code: 401 };

test('bearer tokens: who they stand for', async () => {
  const { bearer, auth } = await world();
  assert.deepEqual(bearer('s3cret').user, { name: 'alice', uid: 'u2', groups: ['dev', 'system:authenticated'] });
  assert.throws(() => bearer('wrong'), unauthorized);
  assert.deepEqual(auth.authenticate({ headers: headerValues([]) }).user, { name: 'system:anonymous', groups: ['system:unauthenticated'] });
  assert.equal(auth.authenticate({ headers: headerValues(['authorization', 'Basic abc']) }).user.name, 'system:anonymous');
});

test('people whom a hub that starts does not know yet are no strangers to it', () => {
  const bearerTokens = () => {
    throw serviceUnavailable('not yet', 1);
  };
  const { authenticate } = authenticator({ clientAuthorities: [], audiences: [], bearerTokens });
  const asking = (token: string) => () => authenticate({ headers: headerValues(['Authorization', `Bearer ${token}`]) });
  assert.throws(asking('token-abcde:key'), { code: 503 });
  assert.throws(asking('neither'), { code: 401 });
});

test('a service account token names its account and dies with it', async () => {
  const { cluster, uid, bearer, tokenOf } = await world();
  const token = tokenOf();
  const { user } = bearer(token);
  assert.equal(user.name, 'system:serviceaccount:shop:robot');
  assert.equal(user.uid, uid);
  assert.deepEqual(user.groups, ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated']);
  assert.match(user.extra?.['authentication.kubernetes.io/credential-id']?.[0] ?? '', /^JTI=[0-9a-f-]{36}$/);
  await cluster.remove(robot);
  assert.throws(() => bearer(token), unauthorized);
  await cluster.add(robot);
  assert.throws(() => bearer(token), unauthorized);
});

test('a bound token dies with its pod, and carries pod and node', async () => {
  const { cluster, bearer, tokenOf, request } = await world();
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'shop' },
    spec: { serviceAccountName: 'robot', nodeName: 'n1', terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'i' }] },
  };
  const { uid } = (await cluster.add(pod)).metadata;
  const token = tokenOf({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } });
  const extra = bearer(token).user.extra;
  assert.deepEqual(extra?.['authentication.kubernetes.io/pod-name'], ['p']);
  assert.deepEqual(extra?.['authentication.kubernetes.io/pod-uid'], [uid]);
  assert.deepEqual(extra?.['authentication.kubernetes.io/node-name'], ['n1']);
  await cluster.remove(pod);
  await cluster.add(pod);
  assert.throws(() => bearer(token), unauthorized);
  assert.throws(() => request({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p', uid: 'x' } }), {
    message:
      'Operation cannot be fulfilled on Pod "p": the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated',
  });
});

test('forged and stale tokens are refused', async t => {
  const { ec, tokens, uid, clock, auth, tokenOf } = await world();
  const good = tokenOf({ expirationSeconds: 600 });
  const [head = '', payload = '', signature = ''] = good.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const own = tokens.keys[0];
  assert.ok(own);
  const signed = (changes: object) => signJwt(ec.privateKey, own, { ...claims, ...changes });
  const seconds = now.getTime() / 1000;
  const table: [string, string, string][] = [
    ['no algorithm', `${encode({ alg: 'none' })}.${payload}.`, 'go-jose/go-jose: error in cryptographic primitive'],
    ['no algorithm, own key', `${encode({ alg: 'none', kid: own.id })}.${payload}.`, 'go-jose/go-jose: error in cryptographic primitive'],
    [
      'symmetric algorithm',
      `${encode({ alg: 'HS256', kid: own.id })}.${payload}.${signature}`,
      'go-jose/go-jose: error in cryptographic primitive',
    ],
    [
      'changed claims',
      `${head}.${encode({ ...claims, sub: 'system:serviceaccount:kube-system:admin' })}.${signature}`,
      'go-jose/go-jose: error in cryptographic primitive',
    ],
    ['another key', signJwt(stranger, { ...tokenKey(stranger), id: own.id }, claims), 'go-jose/go-jose: error in cryptographic primitive'],
    ['unknown key id', signJwt(stranger, tokenKey(stranger), claims), 'invalid signature, no keys found'],
    ['key id as path', signJwt(stranger, { ...tokenKey(stranger), id: '../../../etc/passwd' }, claims), 'invalid signature, no keys found'],
    [
      'another audience',
      signed({ aud: ['vault'] }),
      'token audiences ["vault"] is invalid for the target audiences ["https://kubernetes.default.svc.cluster.local"]',
    ],
    ['expired', signed({ exp: seconds - 61 }), 'service account token has expired'],
    ['without an end', signed({ exp: undefined }), 'service account token has expired'],
    ['not yet valid', signed({ nbf: seconds + 61 }), 'service account token is not valid yet'],
    ['from the future', signed({ iat: seconds + 61 }), 'service account token is issued in the future'],
    [
      'another account uid',
      signed({ 'kubernetes.io': { namespace: 'shop', serviceaccount: { name: 'robot', uid: 'x' } } }),
      `service account UID (${uid}) does not match claim (x)`,
    ],
    [
      'no account',
      signed({ 'kubernetes.io': { namespace: 'shop', serviceaccount: { name: 'ghost', uid: 'x' } } }),
      'serviceaccounts "ghost" not found',
    ],
    [
      'a secret that is gone',
      signed({ 'kubernetes.io': { namespace: 'shop', serviceaccount: { name: 'robot', uid }, secret: { name: 's', uid: 'u' } } }),
      'service account token has been invalidated',
    ],
    ['legacy claims without a secret', signed({ iss: 'kubernetes/serviceaccount', aud: undefined }), 'namespace claim is missing'],
  ];
  for (const [name, token, message] of table)
    await t.test(name, () => assert.deepEqual(auth.reviewToken(token, tokens.audiences), { error: `[invalid bearer token, ${message}]` }));
  for (const token of [signed({ iss: 'https://evil' }), 'a.b.c', `${good}.x`, `${'a'.repeat(70_000)}.b.c`, '{"payload":""}'])
    await t.test(`not ours: ${token.slice(0, 20)}`, () =>
      assert.deepEqual(auth.reviewToken(token, tokens.audiences), { error: 'invalid bearer token' }),
    );
  await t.test('a remembered token expires all the same', () => {
    assert.ok('user' in (auth.reviewToken(good, tokens.audiences) ?? {}));
    clock.now = new Date(now.getTime() + 700_000);
    assert.deepEqual(auth.reviewToken(good, tokens.audiences), { error: '[invalid bearer token, service account token has expired]' });
  });
});

test('a legacy token is good while its secret holds it', async () => {
  const { cluster, account, tokens, bearer } = await world();
  const secret: KubeObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', namespace: 'shop', annotations: { 'kubernetes.io/service-account.name': 'robot' } },
    type: 'kubernetes.io/service-account-token',
  };
  const token = tokens.issueLegacy(account, secret);
  assert.throws(() => bearer(token), unauthorized);
  await cluster.add({ ...secret, data: { token: Buffer.from(token).toString('base64') } });
  assert.deepEqual(bearer(token).annotations, {
    'authentication.k8s.io/legacy-token': 'system:serviceaccount:shop:robot',
    'authentication.k8s.io/legacy-token-manual-secret': 's',
  });
  await eventually(
    () => cluster.peek(secrets, 'shop', 's')?.metadata.labels?.['kubernetes.io/legacy-token-last-used'],
    day => day === '2026-05-01',
  );
  await cluster.put({ ...secret, data: { token: Buffer.from('other').toString('base64') } });
  assert.throws(() => bearer(token), unauthorized);
});

test('TokenRequest: shape and refusals', async () => {
  const { request, uid } = await world();
  const answer = request({ expirationSeconds: 600 });
  assert.deepEqual(answer.metadata, { name: 'robot', namespace: 'shop', uid, creationTimestamp: '2026-05-01T12:00:00Z' });
  assert.deepEqual(answer['spec'], {
    expirationSeconds: 600,
    audiences: ['https://kubernetes.default.svc.cluster.local'],
    boundObjectRef: null,
  });
  assert.equal((answer['status'] as { expirationTimestamp: string }).expirationTimestamp, '2026-05-01T12:10:00Z');
  const table: [object, object, string, string][] = [
    [
      { expirationSeconds: 60 },
      {},
      'robot',
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes',
    ],
    [
      { expirationSeconds: 2 ** 33 },
      {},
      'robot',
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 8589934592: may not specify a duration larger than 2^32 seconds',
    ],
    [
      {},
      { name: 'other' },
      'robot',
      'TokenRequest.authentication.k8s.io "robot" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified',
    ],
    [
      {},
      { uid: 'other' },
      'robot',
      `Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "robot": the UID in the token request (other) does not match the UID of the service account (${uid})`,
    ],
    [{}, {}, 'ghost', 'serviceaccounts "ghost" not found'],
    [{ boundObjectRef: { kind: 'Foo', apiVersion: 'x/v1', name: 'n' } }, {}, 'robot', 'cannot bind token to object of type x/v1, Kind=Foo'],
    [{ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'n' } }, {}, 'robot', 'secrets "n" not found'],
  ];
  for (const [spec, metadata, name, message] of table) assert.throws(() => request(spec, metadata, name), { message });
});

test('RSA keys sign as well, and former keys stay good', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const tokens = serviceAccountTokens({
    signingKey: rsa.privateKey,
    formerKeys: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey],
  });
  assert.deepEqual(
    (JSON.parse(tokens.jwks()) as { keys: { alg: string }[] }).keys.map(key => key.alg),
    ['RS256', 'ES256'],
  );
  assert.deepEqual(JSON.parse(tokens.openidConfiguration('https://h/openid/v1/jwks')), {
    issuer: 'https://kubernetes.default.svc.cluster.local',
    jwks_uri: 'https://h/openid/v1/jwks',
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256', 'RS256'],
  });
});

test('client certificates and front proxies', async () => {
  const { auth, ca, proxyCa } = await world();
  const certificate = (pair: KeyPair) => new X509Certificate(pair.certificate);
  const client = certificate(issueLeaf(ca, { commonName: 'carol', organizations: ['ops'], usage: 'client', now }));
  const proxy = certificate(issueLeaf(proxyCa, { commonName: 'front-proxy-client', usage: 'client', now }));
  const impostor = certificate(issueLeaf(proxyCa, { commonName: 'somebody', usage: 'client', now }));
  const remote = headerValues([
    'X-Remote-User',
    'dave',
    'X-Remote-Group',
    'a',
    'x-remote-group',
    'b, c',
    'X-Remote-Extra-Acme.io%2Fscope',
    's',
  ]);

  const carol = auth.authenticate({ headers: remote, peerCertificate: client }).user;
  assert.equal(carol.name, 'carol');
  assert.deepEqual(carol.groups, ['ops', 'system:authenticated']);
  assert.match(carol.extra?.['authentication.kubernetes.io/credential-id']?.[0] ?? '', /^X509SHA256=[0-9a-f]{64}$/);
  assert.deepEqual(auth.authenticate({ headers: remote, peerCertificate: proxy }).user, {
    name: 'dave',
    groups: ['a', 'b, c', 'system:authenticated'],
    extra: { 'acme.io/scope': ['s'] },
  });
  assert.equal(auth.authenticate({ headers: remote }).user.name, 'system:anonymous');
  assert.throws(() => auth.authenticate({ headers: remote, peerCertificate: impostor }), unauthorized);
  assert.throws(() => auth.authenticate({ headers: headerValues([]), peerCertificate: proxy }), unauthorized);
  assert.equal(
    auth.authenticate({ headers: headerValues(['Authorization', 'Bearer s3cret']), peerCertificate: impostor }).user.name,
    'alice',
  );
});

test('a WebSocket may carry its token as a sub-protocol', async () => {
  const { auth } = await world();
  const protocol = `base64url.bearer.authorization.k8s.io.${Buffer.from('s3cret').toString('base64url')}`;
  const upgrade = ['Connection', 'keep-alive, Upgrade', 'Upgrade', 'websocket', 'Sec-WebSocket-Protocol'];
  const found = auth.authenticate({ headers: headerValues([...upgrade, `${protocol}, v5.channel.k8s.io`]) });
  assert.equal(found.user.name, 'alice');
  assert.deepEqual(found.webSocketProtocols, ['v5.channel.k8s.io']);
  assert.throws(() => auth.authenticate({ headers: headerValues([...upgrade, protocol]) }), unauthorized);
  assert.throws(() => auth.authenticate({ headers: headerValues([...upgrade, `${protocol}, ${protocol}, v5`]) }), unauthorized);
  assert.throws(
    () => auth.authenticate({ headers: headerValues([...upgrade, 'base64url.bearer.authorization.k8s.io.!!, v5']) }),
    unauthorized,
  );
  assert.equal(auth.authenticate({ headers: headerValues(['Sec-WebSocket-Protocol', `${protocol}, v5`]) }).user.name, 'system:anonymous');
});

test('reviews answer like the real server', async t => {
  const { auth, cluster, tokens } = await world();
  using rbac = rbacAuthorizer(cluster);
  const ctx: ReviewContext = {
    authorizer: rbac,
    authenticator: auth,
    audiences: tokens.audiences,
    user: { name: 'bob', groups: ['g'] },
    namespace: '',
    now,
  };
  const ask = (resource: string, kind: string, content: object, metadata = {}) => {
    const review = reviews[resource];
    assert.ok(review);
    return review({ apiVersion: 'x', kind, metadata, ...content }, ctx);
  };
  const access = 'authorization.k8s.io/selfsubjectaccessreviews';
  const token = 'authentication.k8s.io/tokenreviews';
  const status = (obj: KubeObject) => obj['status'];
  assert.deepEqual(status(ask(token, 'TokenReview', { spec: { token: 'junk' } })), { user: {}, error: 'invalid bearer token' });
  assert.deepEqual(status(ask(token, 'TokenReview', { spec: { token: 's3cret' } })), {
    authenticated: true,
    user: { username: 'alice', uid: 'u2', groups: ['dev', 'system:authenticated'] },
    audiences: tokens.audiences,
  });
  assert.deepEqual(status(ask(token, 'TokenReview', { spec: { token: 's3cret', audiences: ['foo'] } })), {
    user: {},
    error: 'invalid bearer token',
  });
  assert.deepEqual(status(ask(access, 'SelfSubjectAccessReview', { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } })), {
    allowed: false,
  });
  assert.deepEqual(
    status(
      ask(access, 'SelfSubjectAccessReview', {
        spec: { resourceAttributes: { verb: 'get', resource: 'pods', labelSelector: { rawSelector: 'a in (' } } },
      }),
    ),
    { allowed: false, evaluationError: 'spec.resourceAttributes.labelSelector ignored due to parse error' },
  );
  assert.deepEqual(status(ask('authentication.k8s.io/selfsubjectreviews', 'SelfSubjectReview', {})), {
    userInfo: { username: 'bob', groups: ['g'] },
  });
  assert.deepEqual(ask('authorization.k8s.io/selfsubjectrulesreviews', 'SelfSubjectRulesReview', { spec: { namespace: 'default' } }), {
    apiVersion: 'x',
    kind: 'SelfSubjectRulesReview',
    metadata: {},
    spec: {},
    status: { resourceRules: [], nonResourceRules: [], incomplete: false },
  });
  const both = { spec: { resourceAttributes: { verb: 'get' }, nonResourceAttributes: { path: '/x', verb: 'get' } } };
  const refused: [string, string, object, object, string][] = [
    [
      access,
      'SelfSubjectAccessReview',
      { spec: {} },
      {},
      '.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ],
    [
      'authorization.k8s.io/subjectaccessreviews',
      'SubjectAccessReview',
      both,
      { name: 'x' },
      '.authorization.k8s.io "" is invalid: [spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: cannot be specified in combination with resourceAttributes, spec.user: Invalid value: "": at least one of user or group must be specified, metadata: Invalid value: {"name":"x"}: must be empty]',
    ],
    [token, 'TokenReview', { spec: {} }, {}, 'token is required for TokenReview in authentication'],
    ['authorization.k8s.io/selfsubjectrulesreviews', 'SelfSubjectRulesReview', { spec: {} }, {}, 'no namespace on request'],
  ];
  for (const [resource, kind, content, metadata, message] of refused)
    await t.test(message.slice(0, 60), () => assert.throws(() => ask(resource, kind, content, metadata), { message }));
});
