import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../../../../../test/helpers/temp-dir.ts';
import { imageFrom, kubeconfigLine, longestSeconds, shellName, shellPod, takeKubeconfig } from './shell-pod.ts';

const way = { server: 'https://hub:7443/', authorities: 'PEM', cluster: 'edge', clusterId: 'c-12345', namespace: 'team' };

test('the pod has no rights, no way to more, and an end', () => {
  const pod = shellPod({ name: 'drover-shell-a', namespace: 'team', image: 'tools:1' });
  const { spec } = pod;
  assert.equal(spec.automountServiceAccountToken, false);
  assert.equal(spec.restartPolicy, 'Never');
  assert.equal(spec.activeDeadlineSeconds, longestSeconds);
  assert.deepEqual([spec.securityContext.runAsNonRoot, spec.securityContext.seccompProfile.type], [true, 'RuntimeDefault']);
  assert.deepEqual(spec.containers[0]!.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  assert.deepEqual(spec.volumes, [{ name: 'home', emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } }]);
  assert.equal(pod.metadata.labels['app.kubernetes.io/managed-by'], 'drover');
});

test('names are good for Kubernetes', () => {
  assert.equal(shellName(new Uint8Array([0, 35, 36, 255])), 'drover-shell-0z03');
});

test('an image without a registry is taken from the one that is set', () => {
  for (const [image, registry, wanted] of [
    ['rancher/shell:v1', '', 'rancher/shell:v1'],
    ['rancher/shell:v1', 'mirror.test/a/', 'mirror.test/a/rancher/shell:v1'],
    ['shell:v1', 'mirror.test', 'mirror.test/shell:v1'],
    ['other.test/shell:v1', 'mirror.test', 'other.test/shell:v1'],
    ['other:5000/shell', 'mirror.test', 'other:5000/shell'],
    ['localhost/shell', 'mirror.test', 'localhost/shell'],
  ] as const)
    assert.equal(imageFrom(image, registry), wanted);
});

test('a kubeconfig is one line, and a shell puts it where kubectl looks, for its owner alone', () => {
  const line = kubeconfigLine(way, 'name:key');
  assert.doesNotMatch(line, /\n/);
  using scratch = tempDir('shell-pod');
  const [command, ...args] = takeKubeconfig;
  execFileSync(command!, args, { input: `${line}\nmore`, env: { ...process.env, HOME: scratch.dir } });
  const file = path.join(scratch.dir, '.kube/config');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const config = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual(config.clusters[0].cluster, {
    server: 'https://hub:7443/k8s/clusters/c-12345',
    'certificate-authority-data': btoa('PEM'),
  });
  assert.deepEqual(config.users[0].user, { token: 'name:key' });
  assert.equal(config.contexts[0].context.namespace, 'team');
});

test('without authorities those of the system count', () => {
  assert.doesNotMatch(kubeconfigLine({ ...way, authorities: '' }, 'name:key'), /certificate-authority/);
});
