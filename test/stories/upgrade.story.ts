import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, test } from 'node:test';
import { droverFor } from '../helpers/drover.ts';
import { eventually } from '../helpers/eventually.ts';
import { freePort } from '../helpers/free-port.ts';
import { startHub } from '../helpers/hub.ts';
import { HttpTarget, readKubeconfig } from '../helpers/http-target.ts';
import { addTunnelCluster } from '../helpers/imported-member.ts';
import { kubectlFor } from '../helpers/kubectl.ts';
import { Program } from '../helpers/program.ts';
import { scratchDir } from '../helpers/real-cluster.ts';
import { missingRig, repositoryRoot } from '../helpers/rig.ts';

/** The version before this one. Until there is a release, a commit of the day before it could be one. */
const earlier = '3ebd6f4';
const isKnown = spawnSync('git', ['cat-file', '-e', `${earlier}^{commit}`], { cwd: repositoryRoot }).status === 0;
const missing = missingRig('kubectl') ?? (isKnown ? undefined : `skipped: commit ${earlier} is not in this clone`);
const isGate = process.env['DROVER_GATE'] === 'true' ? 'skipped: too slow for the gate' : undefined;

describe('an earlier version is upgraded in place', { skip: missing ?? isGate ?? false, timeout: 240_000 }, () => {
  test('its members, services and runs go on, and so does an agent that stays of the earlier version', async () => {
    await using running = new AsyncDisposableStack();
    const scratch = running.use(scratchDir('upgrade'));
    const old = path.join(scratch.dir, 'old');
    mkdirSync(old);
    execFileSync('tar', ['x', '-C', old], {
      input: execFileSync('git', ['archive', earlier], { cwd: repositoryRoot, maxBuffer: 2 ** 28 }),
    });
    symlinkSync(path.join(repositoryRoot, 'node_modules'), path.join(old, 'node_modules'));
    const port = await freePort();
    const dataDir = path.join(scratch.dir, 'data');
    const kubeconfig = path.join(dataDir, 'kubeconfig');
    const kubectl = kubectlFor('kubectl', { kubeconfig, dir: scratch.dir });
    const earlierProgram = (name: string, ...args: string[]) =>
      new Program({
        name,
        command: process.execPath,
        args: [path.join(old, 'bin/drover.js'), ...args],
        logFile: path.join(scratch.dir, `${name}.log`),
        env: { DROVER_PROGRAM: '', HOME: scratch.dir },
        cwd: old,
      });

    const member = running.use(await startHub({ extraArgs: ['--api-only'] }));
    const before = earlierProgram('earlier-hub', 'up', '--demo', '--data', dataDir, '--listen', `127.0.0.1:${port}`);
    await before.waitUntil(async () => existsSync(before.logFile) && readFileSync(before.logFile, 'utf8').includes('Ctrl-C'));
    const api = new HttpTarget(readKubeconfig(kubeconfig));
    running.defer(() => api.close());
    const { id, token } = await addTunnelCluster(api, 'far');
    const authorities = readFileSync(path.join(dataDir, 'pki/ca.crt'), 'utf8');
    const checksum = createHash('sha256').update(`${authorities.trimEnd()}\n`).digest('hex');
    running.use(
      earlierProgram(
        'earlier-agent',
        'agent',
        '--server',
        `https://127.0.0.1:${port}`,
        '--ca-checksum',
        checksum,
        '--token',
        token,
        '--kubeconfig',
        member.kubeconfig,
      ),
    );
    await kubectl.expect('wait cluster.drover.io/far --for=condition=Ready --timeout=60s', { timeoutMs: 70_000 });
    await kubectl.expect(`create configmap note -n ${id} --from-literal=a=b`);
    const uid = await kubectl.expect('get cluster.drover.io/far -o jsonpath={.metadata.uid}');
    await before.stop();

    const hub = running.use(await startHub({ dataDir, port, extraArgs: ['--demo'] }));
    const said = () => readFileSync(hub.program.logFile, 'utf8');
    await eventually(said, text => text.includes('Ctrl-C'), { timeoutMs: 60_000, what: 'the demo of before' });
    assert.match(said(), /^From an earlier start/m);
    assert.match(said(), /^east +env=prod +web-1-0-0 +Deployed$/m);
    assert.doesNotMatch(said(), /password/i, 'the first administrator stays who they are');
    assert.equal(await kubectl.expect('get cluster.drover.io/far -o jsonpath={.metadata.uid}'), uid);
    assert.equal(await kubectl.expect(`get configmap note -n ${id} -o jsonpath={.data.a}`), 'b');

    // The agent is of the earlier version; what it is told to deliver comes from this one.
    const greeting = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'hello', namespace: 'default' },
      data: { from: 'this version' },
    };
    const work = {
      apiVersion: 'drover.io/v1alpha1',
      kind: 'Work',
      metadata: { name: 'hello', namespace: id },
      spec: { release: { name: 'hello', namespace: 'default' }, manifests: [greeting] },
    };
    await kubectl.expect('apply -f -', { input: JSON.stringify(work) });
    await kubectl.expect(`wait work/hello -n ${id} --for=condition=Ready --timeout=90s`, { timeoutMs: 100_000 });
    const onMember = await member.request('GET', '/api/v1/namespaces/default/configmaps/hello');
    assert.deepEqual(onMember.json<{ data: object }>().data, greeting.data);

    // The earlier version had the kinds of workflows, and did not run them yet.
    const drover = droverFor({ hub: kubeconfig, dir: scratch.dir });
    await kubectl.expect(`apply -f ${path.join(repositoryRoot, 'examples/canary')}`);
    await eventually(
      () => drover.run('runs -n example-canary'),
      ({ stdout }) => /first +(shop +)?Succeeded +2/.test(stdout),
      { timeoutMs: 90_000, what: 'a run' },
    );
  });
});
