import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { commandsOf, matchesOutput, type ShownCommand } from '../helpers/console-blocks.ts';
import { eventually } from '../helpers/eventually.ts';
import { freePort } from '../helpers/free-port.ts';
import { installPrograms } from '../helpers/installed-programs.ts';
import { Program } from '../helpers/program.ts';
import { scratchDir } from '../helpers/real-cluster.ts';
import { missingRig, repositoryRoot } from '../helpers/rig.ts';
import { ShellSession } from '../helpers/shell-session.ts';

const guides = readdirSync(path.join(repositoryRoot, 'docs/guide')).filter(name => name.endsWith('.md'));
const documents = ['README.md', ...guides.map(name => `docs/guide/${name}`)];

const isGate = process.env['DROVER_GATE'] === 'true';

/** What a document may show without it being run here, by how it begins, and why. */
const notRunHere: Readonly<Record<string, string>> = {
  'npm ci && npm start ': 'needs a fresh checkout and minutes',
  'npm ci && npm test ': 'needs a fresh checkout and minutes',
  '    drover agent --server https://hub.example:7443 ': 'needs a token and a cluster: agent.story runs it',
  'rancher token --server ': 'the program is not in the rig: oidc.story runs it where there is one, and a client of ours otherwise',
  'token=$(curl -s $hub/v3-public/localProviders/local?action=login ': 'has a password of the reader: rancher-sign-in.story asks the same',
  'curl -s -H "Authorization: Bearer $token" "$hub/v3/clusters?labelSelector=': 'goes on from there: rancher-cli.story asks the same',
  'curl -s -H "Authorization: Bearer $token" -X POST "$hub/v3/clusters/prod?action=generateKubeconfig"':
    'goes on from there: real-agent-pod.story asks the same',
};
const isRunElsewhere = ({ text }: { text: string }) => Object.keys(notRunHere).some(start => text.startsWith(start));

/** The address that documents show, and the one that is free here. */
const shownPort = 7443;
const isHubStart = (command: string) => /^(npx )?drover up\b/.test(command);

describe('every command of the documents', { skip: missingRig('kubectl', 'helm') ?? false, timeout: 600_000 }, () => {
  for (const document of documents) {
    const { shown, unrunnable } = commandsOf(readFileSync(path.join(repositoryRoot, document), 'utf8'));
    test(`${document} shows only commands that can be run`, () => {
      const left = unrunnable.filter(one => !isRunElsewhere(one));
      assert.deepEqual(left, [], 'mark the block "console" and begin its commands with "$ "');
    });
    const skip = isGate && document.includes('/coming-from-') && 'stories of each dialect do the like: npm run test:stories runs it';
    if (shown.length > 0) test(`${document} does what it says`, { skip }, () => follow(document, shown));
  }
});

/** A person who reads a document from the beginning, with a machine of their own and a hub that is running unless the document starts one. */
async function follow(document: string, commands: readonly ShownCommand[]): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const scratch = stack.use(scratchDir('reader'));
  const home = path.join(scratch.dir, 'home');
  mkdirSync(home);
  // Readers are in a checkout, as far as examples and the chart are concerned.
  for (const name of ['examples', 'charts']) symlinkSync(path.join(repositoryRoot, name), path.join(home, name));
  const port = await freePort();
  const env = {
    HOME: home,
    PATH: `${installPrograms(scratch.dir, { rig: ['kubectl', 'helm'], listen: `127.0.0.1:${port}` })}:${process.env['PATH']}`,
    KUBECONFIG: path.join(home, '.drover/kubeconfig'),
    DROVER_KUBECONFIG: '',
    NO_COLOR: '1',
  };
  const asShown = (text: string) =>
    text.replaceAll(clientLog, '').replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${shownPort}`).replaceAll(home, '/home/ann');
  const shell = stack.use(new ShellSession({ env, cwd: home }));

  if (!isHubStart(commands[0]!.command)) await startHub({ line: 0, command: 'drover up', output: ['Drover hub ready…', '…'] });
  for (const [i, shown] of commands.entries()) {
    if (isHubStart(shown.command)) {
      await startHub(shown);
      continue;
    }
    const { code, output } = await shell.run(shown.command);
    const where = `${document}:${shown.line}\n$ ${shown.command}\n${asShown(output)}`;
    assert.ok(code === 0 || mayFail(shown, commands[i + 1]), `${where}ended with ${code}`);
    assert.ok(shown.output.length === 0 || matchesOutput(shown.output, asShown(output)), `${where}is not what the document shows`);
  }

  async function startHub({ line, command, output }: ShownCommand): Promise<void> {
    const logFile = path.join(scratch.dir, `hub-${line}.log`);
    const hub = stack.use(
      new Program({ name: command, command: 'bash', args: ['-c', `exec ${command.replace(/^npx /, '')}`], logFile, env, cwd: home }),
    );
    await eventually(
      () => asShown(readFileSync(logFile, 'utf8')),
      text => (output.length === 0 ? text.includes('Drover hub ready') : matchesOutput(output, text)),
      { timeoutMs: 30_000, what: `${document}:${line} ${command}` },
    ).catch((cause: unknown) => {
      throw new Error(`${document}:${line} is not what the document shows; ${hub.logTail()}`, { cause });
    });
  }
}

/** What kubectl's library notes down when `kubectl wait` has what it wants while its watch is just beginning. */
const clientLog = /^I\d{4} .* reflector\.go:\d+\] .*context canceled.*\n/gm;

/** A document may show a failure: by its message, or by the exit code that it asks for next. */
function mayFail({ output }: ShownCommand, next: ShownCommand | undefined): boolean {
  return output.some(line => /^error/i.test(line)) || next?.command === 'echo $?';
}
