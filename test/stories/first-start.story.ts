import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { freePort } from '../helpers/free-port.ts';
import { eventually } from '../helpers/eventually.ts';
import { startHub, type Hub } from '../helpers/hub.ts';
import { scratchDir } from '../helpers/real-cluster.ts';
import { repositoryRoot } from '../helpers/rig.ts';
import { runCommand, type CommandResult } from '../helpers/run-command.ts';

const options = { timeout: 120_000 };
const passwordLine = /First admin password, shown once: (\S{12,})/;

const drover = (...args: string[]): Promise<CommandResult> => droverAt({}, ...args);

function droverAt(env: Readonly<Record<string, string>>, ...args: string[]): Promise<CommandResult> {
  const node = path.join(repositoryRoot, 'node_modules/.bin/node');
  return runCommand(node, [path.join(repositoryRoot, 'bin/drover.js'), ...args], { timeoutMs: 30_000, env });
}

test('drover up on a fresh folder is ready in seconds and says what to do next', options, async () => {
  using scratch = scratchDir('first');
  const startedAt = performance.now();
  await using hub = await startHub({ dataDir: path.join(scratch.dir, 'data') });
  assert.ok(performance.now() - startedAt < 10_000, 'ready in seconds, even on a busy machine');

  const said = readFileSync(hub.program.logFile, 'utf8');
  assert.match(said, new RegExp(`ready in [0-9.]+ s at ${hub.server}`));
  assert.ok(said.includes(`export KUBECONFIG=${hub.kubeconfig}`), said);
  assert.match(said, passwordLine);
  assert.match(said, /Ctrl-C stops it/);
});

test('the demo shows a service on the clusters that match, and starts again without undoing what a person did', options, async () => {
  using scratch = scratchDir('first');
  const dataDir = path.join(scratch.dir, 'data');
  const demo = { dataDir, extraArgs: ['--demo'] };
  const said = (hub: Hub) =>
    eventually(
      () => readFileSync(hub.program.logFile, 'utf8'),
      text => text.includes('Ctrl-C'),
      { timeoutMs: 50_000 },
    );
  const clusterDeployments = '/apis/k0rdent.mirantis.com/v1beta1/namespaces/kcm-system/clusterdeployments';
  const services = '/apis/k0rdent.mirantis.com/v1beta1/multiclusterservices';
  {
    await using hub = await startHub(demo);
    const text = await said(hub);
    assert.match(text, /^east +env=prod +web-1-0-0 +Deployed$/m);
    assert.match(text, /^west +env=prod +web-1-0-0 +Deployed$/m);
    assert.match(text, /^lab +env=test +<none> +not web: env is "test", not "prod"$/m);
    assert.doesNotMatch(text, /^\{/m, 'the log is elsewhere');
    assert.match(readFileSync(path.join(dataDir, 'hub.log'), 'utf8'), /"cluster is ready"/);

    const link = /^The page, signed in by this link, once: (https:\S+)$/m.exec(text)?.[1];
    assert.ok(link?.startsWith(hub.server), text);

    // What a person does: one more cluster of the service, and one less.
    const labelled = { metadata: { labels: { env: 'prod' } } };
    const merge = { 'content-type': 'application/merge-patch+json' };
    assert.equal((await hub.request('PATCH', `${clusterDeployments}/lab`, labelled, merge)).code, 200);
    assert.equal((await hub.request('DELETE', `${clusterDeployments}/west`)).code, 200);
    await eventually(
      () => hub.request('GET', `${clusterDeployments}/west`),
      ({ code }) => code === 404,
      { timeoutMs: 50_000 },
    );
  }
  {
    await using hub = await startHub(demo);
    const text = await said(hub);
    assert.match(text, /^From an earlier start/m);
    assert.match(text, /^lab +env=prod +web-1-0-0 +Deployed$/m);
    assert.doesNotMatch(text, /^west/m);
    assert.equal((await hub.request('DELETE', `${services}/web`)).code, 200);
    await eventually(
      () => hub.request('GET', `${services}/web`),
      ({ code }) => code === 404,
      { timeoutMs: 50_000 },
    );
    hub.program.kill('SIGINT');
    assert.equal(await hub.program.exited, 0);
  }
  await using hub = await startHub(demo);
  const text = await said(hub);
  assert.match(text, /^east +env=prod +<none> +the cluster is ready$/m);
  assert.equal((await hub.request('GET', `${services}/web`)).code, 404);
});

test('a hub with clusters of its own gets no demo, and a demo that is interrupted ends cleanly', options, async () => {
  using scratch = scratchDir('first');
  const dataDir = path.join(scratch.dir, 'data');
  {
    await using hub = await startHub({ dataDir, extraArgs: ['--demo'] });
    hub.program.kill('SIGINT');
    assert.equal(await hub.program.exited, 0);
    assert.match(readFileSync(hub.program.logFile, 'utf8'), /Stopping\.\n$/);
    assert.doesNotMatch(readFileSync(hub.program.logFile, 'utf8'), /error/);
  }
  await using hub = await startHub({ extraArgs: ['--sandbox', '1'] });
  await eventually(
    () => readFileSync(hub.program.logFile, 'utf8'),
    text => text.includes('Ctrl-C'),
    { timeoutMs: 50_000 },
  );
  const { dir, program } = hub;
  program.kill('SIGTERM');
  await program.exited;
  await using again = await startHub({ dataDir: dir, extraArgs: ['--demo'] });
  const text = await eventually(
    () => readFileSync(again.program.logFile, 'utf8'),
    said => said.includes('Ctrl-C'),
    { timeoutMs: 50_000 },
  );
  assert.match(text, /This hub has clusters of its own, so that no demo was made/);
});

test('nobody else on the machine can read the kubeconfig, the keys or the data', options, async () => {
  using scratch = scratchDir('first');
  await using hub = await startHub({ dataDir: path.join(scratch.dir, 'data') });

  const mode = (file: string): string => (statSync(path.join(hub.dir, file)).mode & 0o777).toString(8);
  assert.equal(mode('kubeconfig'), '600');
  for (const file of readdirSync(path.join(hub.dir, 'pki'))) assert.equal(mode(path.join('pki', file)), '600', file);
  for (const file of readdirSync(hub.dir).filter(name => name.startsWith('hub.db'))) assert.equal(mode(file), '600', file);
});

test('the first admin password is printed once and kept nowhere in the clear', options, async () => {
  using scratch = scratchDir('first');
  const dataDir = path.join(scratch.dir, 'data');
  let password: string | undefined;
  {
    await using hub = await startHub({ dataDir });
    password = passwordLine.exec(readFileSync(hub.program.logFile, 'utf8'))?.[1];
    assert.ok(password);
  }
  await using again = await startHub({ dataDir });
  assert.doesNotMatch(readFileSync(again.program.logFile, 'utf8'), /password/i);
  for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter(e => e.isFile())) {
    const file = path.join(entry.parentPath, entry.name);
    assert.ok(!readFileSync(file).includes(password), `"${file}" holds the password`);
  }
});

test('a second up on the same data says so and exits 1; the first goes on', options, async () => {
  await using hub = await startHub();
  const second = await drover('up', '--data', hub.dir, '--listen', `127.0.0.1:${await freePort()}`);
  assert.equal(second.code, 1);
  assert.match(second.stderr, /^error: another hub is using ".*"; stop it first, or choose another folder with --data\n$/);
  assert.ok(second.stderr.includes(hub.dir));
  assert.equal((await hub.request('GET', '/readyz')).code, 200);
});

test('where it cannot keep its data it says so and what to do, ends with 1, and changes nothing', options, async () => {
  using scratch = scratchDir('first');
  const listen = ['--listen', '127.0.0.1:0'];
  const newer = path.join(scratch.dir, 'newer');
  mkdirSync(newer);
  const file = path.join(newer, 'hub.db');
  {
    using db = new DatabaseSync(file);
    db.exec('PRAGMA journal_mode = WAL; PRAGMA user_version = 99; CREATE TABLE log (revision INTEGER PRIMARY KEY, what TEXT)');
  }
  const before = readFileSync(file);
  const tiny = path.join(scratch.dir, 'tiny');
  mkdirSync(tiny);
  const isMounted = (await runCommand('mount', ['-t', 'tmpfs', '-o', 'size=200k', 'tmpfs', tiny], {})).code === 0;
  assert.ok(isMounted || process.env['CI'] !== 'true', 'CI may mount a tmpfs');
  try {
    const runs = {
      'no folder can be made there': droverAt({ HOME: '/proc' }, 'up', ...listen),
      'a newer Drover wrote it (format 99, this one knows 1); nothing was changed': drover('up', '--data', newer, ...listen),
      ...(isMounted && { 'is full; free space there': drover('up', '--api-only', '--data', tiny, ...listen) }),
    };
    for (const [words, run] of Object.entries(runs)) {
      const { code, stderr } = await run;
      assert.equal(code, 1, stderr);
      assert.ok(stderr.startsWith('error: ') && stderr.includes(words) && stderr.includes('--data'), stderr);
    }
    assert.ok(readFileSync(file).equals(before));
  } finally {
    if (isMounted) await runCommand('umount', [tiny], {});
  }
});

test('Ctrl-C stops it with exit code 0, even while somebody watches', options, async () => {
  await using hub = await startHub();
  const watch = await hub.target.stream('/api/v1/namespaces?watch=true');
  assert.equal(watch.code, 200);

  const askedAt = performance.now();
  hub.program.kill('SIGINT');
  assert.equal(await hub.program.exited, 0);
  assert.ok(performance.now() - askedAt < 5000, 'stops at once');
  await watch.ended;
  assert.match(readFileSync(hub.program.logFile, 'utf8'), /Stopping\.\n$/);
});

test('data survive a restart', options, async () => {
  using scratch = scratchDir('first');
  const dataDir = path.join(scratch.dir, 'data');
  const port = await freePort();
  const at = '/api/v1/namespaces/default/configmaps';
  let kept: string;
  let kubeconfig: string;
  {
    await using hub = await startHub({ dataDir, port });
    const created = await hub.request('POST', at, { metadata: { name: 'kept' }, data: { a: '1' } });
    assert.equal(created.code, 201);
    kept = created.text;
    kubeconfig = readFileSync(hub.kubeconfig, 'utf8');
  }
  await using hub = await startHub({ dataDir, port });
  assert.deepEqual((await hub.request('GET', `${at}/kept`)).json(), JSON.parse(kept));
  assert.equal(readFileSync(hub.kubeconfig, 'utf8'), kubeconfig, 'a kubeconfig that was handed out goes on working');
});

for (const listen of ['nonsense', '127.0.0.1', '127.0.0.1:99999', '127.0.0.1:http'])
  test(`--listen ${listen} is refused in a sentence`, options, async () => {
    using scratch = scratchDir('first');
    const data = path.join(scratch.dir, 'data');
    const result = await drover('up', '--data', data, '--listen', listen);
    assert.equal(result.code, 1);
    assert.equal(result.stderr, `error: --listen "${listen}" is not HOST:PORT\n`);
    assert.ok(!existsSync(data), 'nothing is made before the words are understood');
  });

test('an address in use is named, and the data are free again', options, async () => {
  using scratch = scratchDir('first');
  const dataDir = path.join(scratch.dir, 'data');
  const port = await freePort();
  const occupant = createServer().listen(port, '127.0.0.1');
  try {
    const result = await drover('up', '--data', dataDir, '--listen', `127.0.0.1:${port}`);
    assert.equal(result.code, 1);
    assert.equal(result.stderr, `error: 127.0.0.1:${port} is in use by another program; choose another address with --listen\n`);
  } finally {
    occupant.close();
  }
  await using hub = await startHub({ dataDir });
  assert.equal((await hub.request('GET', '/readyz')).code, 200);
  assert.match(readFileSync(hub.program.logFile, 'utf8'), passwordLine, 'a start that failed has used up no password');
});

test('a folder that cannot hold the data is refused in a sentence, with what to do', options, async () => {
  using scratch = scratchDir('first');
  const file = path.join(scratch.dir, 'file');
  writeFileSync(file, '');
  for (const [data, reason] of [
    [file, 'there is a file of that name'],
    [path.join(file, 'data'), 'there is a file on the way to it'],
  ]) {
    const result = await drover('hub', '--data', data!, '--listen', '127.0.0.1:0');
    assert.equal(result.code, 1);
    assert.equal(
      result.stderr,
      `error: the hub cannot keep its data in "${data}": ${reason}\n  choose a folder of your own with --data DIR\n`,
    );
  }
});

test('a first password that is given is taken and not shown; one that is too short is refused', options, async () => {
  const given = { env: { CATTLE_BOOTSTRAP_PASSWORD: 'correct horse battery' } };
  await using hub = await startHub(given);
  assert.doesNotMatch(readFileSync(hub.program.logFile, 'utf8'), /password|correct horse/i);
  const login = { username: 'admin', password: given.env.CATTLE_BOOTSTRAP_PASSWORD };
  await eventually(
    () => hub.request('POST', '/v3-public/localProviders/local?action=login', login, {}, { anonymous: true }),
    ({ code }) => code === 201,
    { timeoutMs: 30_000 },
  );
  const node = path.join(repositoryRoot, 'node_modules/.bin/node');
  const words = [path.join(repositoryRoot, 'bin/drover.js'), 'up', '--data', hub.dir, '--listen', '127.0.0.1:0'];
  const refused = await runCommand(node, words, { env: { CATTLE_BOOTSTRAP_PASSWORD: 'short' }, timeoutMs: 30_000 });
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /CATTLE_BOOTSTRAP_PASSWORD has less than 12 characters/);
});

test('an unknown option or command exits 2 and points to the help', options, async () => {
  for (const args of [['up', '--nonsense'], ['sideways']]) {
    const result = await drover(...args);
    assert.equal(result.code, 2, args.join(' '));
    assert.match(result.stderr, /unknown (option|command)[^]*--help/);
  }
  const help = await drover('up', '--help');
  assert.equal(help.code, 0);
  assert.match(help.stdout, /--data[^]*--listen/);
});
