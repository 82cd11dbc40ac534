import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { TestCa } from '../../../test/helpers/certificates.ts';
import { tempDir } from '../../../test/helpers/temp-dir.ts';
import type { JsonObject } from '../../util/json.ts';
import { readContext, readKubeconfigs, type ContextChoice } from './kubeconfig.ts';
import { parseKubeconfig } from './kubeconfig-file.ts';

const env = {};
const base64 = (text: string) => Buffer.from(text).toString('base64');

function config({ cluster = {}, user = {}, context = {} }: { cluster?: object; user?: object; context?: object } = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'main',
    contexts: [{ name: 'main', context: { cluster: 'c', user: 'u', ...context } }],
    clusters: [{ name: 'c', cluster: { server: 'https://one.example.com:6443', ...cluster } }],
    users: [{ name: 'u', user }],
  };
}

const read = (content: object, choice: Partial<ContextChoice> = {}, file = '/nowhere/config') =>
  readContext([parseKubeconfig(JSON.stringify(content), file)], { env, ...choice });

function folder(t: TestContext): (name: string, text: string) => string {
  const scratch = tempDir('kubeconfig');
  t.after(() => scratch[Symbol.dispose]());
  return (name, text) => {
    const file = join(scratch.dir, name);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
}

test('reads server, namespace and token', async () => {
  const context = read(config({ user: { token: 't' }, context: { namespace: 'shop' } }));
  assert.equal(context.namespace, 'shop');
  assert.equal(context.connection.server, 'https://one.example.com:6443');
  assert.deepEqual(await context.connection.credentials?.current(), { authorization: 'Bearer t' });
});

test('for each name the first of several files counts', t => {
  const write = folder(t);
  const first = write('one', JSON.stringify({ ...config({ cluster: { server: 'https://first' } }), users: [] }));
  const second = write('two', JSON.stringify({ ...config({ user: { username: 'a', password: 'b' } }), 'current-context': 'other' }));
  const KUBECONFIG = [first, '/does/not/exist', second].join(delimiter);
  const files = readKubeconfigs(undefined, { KUBECONFIG });
  const context = readContext(files, { env });
  assert.equal(context.name, 'main');
  assert.equal(context.connection.server, 'https://first');
  assert.deepEqual(context.connection.credentials?.current(), { authorization: `Basic ${base64('a:b')}` });
});

test('a named file must exist, and so must one of those in the environment', () => {
  assert.throws(() => readKubeconfigs('/nowhere/x', env), /there is no kubeconfig "\/nowhere\/x"/);
  assert.throws(() => readKubeconfigs(undefined, { KUBECONFIG: '/a:/b' }), /there is no kubeconfig "\/a", "\/b"/);
});

test('files are found beside the kubeconfig that names them', async t => {
  const write = folder(t);
  const ca = await TestCa.create('ca');
  const { certificate, key } = await ca.issue('jane');
  write('pki/ca.crt', ca.certificate);
  write('pki/jane.crt', certificate);
  write('pki/jane.key', key);
  const user = { 'client-certificate': 'pki/jane.crt', 'client-key': 'pki/jane.key' };
  const file = write('config', JSON.stringify(config({ cluster: { 'certificate-authority': 'pki/ca.crt' }, user })));
  const { connection } = readContext(readKubeconfigs(file, env), { env });
  assert.equal(connection.ca, ca.certificate);
  assert.deepEqual(await connection.credentials?.current(), { certificate, key });
});

test('a token file is read anew, and its path is relative', async t => {
  const write = folder(t);
  write('token', 'first\n');
  const file = write('config', JSON.stringify(config({ user: { tokenFile: 'token' } })));
  const { connection } = readContext(readKubeconfigs(file, env), { env });
  assert.deepEqual(await connection.credentials?.current(), { authorization: 'Bearer first' });
  write('token', 'second');
  assert.equal(connection.credentials?.refused?.({}), true);
  assert.deepEqual(await connection.credentials?.current(), { authorization: 'Bearer second' });
});

test('impersonation becomes headers', () => {
  const user = { as: 'jane', 'as-uid': '7', 'as-groups': ['a', 'b'], 'as-user-extra': { 'x/y': ['1'] } };
  assert.deepEqual(read(config({ user })).connection.headers, {
    'impersonate-user': 'jane',
    'impersonate-uid': '7',
    'impersonate-group': ['a', 'b'],
    'impersonate-extra-x%2Fy': ['1'],
  });
});

for (const [what, content, problem] of [
  ['no context', { ...config(), 'current-context': '' }, /has no current context/],
  ['a context that is not there', { ...config(), 'current-context': 'x' }, /has no context "x"/],
  ['a cluster that is not there', { ...config(), clusters: [] }, /has no cluster "c"/],
  ['a user that is not there', { ...config(), users: null }, /has no user "u"/],
  ['no server', config({ cluster: { server: '' } }), /cluster "c" has no server/],
  ['a server that is no URL', config({ cluster: { server: 'ftp://x' } }), /has a server that is no URL: "ftp:\/\/x"/],
  ['a number for a token', config({ user: { token: 7 } }), /user "u" has a token that is not text; quote it/],
  [
    'data that are not base64',
    config({ cluster: { 'certificate-authority-data': '%' } }),
    /has a certificate-authority-data that is not base64/,
  ],
  ['data that are not PEM', config({ cluster: { 'certificate-authority-data': base64('x') } }), /holds no PEM/],
  ['a file that is not there', config({ cluster: { 'certificate-authority': 'x' } }), /names a certificate-authority that cannot be read/],
  [
    'a key without a certificate',
    config({ user: { 'client-key-data': base64('-----BEGIN X') } }),
    /has a client-key without a client-certificate/,
  ],
  ['a SOCKS proxy', config({ cluster: { 'proxy-url': 'socks5://x' } }), /has a proxy-url that is not an HTTP proxy/],
  ['an auth-provider', config({ user: { 'auth-provider': { name: 'gcp' } } }), /uses auth-provider "gcp", which is not supported/],
  ['groups without a user', config({ user: { 'as-groups': ['a'] } }), /impersonates groups, a uid or extra without a user/],
  ['another kind', { kind: 'Pod' }, /its kind is "Pod" and not "Config"/],
] as const) {
  test(`says what is wrong: ${what}`, () => {
    assert.throws(
      () => read(content),
      (error: Error) => problem.test([error.message, (error.cause as Error | undefined)?.message].join(': ')),
    );
  });
}

test('a plugin gives the credential, is told what it asks for, and is asked again when refused', async t => {
  const write = folder(t);
  const script = write(
    'bin/plugin',
    `#!/bin/sh\necho run >> "$COUNT"\nprintf '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"%s-%s"}}' "$1" "$(echo "$KUBERNETES_EXEC_INFO" | grep -o one.example.com)"\n`,
  );
  chmodSync(script, 0o700);
  const count = write('count', '');
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: './bin/plugin',
    args: ['made'],
    env: [{ name: 'COUNT', value: count }],
    interactiveMode: 'Never',
    provideClusterInfo: true,
  };
  const file = write('config', JSON.stringify(config({ user: { exec } })));
  const context = readContext(readKubeconfigs(file, env), { env: process.env });
  assert.equal(context.usesPlugin, true);
  const { credentials } = context.connection;
  const both = await Promise.all([credentials?.current(), credentials?.current()]);
  assert.deepEqual(both[0], { authorization: 'Bearer made-one.example.com' });
  assert.equal(both[0], both[1]);
  assert.equal(credentials?.refused?.(both[0]!), true);
  assert.notEqual(await credentials?.current(), both[0]);
});

test('a plugin that fails is named, with the hint of the kubeconfig', async () => {
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: 'no-such-plugin',
    interactiveMode: 'Never',
    installHint: 'install it',
  };
  const { connection } = read(config({ user: { exec } }));
  await assert.rejects(
    async () => connection.credentials?.current(),
    /user "u" gets its credential from "no-such-plugin", which is not there\ninstall it/,
  );
  const old = { ...exec, apiVersion: 'client.authentication.k8s.io/v1alpha1' };
  assert.throws(() => read(config({ user: { exec: old } })), /exec of user "u" has apiVersion "client.authentication.k8s.io\/v1alpha1"/);
});

test('whatever a kubeconfig holds, it is read or refused in words', () => {
  const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.constant('c'), fc.constant('https://x'));
  const fields = [
    'server',
    'token',
    'exec',
    'command',
    'apiVersion',
    'as',
    'as-groups',
    'certificate-authority-data',
    'client-key-data',
    'cluster',
    'user',
    'name',
  ];
  const mapping = fc.dictionary(
    fc.constantFrom(...fields),
    fc.oneof(leaf, fc.array(leaf), fc.dictionary(fc.constantFrom(...fields), leaf)),
  );
  const entries = (field: string) => fc.oneof(leaf, fc.array(fc.oneof(leaf, fc.record({ name: leaf, [field]: fc.oneof(leaf, mapping) }))));
  const document = fc.record(
    {
      'current-context': leaf,
      contexts: entries('context'),
      clusters: entries('cluster'),
      users: entries('user'),
      kind: fc.constantFrom('Config', 1),
    },
    { requiredKeys: [] },
  );
  const isInWords = (error: unknown) => error instanceof Error && error.constructor === Error && /kubeconfig/.test(error.message);
  fc.assert(
    fc.property(document, content => {
      try {
        read(content as JsonObject);
      } catch (error) {
        assert.ok(isInWords(error), String((error as Error).stack));
      }
    }),
    { numRuns: 2000 },
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      try {
        readContext([parseKubeconfig(text, '/nowhere/config')], { env });
      } catch (error) {
        assert.ok(isInWords(error), String((error as Error).stack));
      }
    }),
    { numRuns: 2000 },
  );
});
