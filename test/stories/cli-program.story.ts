import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { installMissing, lacking } from '../helpers/debian-packages.ts';
import { droverFor } from '../helpers/drover.ts';
import { eventually } from '../helpers/eventually.ts';
import { freePort } from '../helpers/free-port.ts';
import { startHub, type Hub } from '../helpers/hub.ts';
import { installPrograms } from '../helpers/installed-programs.ts';
import type { CommandLine } from '../helpers/kubectl.ts';
import { Program } from '../helpers/program.ts';
import { scratchDir } from '../helpers/real-cluster.ts';
import { missingRig, repositoryRoot } from '../helpers/rig.ts';
import { runCommand } from '../helpers/run-command.ts';
import { TypedShell } from '../helpers/typed-shell.ts';

describe('the program in a shell', { skip: missingRig('kubectl') ?? false, timeout: 120_000 }, () => {
  const scratch = scratchDir('cli-program');
  let hub: Hub;
  let drover: CommandLine;
  let bin: string;

  before(async () => {
    hub = await startHub();
    drover = droverFor({ hub: hub.kubeconfig, dir: scratch.dir });
    bin = installPrograms(scratch.dir, { rig: ['kubectl'] });
  });
  after(async () => {
    await hub?.[Symbol.asyncDispose]();
    scratch[Symbol.dispose]();
  });

  const environment = () => ({
    HOME: scratch.dir,
    PATH: `${bin}:${process.env['PATH']}`,
    KUBECONFIG: hub.kubeconfig,
    DROVER_KUBECONFIG: '',
    NO_COLOR: '1',
  });

  async function shell(script: string, more: Record<string, string> = {}): Promise<string> {
    const env = { ...environment(), ...more };
    const { code, stdout, stderr } = await runCommand('bash', ['-c', script], { env, timeoutMs: 30_000 });
    return `${stdout}${stderr}(${code})`;
  }

  test('KUBECONFIG is enough when it leads to a hub', async () => {
    assert.match(await shell('drover get namespaces'), /^NAME +STATUS +AGE\n(?:.+\n)*?default /);
  });

  test('a cluster that is no hub is not taken for one, and one that does not answer is not passed over', async () => {
    const dead = path.join(scratch.dir, 'dead.yaml');
    const server = `https://127.0.0.1:${await freePort()}`;
    const config = {
      'current-context': 'old',
      contexts: [{ name: 'old', context: { cluster: 'old' } }],
      clusters: [{ name: 'old', cluster: { server } }],
    };
    writeFileSync(dead, JSON.stringify(config));
    const said = await shell('drover get namespaces', { KUBECONFIG: dead });
    assert.match(said, /^error: cannot tell whether context "old" is a hub: .*connection refused\n {2}.*--hub FILE\n\(1\)$/);
    assert.match(await shell(`drover get namespaces --hub "${dead}"`), /^error: the hub does not answer: .*\n {2}is the hub running\?/);
  });

  test('without any hub every command says how to get one', async () => {
    const said = await shell('drover get clusters; drover kubeconfig east; drover version', { KUBECONFIG: '' });
    assert.equal(said.match(/start a hub with "drover up"/g)?.length, 3, said);
    assert.match(said, /Drover: v\d/);
  });

  test('a reader that has enough is no error', async () => {
    assert.equal(await shell('set -o pipefail; drover get clusterroles -o yaml | head -1'), 'apiVersion: v1\n(0)');
  });

  test('output that cannot be written is an error', async () => {
    assert.match(await shell('drover get clusterroles > /dev/full'), /^error: cannot write the output: .*\n\(1\)$/);
  });

  test('warnings of the server are told once, on standard error', async () => {
    const said = await shell('drover get componentstatuses,endpoints -A -o name 2>&1 >/dev/null');
    assert.match(said, /^Warning: [^\n]*ComponentStatus is deprecated/m);
    assert.equal(said.match(/Warning/g)?.length, new Set(said.match(/Warning.*/g)).size, said);
  });

  test('a kubeconfig that is none says so and what to do', async () => {
    writeFileSync(path.join(scratch.dir, 'broken'), 'a: [');
    assert.match(
      await shell(`drover get ns --hub ${path.join(scratch.dir, 'broken')}`),
      /is not a kubeconfig.*\n {2}mend the kubeconfig.*\n\(1\)$/,
    );
    assert.match(await shell('drover get ns --context nobody'), /has no context "nobody"\n {2}mend/);
  });

  test('Ctrl-C ends a watch with 130', async () => {
    assert.equal(await endOfWatch(path.join(repositoryRoot, 'node_modules/.bin/node'), 'SIGINT'), 130);
  });

  /** The exit code of a watch that is shown and then ended by a signal. */
  async function endOfWatch(node: string, signal: NodeJS.Signals): Promise<number | null> {
    await using watching = new Program({
      name: 'drover',
      command: node,
      args: [path.join(repositoryRoot, 'bin/drover.js'), 'get', 'namespaces', '-w'],
      logFile: path.join(scratch.dir, `watch-${signal}`),
      env: { HOME: scratch.dir, DROVER_KUBECONFIG: hub.kubeconfig },
    });
    await eventually(() => readFileSync(watching.logFile, 'utf8').includes('kube-system'));
    watching.kill(signal);
    return await watching.exited;
  }

  test('errors go to standard error, coloured only when asked', async () => {
    assert.equal(await shell('drover get nonsense 2>/dev/null'), '(1)');
    assert.match(await shell('drover get nonsense --color=always', { NO_COLOR: '' }), /\u001b\[31merror\u001b\[0m: the server/);
    assert.doesNotMatch(await shell('drover get nonsense'), /\u001b/);
  });

  test('kubectl drover is drover', async () => {
    assert.equal(await shell('kubectl drover get clusterroles admin -o name'), 'clusterrole.rbac.authorization.k8s.io/admin\n(0)');
    assert.match(await shell('kubectl __complete drover get clusterroleb 2>/dev/null'), /^clusterrolebindings\n:4\n/);
  });

  // At a real terminal: what is run shows that the tab was answered.
  const shells = {
    bash: { command: 'bash --norc --noprofile -i', setUp: "PS1='> '; source <(drover completion bash)" },
    zsh: { command: 'zsh -f -i', setUp: "PS1='> '; autoload -U compinit; compinit -D; source <(drover completion zsh)" },
    fish: { command: 'fish --no-config --interactive', setUp: 'drover completion fish | source' },
  };
  test('bash, zsh and fish complete commands, options and live names at the tab key', async t => {
    const mayInstall = process.env['CI'] === 'true' || process.getuid?.() === 0;
    if (mayInstall) installMissing('shells');
    const missing = lacking('shells');
    if (missing.length > 0) t.diagnostic(`not tried: ${missing.join(', ')}`);
    await Promise.all(Object.entries(shells).map(([name, shell]) => missing.includes(name) || typeInto(shell)));
  });

  async function typeInto({ command, setUp }: { command: string; setUp: string }): Promise<void> {
    await using typed = new TypedShell({ command, env: environment(), cwd: scratch.dir });
    typed.type(`${setUp}; echo set-up\n`);
    await typed.shows(/^set-up$/m);
    typed.type('drover ge\tns kube-p\t-o name\n');
    await typed.shows(/^namespace\/kube-public$/m);
    typed.type('drover get serviceaccounts --namespace=kube-p\t -o name --ignore-n\t\n');
    await typed.shows(/^serviceaccount\/default$/m);
    typed.type('drover explain namespaces.spec.fina\t \n');
    await typed.shows(/^FIELD: finalizers/m);
  }

  test('scripts of all shells are printed, others are refused', async () => {
    for (const name of ['bash', 'zsh', 'fish', 'powershell']) await drover.expect(`completion ${name}`, { says: '__complete' });
    await drover.expect('completion tcsh', { code: 2, says: 'bash, zsh, fish, powershell' });
  });

  test('a shell that cannot pass an empty word says that one begins', async () => {
    assert.match(await shell('drover __complete get', { DROVER_COMPLETE_NEW_WORD: '1' }), /^clusterroles\n/m);
  });

  test('explain tells of every kind what kubectl explain tells', async () => {
    const kinds = ['deploy.spec.strategy', 'clusters.drover.io --recursive', 'mcs.spec', 'hpa --api-version=autoscaling/v1'];
    const both = kinds.map(kind => `diff <(drover explain ${kind} 2>&1) <(kubectl explain ${kind} 2>&1)`);
    assert.equal(await shell(both.join(' && ')), '(0)');
    assert.match(
      await shell('drover explain pods.spec.contaners'),
      /^error: field "contaners" does not exist\n {2}spec has: .*containers, .*\n\(1\)$/,
    );
    assert.match(await shell('drover explain podz'), /resource type "podz"\n.*\n\(1\)$/);
  });

  test('version tells both sides, for people and for programs', async () => {
    await drover.expect('version', { says: [/^Drover: v\d/, /Node: v26/, /Hub: Kubernetes v1\./] });
    await drover.expect('--version', { says: /^Drover: v\d/ });
    const both = JSON.parse(await drover.expect('version -o json')) as { clientVersion: { drover: string }; hub: { server: string } };
    assert.equal(both.hub.server, hub.server);
  });

  test('the sources run as they are, too', async () => {
    assert.match(await shell('DROVER_PROGRAM= drover version --client'), /^Drover: v.*\nNode: v/);
    assert.match(await shell('DROVER_PROGRAM= drover get nonsense'), /^error: the server doesn't have .*\n.*\n\(1\)$/);
  });

  const oldNode = '/usr/bin/node';
  test('an older Node hands over to the one that came with the package', { skip: !existsSync(oldNode) }, async () => {
    const drover = path.join(repositoryRoot, 'bin/drover.js');
    assert.match(await shell(`${oldNode} "${drover}" version --client`), /^Drover: v.*\nNode: v(2[6-9]|[3-9]\d)/);
    assert.match(await shell(`${oldNode} "${drover}" get nonsense`), /^error: the server doesn't have .*\n.*\n\(1\)$/);
    assert.equal(await endOfWatch(oldNode, 'SIGTERM'), 130);
  });
});
