import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import { createAuthority, issueLeaf } from '../../pki/certificate-authority.ts';
import { startMemoryCluster } from '../../../test/helpers/memory-cluster.ts';
import { admissionRequest } from '../../../test/helpers/admission-request.ts';
import { httpsPools } from '../aggregation/https-pools.ts';
import { mutate, validate } from './admission-chain.ts';
import { mutatingWebhook } from './mutating-webhook.ts';
import { validatingWebhook } from './validating-webhook.ts';
import { watchedLists } from './watched-lists.ts';

type Review = { request: Record<string, unknown> & { uid: string; object: KubeObject | null } };
type Answer = Record<string, unknown>;

const authority = createAuthority('webhooks', new Date());
const caBundle = Buffer.from(authority.certificate).toString('base64');
const handlers = new Map<string, (review: Review) => Answer | Promise<Answer>>();
const seen: { path: string; review: Review; userAgent: string; host: string }[] = [];
let server: Server;
let port: number;
const pools = httpsPools();

before(async () => {
  const { certificate, key } = issueLeaf(authority, {
    commonName: 'hook',
    usage: 'server',
    hosts: ['hook.default.svc', '127.0.0.1'],
    now: new Date(),
  });
  server = createServer({ cert: certificate, key }, (req, res) => {
    void (async () => {
      let text = '';
      for await (const chunk of req) text += String(chunk);
      const review = JSON.parse(text) as Review;
      const path = (req.url ?? '').split('?')[0] ?? '';
      seen.push({ path: req.url ?? '', review, userAgent: req.headers['user-agent'] ?? '', host: req.headers.host ?? '' });
      const handler = handlers.get(path);
      if (!handler) return res.writeHead(404).end('nothing here');
      const response = await handler(review);
      res.setHeader('content-type', 'application/json');
      res.end(
        JSON.stringify({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response: { uid: review.request.uid, ...response } }),
      );
    })();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

after(async () => {
  await pools[Symbol.asyncDispose]();
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
});

function hook(name: string, path: string, extra: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name,
    clientConfig: { url: `https://127.0.0.1:${port}${path}`, caBundle },
    rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }],
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    sideEffects: 'None',
    timeoutSeconds: 10,
    admissionReviewVersions: ['v1'],
    ...extra,
  };
}

async function cluster(kind: 'Mutating' | 'Validating', webhooks: Record<string, Record<string, unknown>[]>) {
  const api = await startMemoryCluster();
  await api.add({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a', labels: { team: 'x' } } });
  for (const [name, hooks] of Object.entries(webhooks))
    await api.add({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: `${kind}WebhookConfiguration`,
      metadata: { name },
      webhooks: hooks,
    });
  const deps = {
    lists: watchedLists(api),
    pools,
    resolveService: () => ({ host: '127.0.0.1', port, servername: 'hook.default.svc' }),
  };
  return { api, plugins: [mutatingWebhook(deps), validatingWebhook(deps)] };
}

const configMap = (extra: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c', namespace: 'a' },
  ...extra,
});
const addKey = (key: string, value: string) => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify([{ op: 'add', path: `/data/${key}`, value }])).toString('base64'),
});

async function refusal(run: () => void | Promise<void>): Promise<StatusError> {
  try {
    await run();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('the request was admitted');
}

test('a denial carries code, reason and message of the webhook', async () => {
  handlers.set('/deny', () => ({ allowed: false, status: { code: 403, message: 'not today', reason: 'Forbidden' }, warnings: ['beware'] }));
  const { api, plugins } = await cluster('Validating', { one: [hook('deny.example.com', '/deny')] });
  const request = admissionRequest(api, { object: configMap() });
  const error = await refusal(() => validate(plugins, request));
  assert.deepEqual(
    [error.code, error.reason, error.message],
    [403, 'Forbidden', 'admission webhook "deny.example.com" denied the request: not today'],
  );
  assert.deepEqual(request.warnings, ['beware']);
});

test('a denial without status is a 400 without explanation', async () => {
  handlers.set('/mute', () => ({ allowed: false }));
  const { api, plugins } = await cluster('Validating', { one: [hook('mute.example.com', '/mute')] });
  const error = await refusal(() => validate(plugins, admissionRequest(api, { object: configMap() })));
  assert.deepEqual(
    [error.code, error.reason, error.message],
    [400, '', 'admission webhook "mute.example.com" denied the request without explanation'],
  );
});

test('a review names the request, its user and its objects', async () => {
  handlers.set('/look', () => ({ allowed: true, auditAnnotations: { seen: 'yes' } }));
  const { api, plugins } = await cluster('Validating', {
    one: [
      hook('look.example.com', '/look', { clientConfig: { service: { name: 'hook', namespace: 'default', path: '/look' }, caBundle } }),
    ],
  });
  const request = admissionRequest(api, { object: configMap(), name: 'c' });
  seen.length = 0;
  await validate(plugins, request);
  const call = seen[0];
  assert.equal(call?.path, '/look?timeout=10s');
  assert.equal(call?.userAgent, 'kube-apiserver-admission');
  assert.equal(call?.host, 'hook.default.svc:443');
  const { uid, ...rest } = call?.review.request ?? { uid: '' };
  assert.match(uid, /^[0-9a-f-]{36}$/);
  assert.deepEqual(rest, {
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    resource: { group: '', version: 'v1', resource: 'configmaps' },
    requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
    requestResource: { group: '', version: 'v1', resource: 'configmaps' },
    name: 'c',
    namespace: 'a',
    operation: 'CREATE',
    userInfo: { username: 'alice', groups: ['system:authenticated'] },
    object: configMap(),
    oldObject: null,
    dryRun: false,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
  });
  assert.deepEqual(request.annotations, { 'look.example.com/seen': 'yes' });
});

test('mutating webhooks run by name of their configuration and see what came before', async () => {
  handlers.set('/first', () => addKey('first', '1'));
  handlers.set('/second', review => addKey('second', String((review.request.object?.['data'] as Record<string, string>)['first'])));
  const { api, plugins } = await cluster('Mutating', {
    b: [hook('second.example.com', '/second')],
    a: [hook('first.example.com', '/first')],
  });
  const request = admissionRequest(api, { object: configMap({ data: {} }) });
  await mutate(plugins, request);
  assert.deepEqual(request.object?.['data'], { first: '1', second: '1' });
});

test('a webhook that asks for it runs again after a later one changed the object', async () => {
  let calls = 0;
  handlers.set('/again', () => addKey('calls', String(++calls)));
  handlers.set('/late', () => addKey('late', 'x'));
  const { api, plugins } = await cluster('Mutating', {
    a: [hook('again.example.com', '/again', { reinvocationPolicy: 'IfNeeded' })],
    b: [hook('late.example.com', '/late')],
  });
  const request = admissionRequest(api, { object: configMap({ data: {} }) });
  await mutate(plugins, request);
  assert.deepEqual(request.object?.['data'], { calls: '2', late: 'x' });
});

test('a webhook that cannot be called fails the request, or is skipped when its policy says so', async () => {
  const unreachable = { clientConfig: { url: 'https://127.0.0.1:1/x', caBundle } };
  const strict = await cluster('Validating', { one: [hook('gone.example.com', '/x', unreachable)] });
  const error = await refusal(() => validate(strict.plugins, admissionRequest(strict.api, { object: configMap() })));
  assert.deepEqual(
    [error.code, error.reason, error.message],
    [
      500,
      'InternalError',
      'Internal error occurred: failed calling webhook "gone.example.com": failed to call webhook: Post "https://127.0.0.1:1/x?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused',
    ],
  );
  const lax = await cluster('Validating', { one: [hook('gone.example.com', '/x', { ...unreachable, failurePolicy: 'Ignore' })] });
  await validate(lax.plugins, admissionRequest(lax.api, { object: configMap() }));
});

const failures: [string, Record<string, unknown>, string][] = [
  ['an unknown path', {}, 'failed to call webhook: the server could not find the requested resource'],
  [
    'an unknown authority',
    {
      clientConfig: () => ({
        url: `https://127.0.0.1:${port}/x`,
        caBundle: Buffer.from(createAuthority('other', new Date()).certificate).toString('base64'),
      }),
    },
    'tls: failed to verify certificate: x509: certificate signed by unknown authority',
  ],
  ['a slow answer', { path: '/slow', timeoutSeconds: 1 }, '/slow?timeout=1s": context deadline exceeded'],
  ['a wrong uid', { path: '/wrong' }, 'received invalid webhook response: expected response.uid='],
  ['a patch in validation', { path: '/patches' }, 'received invalid webhook response: validating webhook may not return response.patch'],
];
for (const [what, { path = '/nowhere', clientConfig, ...extra }, expected] of failures)
  test(`a call that fails by ${what} says so`, async () => {
    handlers.set('/slow', () => new Promise(resolve => setTimeout(() => resolve({ allowed: true }), 1500)));
    handlers.set('/wrong', () => ({ uid: 'wrong', allowed: true }));
    handlers.set('/patches', () => addKey('x', 'y'));
    const config = typeof clientConfig === 'function' ? { clientConfig: (clientConfig as () => unknown)() } : {};
    const { api, plugins } = await cluster('Validating', { one: [hook('bad.example.com', String(path), { ...extra, ...config })] });
    const error = await refusal(() => validate(plugins, admissionRequest(api, { object: configMap() })));
    assert.equal(error.code, 500);
    assert.ok(error.message.includes(expected), error.message);
  });

const choices: [string, Record<string, unknown>, boolean][] = [
  ['a namespace selector that matches', { namespaceSelector: { matchLabels: { team: 'x' } } }, true],
  ['a namespace selector that does not match', { namespaceSelector: { matchLabels: { team: 'y' } } }, false],
  ['an object selector that does not match', { objectSelector: { matchLabels: { team: 'y' } } }, false],
  ['another operation', { rules: [{ operations: ['UPDATE'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }] }, false],
  ['cluster scope', { rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], scope: 'Cluster' }] }, false],
  ['subresources only', { rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['configmaps/status'] }] }, false],
  ['a condition that holds', { matchConditions: [{ name: 'c', expression: 'object.metadata.name == "c"' }] }, true],
  ['a condition that does not hold', { matchConditions: [{ name: 'c', expression: 'request.operation == "DELETE"' }] }, false],
];
for (const [what, extra, isCalled] of choices)
  test(`a webhook with ${what} is ${isCalled ? 'called' : 'not called'}`, async () => {
    handlers.set('/choose', () => ({ allowed: true }));
    const { api, plugins } = await cluster('Validating', { one: [hook('choose.example.com', '/choose', extra)] });
    seen.length = 0;
    await validate(plugins, admissionRequest(api, { object: configMap() }));
    assert.equal(seen.length === 1, isCalled);
  });

test('a webhook with side effects refuses a dry run', async () => {
  handlers.set('/side', () => ({ allowed: true }));
  const { api, plugins } = await cluster('Validating', { one: [hook('side.example.com', '/side')] });
  // Nobody can write this any more, but it may have been stored by an older version.
  const key = { resource: 'admissionregistration.k8s.io/validatingwebhookconfigurations', namespace: '', name: 'one' };
  const entry = api.store.get(key)!;
  await api.store.write(key, { ...entry.obj, webhooks: [hook('side.example.com', '/side', { sideEffects: 'Some' })] }, entry);
  const error = await refusal(() => validate(plugins, admissionRequest(api, { object: configMap(), dryRun: true })));
  assert.deepEqual([error.code, error.message], [400, 'admission webhook "side.example.com" does not support dry run']);
});

test('webhooks do not see the configuration of admission', async () => {
  handlers.set('/deny', () => ({ allowed: false }));
  const { api, plugins } = await cluster('Validating', { one: [hook('deny.example.com', '/deny')] });
  const obj = api.peekAll({ group: 'admissionregistration.k8s.io', resource: 'validatingwebhookconfigurations' })[0];
  await validate(plugins, admissionRequest(api, { operation: 'DELETE', oldObject: obj!, name: 'one' }));
});
