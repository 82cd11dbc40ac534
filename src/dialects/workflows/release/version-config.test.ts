import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '../../../api/object.ts';
import { web } from './simulated-member.ts';
import { referencesOf, versionConfig } from './version-config.ts';

const everywhere = {
  initContainers: [{ name: 'init', image: 'x', env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'token', key: 'k' } } }] }],
  containers: [
    {
      name: 'web',
      image: 'x',
      env: [
        { name: 'A', value: 'config' },
        { name: 'B', valueFrom: { configMapKeyRef: { name: 'config', key: 'k' } } },
        { name: 'C', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      ],
      envFrom: [{ configMapRef: { name: 'config' } }, { secretRef: { name: 'token' } }, { configMapRef: { name: 'other' } }],
    },
  ],
  volumes: [
    { name: 'a', configMap: { name: 'config' } },
    { name: 'b', secret: { secretName: 'token' } },
    { name: 'c', projected: { sources: [{ secret: { name: 'token' } }, { configMap: { name: 'config' } }] } },
    { name: 'd', emptyDir: {} },
  ],
  imagePullSecrets: [{ name: 'token' }, { name: 'registry' }],
};
const workload = (kind: string, apiVersion: string, pod: object): KubeObject => {
  const metadata = { name: 'web', namespace: 'prod' };
  const template = { metadata: { labels: {} }, spec: pod };
  if (kind === 'Pod') return { apiVersion, kind, metadata, spec: pod };
  const spec = kind === 'CronJob' ? { jobTemplate: { spec: { template } } } : { template };
  return { apiVersion, kind, metadata, spec };
};
const kinds = [
  ['Deployment', 'apps/v1'],
  ['DaemonSet', 'apps/v1'],
  ['StatefulSet', 'apps/v1'],
  ['Pod', 'v1'],
  ['Job', 'batch/v1'],
  ['CronJob', 'batch/v1'],
  ['DeploymentConfig', 'apps.openshift.io/v1'],
] as const;

test('pull_secret_reference_rewritten, and every other reference, in every kind that has pods', () => {
  for (const [kind, apiVersion] of kinds) {
    const objects = versionConfig([web.config('a'), web.secret('b'), workload(kind, apiVersion, everywhere)], {
      number: 7,
      prefix: 'harness.io',
    });
    assert.deepEqual(
      objects.slice(0, 2).map(({ metadata }) => metadata.name),
      ['config-7', 'token-7'],
    );
    const names = referencesOf(objects[2]!).map(({ kind: of, name }) => `${of}/${name}`);
    assert.deepEqual(
      names.toSorted(),
      [...Array(4).fill('ConfigMap/config-7'), 'ConfigMap/other', 'Secret/registry', ...Array(5).fill('Secret/token-7')].toSorted(),
      kind,
    );
    assert.ok(JSON.stringify(objects[2]).includes('{"name":"A","value":"config"}'));
  }
});

test('skip_versioning_respected', () => {
  const skipped = web.config('a', 'config', { 'harness.io/skip-versioning': 'TRUE' });
  const [config, deployment] = versionConfig([skipped, web.deployment('x')], { number: 3, prefix: 'harness.io' });
  assert.equal(config, skipped);
  assert.deepEqual(referencesOf(deployment!), [{ kind: 'ConfigMap', name: 'config' }]);
});

test('what has not changed keeps its name where that is wanted', () => {
  const first = versionConfig([web.config('a'), web.secret('s')], { number: 1, prefix: 'harness.io' });
  const second = versionConfig([web.config('a'), web.secret('t'), web.deployment('x')], {
    number: 2,
    prefix: 'harness.io',
    reuseFrom: first,
  });
  assert.deepEqual(
    second.map(({ metadata }) => metadata.name),
    ['config-1', 'token-2', 'web'],
  );
  assert.deepEqual(referencesOf(second[2]!), [{ kind: 'ConfigMap', name: 'config-1' }]);
});

test('nothing refers to a name that the release does not have, unless nobody ever versioned it', () => {
  const names = fc.constantFrom('a', 'b', 'c', 'd');
  const arbitrary = fc.record({
    configs: fc.uniqueArray(fc.record({ name: names, isKept: fc.boolean() }), { selector: ({ name }) => name }),
    refs: fc.array(names),
    number: fc.integer({ min: 1, max: 99 }),
  });
  fc.assert(
    fc.property(arbitrary, ({ configs, refs, number }) => {
      const made = configs.map(({ name, isKept }) => web.config('x', name, isKept ? { 'harness.io/skip-versioning': 'true' } : {}));
      const pod = { containers: [{ name: 'web', image: 'x', envFrom: refs.map(name => ({ configMapRef: { name } })) }] };
      const objects = versionConfig([...made, workload('Deployment', 'apps/v1', pod)], { number, prefix: 'harness.io' });
      const present = new Set(objects.filter(({ kind }) => kind === 'ConfigMap').map(({ metadata }) => metadata.name));
      const known = new Set(configs.map(({ name }) => name));
      for (const [i, { name }] of referencesOf(objects.at(-1)!).entries()) {
        assert.ok(known.has(refs[i]!) ? present.has(name) : name === refs[i]);
      }
    }),
  );
});
