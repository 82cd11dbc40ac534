import assert from 'node:assert/strict';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../util/json.ts';
import { CommandError } from '../exit-codes.ts';
import { hubCandidates } from './choose-hub.ts';
import { flatEntries } from './flat-entries.ts';
import { mergeKubeconfig } from './member-kubeconfig-document.ts';

test('the hub is looked for by option, by environment, then where hubs leave their kubeconfig', () => {
  const env = { HOME: '/home/a', KUBECONFIG: '/one:/two', DROVER_KUBECONFIG: '/three' };
  const files = (hub: string | undefined, from: Record<string, string>) =>
    hubCandidates(hub, from).map(one => [...one.files, one.isCertain]);
  assert.deepEqual(files('/x', env), [['/x', true]]);
  assert.deepEqual(files(undefined, env), [['/three', true]]);
  assert.deepEqual(files(undefined, { HOME: '/home/a', KUBECONFIG: '/one:/two' }), [
    ['/one', '/two', false],
    ['/home/a/.drover/kubeconfig', true],
    ['/home/a/.kube/config', false],
  ]);
  assert.deepEqual(files(undefined, { HOME: '/h', KUBECONFIG: '/h/.drover/kubeconfig' })[0], ['/h/.drover/kubeconfig', true]);
});

test('certificates in files are written down, plugins and token files keep their place', () => {
  const dir = mkdtempSync(join(tmpdir(), 'drover-kubeconfig-'));
  try {
    const pem = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';
    mkdirSync(join(dir, 'pki'));
    for (const name of ['ca', 'cert', 'key']) writeFileSync(join(dir, 'pki', name), pem);
    const content: JsonObject = {
      contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
      clusters: [{ name: 'k', cluster: { server: 'https://h', 'certificate-authority': 'pki/ca', extra: 1 } }],
      users: [
        {
          name: 'u',
          user: {
            'client-certificate': 'pki/cert',
            'client-key': 'pki/key',
            tokenFile: 'token',
            exec: { command: './login', args: ['x'] },
          },
        },
      ],
    };
    const base64 = Buffer.from(pem).toString('base64');
    assert.deepEqual(flatEntries([{ file: join(dir, 'config'), content }], 'c'), {
      cluster: { server: 'https://h', extra: 1, 'certificate-authority-data': base64 },
      user: {
        'client-certificate-data': base64,
        'client-key-data': base64,
        tokenFile: join(dir, 'token'),
        exec: { command: join(dir, 'login'), args: ['x'] },
      },
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

const config = (name: string, server: string): JsonObject => ({
  clusters: [{ name, cluster: { server } }],
  contexts: [{ name, context: { cluster: name, user: 'u' } }],
  users: [{ name: 'u', user: { token: server } }],
  'current-context': name,
});

test('merging adds and renews, and leaves the rest and the current context alone', () => {
  const present = { ...config('own', 'https://own'), users: [{ name: 'mine', user: {} }], extensions: [] };
  const merged = mergeKubeconfig(
    mergeKubeconfig(present, config('drover-east', 'https://hub/east')),
    config('drover-west', 'https://hub/west'),
  );
  assert.equal(merged['current-context'], 'own');
  assert.deepEqual(merged['extensions'], []);
  assert.deepEqual(
    (merged['clusters'] as JsonObject[]).map(one => one['name']),
    ['own', 'drover-east', 'drover-west'],
  );
  assert.deepEqual(
    (merged['users'] as JsonObject[]).map(one => one['name']),
    ['mine', 'u'],
  );
  assert.equal(mergeKubeconfig({}, config('drover-east', 'https://hub/east'))['current-context'], 'drover-east');
});

test('merging never takes a name from another cluster', () => {
  assert.throws(() => mergeKubeconfig(config('drover-east', 'https://other'), config('drover-east', 'https://hub/east')), CommandError);
});
