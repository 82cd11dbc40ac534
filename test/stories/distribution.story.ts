import assert from 'node:assert/strict';
import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { makeRelease } from '../../scripts/release.ts';
import type { KubeObject } from '../../src/api/object.ts';
import { eventually } from '../helpers/eventually.ts';
import { startHub, type Hub } from '../helpers/hub.ts';
import { kubectlFor } from '../helpers/kubectl.ts';
import { Program } from '../helpers/program.ts';
import { scratchDir } from '../helpers/real-cluster.ts';
import { missingRig, repositoryRoot, rigProgramPath } from '../helpers/rig.ts';
import { runCommand } from '../helpers/run-command.ts';

const { version } = JSON.parse(readFileSync(path.join(repositoryRoot, 'package.json'), 'utf8')) as { version: string };
/** The sources that tests otherwise run. */
const asInstalled = { DROVER_PROGRAM: '' };

const isTooSlow = process.env['DROVER_GATE'] === 'true' && 'takes a minute: npm run test:stories runs it';

describe('what a release consists of', { skip: missingRig('helm', 'kubectl', 'kustomize') ?? isTooSlow, timeout: 300_000 }, () => {
  const running = new AsyncDisposableStack();
  const scratch = running.use(scratchDir('release'));
  const release = path.join(scratch.dir, 'release');
  const inRelease = (name: string) => readFileSync(path.join(release, name), 'utf8');
  const publicKey = path.join(scratch.dir, 'release.pub');
  let files: string[];
  let hub: Hub;

  before(async () => {
    const pair = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const key = path.join(scratch.dir, 'release.key');
    writeFileSync(key, pair.privateKey);
    writeFileSync(publicKey, pair.publicKey);
    files = await makeRelease({ output: release, registry: 'registry.test:5000', key });
    hub = running.use(await startHub());
  });
  after(() => running.disposeAsync());

  test('the package runs in a folder of its own, without an install script and without the sources', async () => {
    const modules = path.join(scratch.dir, 'empty/node_modules');
    const own = path.join(modules, 'drover');
    mkdirSync(own, { recursive: true });
    const unpacked = await runCommand('tar', ['xzf', path.join(release, `npm/drover-${version}.tgz`), '-C', own, '--strip-components=1']);
    assert.equal(unpacked.code, 0, unpacked.stderr);
    const manifest = JSON.parse(readFileSync(path.join(own, 'package.json'), 'utf8')) as Record<string, Record<string, string>>;
    assert.deepEqual([manifest['scripts'], manifest['private'], manifest['devDependencies']], [undefined, undefined, undefined]);
    assert.deepEqual(globSync('{src,test,**/*.ts}', { cwd: own }), []);
    for (const file of Object.values(manifest['bin']!)) assert.ok(existsSync(path.join(own, file)), file);
    for (const name of [...Object.keys(manifest['dependencies']!), '@opentelemetry', 'tdigest', 'bintrees'])
      symlinkSync(path.join(repositoryRoot, 'node_modules', name), path.join(modules, name));

    const logFile = path.join(scratch.dir, 'package.log');
    const args = [path.join(own, 'bin/drover.js'), 'hub', '--demo', '--data', path.join(scratch.dir, 'data'), '--listen', '127.0.0.1:0'];
    await using program = new Program({
      name: 'package',
      command: process.execPath,
      args,
      logFile,
      env: asInstalled,
      cwd: path.dirname(modules),
    });
    const said = () => readFileSync(logFile, 'utf8');
    await eventually(said, text => text.includes('Ctrl-C'), { timeoutMs: 60_000, what: 'the demo of the package' });
    assert.match(said(), /^east +env=prod +web-1-0-0 +Deployed$/m);
    assert.match(said(), /kubectl apply -f node_modules\/drover\/examples\/priorities/);
    program.kill('SIGINT');
    assert.equal(await program.exited, 0);
  });

  test('with an older Node it finds the one that came for the platform', async () => {
    const modules = path.join(scratch.dir, 'older/node_modules');
    mkdirSync(modules, { recursive: true });
    symlinkSync(path.join(repositoryRoot, 'node_modules/node'), path.join(modules, `node-${process.platform}-${process.arch}`));
    writeFileSync(path.join(modules, 'script.js'), 'console.log(process.execPath, process.argv[2]); process.exitCode = 7');
    const own = path.join(repositoryRoot, 'bin/own-node.js');
    const source = `import { runWithOwnNode } from ${JSON.stringify(own)};
      process.exitCode = await runWithOwnNode(new URL(${JSON.stringify(`file://${modules}/script.js`)}), ['word']);`;
    const { code, stdout, stderr } = await runCommand(process.execPath, ['--input-type=module', '-e', source]);
    assert.equal(code, 7, stderr);
    assert.match(stdout, /bin\/node word\n$/);
  });

  test('what was written can be verified: checksums, signature, provenance', async () => {
    const { code, stdout } = await runCommand('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: release });
    assert.equal(code, 0, stdout);
    const sums = inRelease('SHA256SUMS');
    const listed = sums
      .trimEnd()
      .split('\n')
      .map(line => line.split('  ')[1]!);
    assert.deepEqual(
      listed.toSorted(),
      files.filter(name => !name.startsWith('SHA256SUMS')),
    );
    const isSigned = verify(
      'sha256',
      Buffer.from(sums),
      createPublicKey(readFileSync(publicKey)),
      Buffer.from(inRelease('SHA256SUMS.sig'), 'base64'),
    );
    assert.ok(isSigned);
    const { subject, predicate } = JSON.parse(inRelease('provenance.json')) as {
      subject: { name: string; digest: { sha256: string } }[];
      predicate: { buildDefinition: { resolvedDependencies: { digest: { gitCommit?: string } }[] } };
    };
    for (const { name, digest } of subject)
      assert.equal(
        digest.sha256,
        createHash('sha256')
          .update(readFileSync(path.join(release, name)))
          .digest('hex'),
        name,
      );
    assert.match(predicate.buildDefinition.resolvedDependencies[0]!.digest.gitCommit!, /^[0-9a-f]{40}$/);
  });

  test('the bills of materials name every package that is needed to run, with its licence', () => {
    const { dependencies } = JSON.parse(readFileSync(path.join(repositoryRoot, 'package.json'), 'utf8')) as { dependencies: object };
    const cyclone = JSON.parse(inRelease('sbom/drover.cdx.json')) as {
      bomFormat: string;
      components: { name: string; version: string; licenses?: unknown[] }[];
    };
    const spdx = JSON.parse(inRelease('sbom/drover.spdx.json')) as {
      spdxVersion: string;
      packages: { name: string; versionInfo: string }[];
    };
    assert.equal(cyclone.bomFormat, 'CycloneDX');
    assert.equal(spdx.spdxVersion, 'SPDX-2.3');
    for (const [name, wanted] of Object.entries(dependencies)) {
      const found = cyclone.components.find(one => one.name === name);
      assert.equal(found?.version, wanted, name);
      assert.ok(found?.licenses?.length, `${name} has a licence`);
      assert.equal(spdx.packages.find(one => one.name === name)?.versionInfo, wanted, name);
    }
    assert.ok(!cyclone.components.some(({ name }) => name === 'typescript'), 'nothing of development');
  });

  const render = async (values: object, program = rigProgramPath('helm')) => {
    const file = path.join(scratch.dir, 'values.yaml');
    writeFileSync(file, JSON.stringify(values));
    const words = ['template', 'herd', path.join(release, `charts/drover-${version}.tgz`), '--namespace', 'system', '-f', file];
    const own = [path.join(repositoryRoot, 'bin/drover.js'), ...words];
    return program === 'drover' ? runCommand(process.execPath, own) : runCommand(program, words);
  };
  const everything = {
    image: { registry: 'registry.test', digest: `sha256:${'a'.repeat(64)}`, pullSecrets: [{ name: 'pull' }] },
    hub: {
      serverUrl: 'https://hub.test',
      adminPassword: { existingSecret: 'first' },
      replicas: 3,
      tls: { existingSecret: 'page' },
      externalApi: { existingSecret: 'api', context: 'main' },
      allowEgress: ['10.0.0.0/8'],
      clustersAtOnce: 3,
      extraArgs: ['--sandbox=1'],
      extraEnv: [{ name: 'DROVER_DEBUG', value: '1' }],
      podDisruptionBudget: { enabled: true },
      networkPolicy: { enabled: true, from: [{ namespaceSelector: {} }] },
      tracing: { endpoint: 'http://collector:4318' },
      metrics: {
        serviceMonitor: { enabled: true, existingSecret: 'metrics', labels: { release: 'prometheus' } },
        prometheusRule: { enabled: true },
        dashboard: { enabled: true },
      },
      nodeSelector: { disk: 'fast' },
      tolerations: [{ operator: 'Exists' }],
      affinity: { nodeAffinity: {} },
    },
    agent: { enabled: true, server: 'https://other.test', existingSecret: 'registration', caChecksum: 'b'.repeat(64) },
    extraManifests: [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine' } },
      'apiVersion: v1\nkind: Secret\nmetadata: { name: "{{ .Release.Name }}-2" }\n',
    ],
  };

  test('the chart renders as Helm and as Drover alike, and an API server takes what comes out', async () => {
    const kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
    await kubectl.expect('create namespace system');
    for (const values of [
      {},
      { hub: { persistence: { enabled: false } } },
      { hub: { persistence: { existingClaim: 'mine' } } },
      everything,
    ]) {
      const { code, stdout, stderr } = await render(values);
      assert.equal(code, 0, stderr);
      assert.equal((await render(values, 'drover')).stdout, stdout);
      const objects = parseAllDocuments(stdout).map(document => document.toJS() as KubeObject);
      const known = objects.filter(({ apiVersion }) => !apiVersion.startsWith('monitoring.'));
      const { code: applied, stderr: why } = await kubectl.run('apply --dry-run=server --validate=strict -n system -f -', {
        input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: known }),
      });
      assert.equal(applied, 0, why);
      assert.equal(why, '');
    }
  });

  test('what the switches bring is there, and says what it should', async () => {
    const objects = parseAllDocuments((await render(everything)).stdout).map(
      document => document.toJS() as KubeObject & Record<string, unknown>,
    );
    const named = new Set(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
    for (const one of [
      'NetworkPolicy herd-drover',
      'PodDisruptionBudget herd-drover',
      'ServiceMonitor herd-drover',
      'PrometheusRule herd-drover',
    ])
      assert.ok(named.has(one), one);
    for (const one of ['ConfigMap herd-drover-dashboard', 'ConfigMap mine', 'Secret herd-2', 'Deployment herd-drover-agent'])
      assert.ok(named.has(one), one);
    const rules = objects.find(({ kind }) => kind === 'PrometheusRule')!['spec'] as { groups: unknown[] };
    assert.ok(rules.groups.length > 0);
    const dashboard = objects.find(({ metadata }) => metadata.name === 'herd-drover-dashboard')!['data'] as Record<string, string>;
    assert.deepEqual(
      JSON.parse(dashboard['drover.json']!),
      JSON.parse(readFileSync(path.join(repositoryRoot, 'monitoring/grafana-dashboard.json'), 'utf8')),
    );
    const hubs = objects.find(({ kind }) => kind === 'StatefulSet')!['spec'] as { replicas: number; podManagementPolicy: string };
    assert.deepEqual([hubs.replicas, hubs.podManagementPolicy], [3, 'Parallel'], 'one that stands by is no reason to wait with the next');
    const text = JSON.stringify(objects);
    for (const one of ['--advertise=$(POD_IP):7443', '--tls-cert-file=/etc/drover/tls/tls.crt', '"secretName":"page"'])
      assert.ok(text.includes(one), one);
    assert.ok(text.includes('"maxUnavailable":1'));
    assert.ok(text.includes(`registry.test/drover/drover@sha256:${'a'.repeat(64)}`));
    assert.ok(!text.includes('drover/drover:'), 'no image by another name');
  });

  test('values that cannot be meant are refused, by the name of the field', async () => {
    const refused: [values: object, says: RegExp][] = [
      [{ hub: { replicas: 3 } }, /replicas: a hub with a store of its own has one pod/],
      [{ hub: { replicas: 0 } }, /replicas/],
      [{ hub: { replicas: 2, externalApi: { existingSecret: 'api' }, persistence: { existingClaim: 'mine' } } }, /existingClaim/],
      [{ hub: { tls: { existingSecret: 'No Name' } } }, /existingSecret/],
      [{ hub: { tls: { certificate: 'PEM' } } }, /certificate/],
      [{ imge: {} }, /imge/],
      [{ image: { tag: 'a b' } }, /tag/],
      [{ image: { digest: 'sha256:12' } }, /digest/],
      [{ image: { pullPolicy: 'Sometimes' } }, /pullPolicy/],
      [{ hub: { serverUrl: 'http://plain' } }, /serverUrl/],
      [{ hub: { service: { port: 0 } } }, /port/],
      [{ hub: { persistence: { size: 'much' } } }, /size/],
      [{ hub: { allowEgress: ['everything'] } }, /allowEgress/],
      [{ hub: { metrics: { serviceMonitor: { enabled: true } } } }, /existingSecret/],
      [{ hub: { clustersAtOnce: 0 } }, /clustersAtOnce/],
      [{ agent: { enabled: true } }, /server/],
      [{ agent: { enabled: true, server: 'https://hub' } }, /existingSecret/],
      [{ agent: { caChecksum: 'xyz' } }, /caChecksum/],
    ];
    for (const [values, says] of refused) {
      const { code, stderr } = await render(values, 'drover');
      assert.notEqual(code, 0, JSON.stringify(values));
      assert.match(stderr, says);
    }
    // Helm is asked once: it takes its time.
    assert.notEqual((await render(refused[0]![0])).code, 0);
  });

  test('plain manifests are a base for kustomize, and name the registry of those who have their own', async () => {
    const { code, stdout, stderr } = await runCommand(rigProgramPath('kustomize'), ['build', path.join(release, 'install')]);
    assert.equal(code, 0, stderr);
    assert.deepEqual(
      parseAllDocuments(stdout).map(document => (document.toJS() as KubeObject).kind),
      ['Namespace', 'ServiceAccount', 'Service', 'StatefulSet'],
    );
    const image = `registry.test:5000/drover/drover:${version}`;
    assert.equal(inRelease('images.txt'), `${image}\n`);
    for (const name of ['install/hub.yaml', 'install/agent.yaml']) {
      const images = [...inRelease(name).matchAll(/image[:=] ?"?([^"\s]+)/g)].map(match => match[1]);
      assert.ok(images.length > 0);
      assert.deepEqual([...new Set(images)], [image], name);
      assert.doesNotMatch(inRelease(name), /helm/i);
    }
  });

  test('the plugin runs with nothing but itself, from a link, as krew makes one', async () => {
    const [archive] = globSync('plugin/*.tar.gz', { cwd: release });
    const dir = path.join(scratch.dir, 'plugin');
    const bin = path.join(scratch.dir, 'bin');
    for (const folder of [dir, bin]) mkdirSync(folder);
    const sum = createHash('sha256')
      .update(readFileSync(path.join(release, archive!)))
      .digest('hex');
    assert.ok(inRelease('plugin/drover.yaml').includes(`sha256: ${sum}`));
    assert.equal((await runCommand('tar', ['xzf', path.join(release, archive!), '-C', dir])).code, 0);
    symlinkSync(path.join(dir, 'kubectl-drover'), path.join(bin, 'kubectl-drover'));
    symlinkSync(rigProgramPath('kubectl'), path.join(bin, 'kubectl'));
    const env = { ...asInstalled, PATH: `${bin}:/usr/bin:/bin`, KUBECONFIG: hub.kubeconfig };
    const { code, stdout, stderr } = await runCommand('kubectl', ['drover', 'get', 'namespaces'], { env });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^kube-system/m);
  });
});
