import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { packedChart } from '../../../test/helpers/chart-files.ts';
import { newObject } from '../../api/define-kind.ts';
import { chartFacts } from './chart-facts.ts';
import { Bucket, GitRepository, HelmChart, HelmRepository, OCIRepository } from './kinds/flux-source.ts';
import { addressOfBucket, addressOfChart, addressOfGit, addressOfOci, countsAsSame, intervalMs } from './template-source.ts';
import { withValuesFiles } from './values-files.ts';

const chart = (spec: Partial<HelmChart['spec']> = {}) =>
  newObject(
    HelmChart,
    { namespace: 'kcm-system', name: 'c' },
    { chart: 'web', sourceRef: { kind: 'HelmRepository', name: 'charts' }, ...spec },
  );
const repository = (spec: HelmRepository['spec']) => ({
  kind: 'HelmRepository' as const,
  object: newObject(HelmRepository, { name: 'charts' }, spec),
});
const git = (ref?: GitRepository['spec']['ref']) =>
  newObject(GitRepository, { name: 'repo' }, { url: 'https://git.example.com/a/b', ...(ref && { ref }) });

test('a chart is where its repository says', () => {
  const {
    repository: url,
    name,
    version,
    isMoving,
    secretName,
  } = addressOfChart(
    chart({ version: '1.x' }),
    repository({ url: 'oci://registry.example.com/charts', type: 'oci', secretRef: { name: 'login' } }),
  );
  assert.deepEqual([url, name, version, isMoving, secretName], ['oci://registry.example.com/charts', 'web', '1.x', true, 'login']);
  const exact = addressOfChart(chart({ version: '1.2.3' }), repository({ url: 'https://charts.example.com' }));
  assert.equal(exact.isMoving, false);
  assert.equal(addressOfChart(chart({ version: '*' }), repository({ url: 'https://charts.example.com' })).version, undefined);
});

test('the store of the hub stands in for the repository of k0rdent, and for no other', () => {
  const missing = { kind: 'HelmRepository' as const, object: undefined };
  assert.equal(addressOfChart(chart({ sourceRef: { kind: 'HelmRepository', name: 'kcm-templates' } }), missing).repository, 'hub');
  assert.equal(addressOfChart(chart(), repository({ url: 'hub' })).repository, 'hub');
  assert.throws(() => addressOfChart(chart(), missing), /there is no HelmRepository "charts" in namespace "kcm-system"/);
});

test('what cannot be honoured is refused rather than passed over', () => {
  const from = repository({ url: 'https://charts.example.com' });
  assert.throws(() => addressOfChart(chart({ sourceRef: { kind: 'OCIRepository', name: 'o' } }), from), /not from a OCIRepository/);
  const gitWith = (more: object) => newObject(GitRepository, { name: 'repo' }, { url: 'https://git.example.com/a/b', ...more });
  for (const more of [
    { verify: { mode: 'HEAD', secretRef: { name: 'keys' } } },
    { include: [{ repository: { name: 'other' } }] },
    { recurseSubmodules: true },
    { sparseCheckout: ['a'] },
    { proxySecretRef: { name: 'proxy' } },
  ])
    assert.throws(() => addressOfGit(gitWith(more)), new RegExp(`"${Object.keys(more)[0]}" of a GitRepository is not supported`));
  assert.throws(() => addressOfGit(gitWith({ provider: 'azure' })), /the provider "azure" of a GitRepository is not supported/);
  addressOfGit(gitWith({ provider: 'generic', recurseSubmodules: false, include: [] }));
  const oci = (more: object) => newObject(OCIRepository, { name: 'o' }, { url: 'oci://registry.example.com/x', ...more });
  assert.throws(() => addressOfOci(oci({ provider: 'aws' })), /the provider "aws" of a OCIRepository/);
  assert.throws(() => addressOfOci(oci({ ref: { semver: '1.x', semverFilter: '.*' } })), /"semverFilter" of a reference/);
  assert.throws(() => addressOfOci(oci({ layerSelector: { operation: 'copy' } })), /by the operation "copy"/);
  assert.throws(() => addressOfChart(chart(), repository({ url: 'oci://x/y', provider: 'gcp' })), /the provider "gcp" of a HelmRepository/);
});

test('signatures are checked with keys, in registries', () => {
  const registry = repository({ url: 'oci://registry.example.com/charts', type: 'oci' });
  const verify = { provider: 'cosign', secretRef: { name: 'keys' } };
  assert.equal(addressOfChart(chart({ verify }), registry).signersSecretName, 'keys');
  assert.equal(addressOfChart(chart(), registry).signersSecretName, undefined);
  assert.throws(
    () => addressOfChart(chart({ verify: { provider: 'cosign' } }), registry),
    /signatures without keys cannot be checked here/,
  );
  assert.throws(() => addressOfChart(chart({ verify: { provider: 'notation' } }), registry), /signatures of "notation" cannot be checked/);
  const elsewhere = repository({ url: 'https://charts.example.com' });
  for (const from of [elsewhere, repository({ url: 'hub' })])
    assert.throws(() => addressOfChart(chart({ verify }), from), /signatures are checked of charts in registries only/);
  const oci = newObject(OCIRepository, { name: 'o' }, { url: 'oci://registry.example.com/x', verify });
  assert.equal(addressOfOci(oci).signersSecretName, 'keys');
});

test('values may be in other files of the chart', () => {
  const from = repository({ url: 'https://charts.example.com' });
  const given = addressOfChart(chart({ valuesFiles: ['./prod.yaml'], ignoreMissingValuesFiles: true } as never), from);
  assert.deepEqual(given.valuesFiles, { paths: ['prod.yaml'], mayBeMissing: true });
  const inGit = (file: string) =>
    addressOfChart(chart({ chart: './charts/web', sourceRef: { kind: 'GitRepository', name: 'repo' }, valuesFiles: [file] } as never), {
      kind: 'GitRepository',
      object: git(),
    });
  assert.deepEqual(inGit('charts/web/prod.yaml').valuesFiles?.paths, ['prod.yaml']);
  assert.throws(() => inGit('prod.yaml'), /is not in the folder of the chart/);

  const archive = packedChart('web', '1.0.0', { 'a.yaml': 'x: {a: 1, z: 1}\n', 'b.yaml': 'x: {z: 2}\n' });
  const valuesIn = (...paths: string[]) => chartFacts(withValuesFiles(archive, { paths, mayBeMissing: false }).bytes).values;
  assert.deepEqual(valuesIn('a.yaml', 'b.yaml'), { x: { a: 1, z: 2 } });
  assert.deepEqual(valuesIn('values.yaml', 'b.yaml'), { greeting: 'hello', x: { z: 2 } });
  assert.throws(() => valuesIn('c.yaml'), /the chart has no file "c.yaml" of values/);
  assert.deepEqual(chartFacts(withValuesFiles(archive, { paths: ['c.yaml'], mayBeMissing: true }).bytes).values, {});
});

test('a chart of git is new by its version or by any change, as it says, and stays while its repository is suspended', () => {
  const inGit = (spec: Partial<HelmChart['spec']>, suspend = false) => {
    const object = newObject(GitRepository, { name: 'repo' }, { url: 'https://git.example.com/a/b', suspend });
    return addressOfChart(chart({ sourceRef: { kind: 'GitRepository', name: 'repo' }, ...spec }), { kind: 'GitRepository', object });
  };
  assert.equal(countsAsSame(inGit({}), '1.0.0', '1.0.0'), true);
  assert.equal(countsAsSame(inGit({}), '1.0.0', '1.0.1'), false);
  assert.equal(countsAsSame(inGit({}), undefined, undefined), false);
  assert.equal(countsAsSame(inGit({ reconcileStrategy: 'Revision' }), '1.0.0', '1.0.0'), false);
  const packed = addressOfChart(chart(), repository({ url: 'https://charts.example.com' }));
  assert.equal(countsAsSame(packed, '1.0.0', '1.0.0'), false);
  assert.deepEqual([inGit({}).isSuspended, inGit({}, true).isSuspended], [false, true]);
});

test('a commit stays, a branch moves', () => {
  assert.deepEqual([addressOfGit(git()).version, addressOfGit(git()).isMoving], ['refs/heads/master', true]);
  assert.equal(addressOfGit(git({ name: 'refs/pull/1/head', branch: 'main' })).version, 'refs/pull/1/head');
  assert.equal(addressOfGit(git({ tag: 'v1', branch: 'main' })).version, 'refs/tags/v1');
  const range = addressOfGit(git({ semver: '1.x', tag: 'v1' }));
  assert.deepEqual([range.version, range.label, range.isMoving], ['semver:1.x', '1.x', true]);
  const commit = addressOfGit(git({ branch: 'main', commit: 'a'.repeat(40) }));
  assert.deepEqual([commit.version, commit.isMoving, commit.repository], ['a'.repeat(40), false, 'git+https://git.example.com/a/b']);
  const oci = (ref: OCIRepository['spec']['ref'] = {}) => {
    const address = addressOfOci(newObject(OCIRepository, { name: 'o' }, { url: 'oci://registry.example.com/x', ref }));
    return [address.repository, address.version, address.label, address.isMoving];
  };
  const digest = `sha256:${'a'.repeat(64)}`;
  assert.deepEqual(oci(), ['oci://registry.example.com/x:latest', undefined, 'latest', true]);
  assert.deepEqual(oci({ tag: '1.2' }), ['oci://registry.example.com/x:1.2', undefined, '1.2', true]);
  assert.deepEqual(oci({ tag: '1.2', semver: '1.x' }), ['oci://registry.example.com/x', 'semver:1.x', '1.x', true]);
  assert.deepEqual(oci({ semver: '1.x', digest }), ['oci://registry.example.com/x', digest, digest, false]);
});

test('a bucket is where its endpoint says, and may always change', () => {
  const bucket = (more: object = {}) => newObject(Bucket, { name: 'b' }, { bucketName: 'files', endpoint: 's3.example.com:9000', ...more });
  const {
    repository: url,
    isMoving,
    secretName,
    certSecretName,
  } = addressOfBucket(
    bucket({ insecure: true, region: 'eu-1', prefix: 'a/', timeout: '2m', secretRef: { name: 'login' }, certSecretRef: { name: 'ca' } }),
  );
  assert.deepEqual([isMoving, secretName, certSecretName], [true, 'login', 'ca']);
  assert.equal(url, 's3+http://s3.example.com:9000/files?provider=generic&region=eu-1&prefix=a%2F&timeoutMs=120000');
  const charts = { kind: 'Bucket' as const, object: bucket() };
  const inBucket = addressOfChart(chart({ chart: './charts/web', sourceRef: { kind: 'Bucket', name: 'b' }, version: '1.0.0' }), charts);
  assert.deepEqual([inBucket.form, inBucket.name, inBucket.isMoving], ['chart', './charts/web', true]);
  for (const provider of ['azure', 'gcp'])
    assert.throws(() => addressOfBucket(bucket({ provider })), new RegExp(`the provider "${provider}" cannot be read here`));
  assert.throws(() => addressOfBucket(bucket({ sts: { provider: 'aws' } })), /"sts" of a Bucket is not supported/);
  assert.throws(() => addressOfBucket(bucket({ endpoint: 'https://s3.example.com' })), /the endpoint of a bucket is a host/);
});

test('an interval is read as Go writes it, and is never too short nor without end', () => {
  assert.equal(intervalMs('10m'), 600_000);
  assert.equal(intervalMs('1h30m'), 5_400_000);
  assert.equal(intervalMs('1s'), 30_000);
  assert.equal(intervalMs('nonsense'), 600_000);
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^([0-9]{1,9}(ms|s|m|h)){1,3}$/)), text => {
      const ms = intervalMs(text);
      assert.ok(ms >= 30_000 && ms <= 86_400_000);
    }),
  );
});
