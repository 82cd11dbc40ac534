import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { chartFiles } from '../../test/helpers/chart-files.ts';
import { gitBackend, testRepository } from '../../test/helpers/git-server.ts';
import { startSourceServer } from '../../test/helpers/source-server.ts';
import { tempDir } from '../../test/helpers/temp-dir.ts';
import { readFolderArchive } from '../render/archive.ts';
import { readChartArchive } from '../render/chart/chart-archive.ts';
import { errorText } from '../util/error-text.ts';
import type { SourceCredentials } from './credentials.ts';
import { createEgress } from './egress.ts';
import { fetchChart } from './fetch-chart.ts';
import { fetchFolder } from './fetch-folder.ts';
import { findGitCommit } from './git.ts';
import { checkRevision, gitUrl, parseGitAddress } from './git-address.ts';
import { createSourceCaches } from './source-caches.ts';
import { SourceError } from './source-error.ts';

const egress = createEgress({ allow: ['127.0.0.1/32'] });
const authorization = `Basic ${Buffer.from('me:hunter2').toString('base64')}`;
const inFolder = (folder: string, files: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));

async function serve(t: TestContext, options: { authorization?: string } = {}) {
  const scratch = tempDir('git-source');
  t.after(() => scratch[Symbol.dispose]());
  const repo = testRepository(path.join(scratch.dir, 'app.git'));
  const server = await startSourceServer(t, gitBackend(scratch.dir, options));
  const repository = `git+${server.url}/app.git`;
  const context = (credentials: SourceCredentials = {}) => ({
    egress,
    caches: createSourceCaches(),
    credentials: { ...credentials, tls: { ca: server.ca.certificate } },
    signal: new AbortController().signal,
  });
  const chart = (name: string, version?: string, credentials?: SourceCredentials) =>
    fetchChart({ repository, name, version }, context(credentials));
  const folder = async (version?: string) => readFolderArchive((await fetchFolder({ repository, version }, context())).bytes);
  return { dir: scratch.dir, repo, ...server, repository, context, chart, folder };
}

async function words(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => assert.fail('it should not have been found'),
    (error: unknown) => error,
  );
  assert.ok(error instanceof SourceError, String(error));
  return errorText(error);
}

test('the newest tag within a range is read, and a reference that is written whole is no other', async t => {
  const { repo, folder, repository, context } = await serve(t);
  for (const version of ['1.0.0', 'v1.2.0', '1.10.0-rc.1']) {
    repo.commit({ version });
    repo.git('tag', '-a', version, '-m', version);
  }
  repo.commit({ version: 'branch' });
  repo.git('tag', 'both', '1.0.0');
  repo.git('branch', 'both');
  const read = async (version: string) => (await folder(version)).get('version')?.toString();
  assert.equal(await read('semver:1.x'), 'v1.2.0');
  assert.equal(await read('semver:>=1.0.0-0'), '1.10.0-rc.1');
  assert.equal(await read('refs/heads/both'), 'branch');
  assert.equal(await read('refs/tags/both'), '1.0.0');
  assert.match(
    await words(fetchFolder({ repository, version: 'semver:2.x' }, context())),
    /^no tag within "2.x" found in .*; it has 1.10.0-rc.1, v1.2.0, 1.0.0$/,
  );
});

test('which commit a version means is known without what it holds, also after it was moved by force', async t => {
  const scratch = tempDir('git-commit');
  t.after(() => scratch[Symbol.dispose]());
  const repo = testRepository(path.join(scratch.dir, 'app.git'));
  const backend = gitBackend(scratch.dir);
  let fetches = 0;
  const server = await startSourceServer(t, (req, res) => {
    req.on('data', (chunk: Buffer) => void (chunk.includes('command=fetch') && fetches++));
    backend(req, res);
  });
  const context = {
    egress,
    caches: createSourceCaches(),
    credentials: { tls: { ca: server.ca.certificate } },
    signal: new AbortController().signal,
  };
  const find = (version?: string) => findGitCommit({ repository: `git+${server.url}/app.git`, version }, context);
  const first = repo.commit({ a: '1' });
  repo.git('tag', '-a', '1.0.0', '-m', 'one');
  const second = repo.commit({ a: '2' });
  repo.git('tag', '1.1.0');
  repo.git('branch', 'side');
  assert.deepEqual(
    await Promise.all([
      find(),
      find('main'),
      find('side'),
      find('1.0.0'),
      find('refs/tags/1.0.0'),
      find('1.1.0'),
      find('semver:~1.0'),
      find(first),
    ]),
    [second, second, second, first, first, second, first, first],
  );
  repo.git('reset', '--hard', '--quiet', first);
  const other = repo.commit({ a: '3' });
  assert.equal(await find('main'), other);
  repo.git('reset', '--hard', '--quiet', first);
  assert.equal(await find('main'), first);
  repo.git('branch', '-D', 'side');
  assert.match(await words(find('side')), /has no branch, tag or commit "side"/);
  assert.equal(fetches, 0);
});

test('what a source leaves out is left out of folders and of charts', async t => {
  const { repo, repository, context } = await serve(t);
  repo.commit({
    ...inFolder('web', { ...chartFiles('web', '1.0.0'), 'notes.md': 'x', 'drafts/a': 'x' }),
    '.sourceignore': '*.md\n',
    'a.md': 'x',
    b: 'x',
  });
  const folder = async (ignore?: string) => [...readFolderArchive((await fetchFolder({ repository, ignore }, context())).bytes).keys()];
  assert.ok((await folder()).includes('a.md'), 'nobody asked to leave something out');
  const left = await folder('/b\n');
  assert.ok(
    !left.some(name => name.endsWith('.md') || name === 'b' || name === '.sourceignore') && left.includes('web/drafts/a'),
    left.join(),
  );
  const packed = await fetchChart({ repository, name: 'web', ignore: 'web/drafts/\n' }, context());
  const names = readChartArchive(packed.bytes).map(({ name }) => name);
  assert.ok(names.includes('Chart.yaml') && !names.includes('notes.md') && !names.includes('drafts/a'), names.join());
});

test('a chart comes from a folder of a repository, by branch, tag or commit', async t => {
  const { repo, chart } = await serve(t);
  const first = repo.commit(
    inFolder('deploy/web', { ...chartFiles('web', '1.0.0'), '.helmignore': 'secret/\n*.bak\n', 'secret/x': 'x', 'a.bak': 'x' }),
  );
  repo.git('tag', '-a', 'v1', '-m', 'one');
  repo.commit(inFolder('deploy/web', chartFiles('web', '2.0.0')));
  repo.git('branch', 'release/2');
  repo.commit(inFolder('deploy/web', chartFiles('web', '3.0.0')));
  const version = async (version?: string) => (await chart('deploy/web', version)).version;
  assert.deepEqual(
    [await version(), await version('main'), await version('v1'), await version('release/2'), await version(first)],
    ['3.0.0', '3.0.0', '1.0.0', '2.0.0', '1.0.0'],
  );
  const { bytes } = await chart('./deploy/web/', 'v1');
  assert.ok(bytes.equals((await chart('deploy/web', first)).bytes), 'the same commit gives the same bytes');
  assert.deepEqual(
    readChartArchive(bytes)
      .map(file => file.name)
      .sort(),
    ['.helmignore', 'Chart.yaml', 'templates/greeting.yaml', 'values.yaml'],
  );
});

test('a repository comes whole for a kustomization', async t => {
  const { repo, folder } = await serve(t);
  repo.commit({ 'base/a.yaml': 'a', 'overlays/x/kustomization.yaml': 'resources: [../../base]' });
  assert.deepEqual([...(await folder()).keys()], ['base/a.yaml', 'overlays/x/kustomization.yaml']);
});

test('what is not there is said', async t => {
  const { repo, chart, repository, url, context } = await serve(t);
  repo.commit({ a: 'a' });
  assert.equal(await words(chart('web')), `there is no folder "web" in "${repository}"`);
  assert.equal(await words(chart('web', 'v9')), `"${repository}" has no branch, tag or commit "v9"`);
  assert.match(await words(chart('web', 'abcdef12')), /has no branch, tag or commit "abcdef12"; commits must be given whole/);
  assert.match(await words(chart('web', '0'.repeat(40))), /does not have the revision/);
  assert.equal(await words(fetchChart({ repository: `git+${url}/nothing.git` }, context())), `there is no "git+${url}/nothing.git" (404)`);
  assert.match(await words(chart('.')), /holds is no chart: Chart.yaml file is missing/);
  assert.match(await words(chart('../x')), /is no folder of a repository/);
});

test('credentials go to the repository and are in no error', async t => {
  const { repo, chart, repository, context } = await serve(t, { authorization });
  repo.commit(chartFiles('web', '1.0.0'));
  assert.equal((await chart('', undefined, { username: 'me', password: 'hunter2' })).name, 'web');
  assert.equal((await fetchChart({ repository: repository.replace('://', '://me:hunter2@') }, context())).name, 'web');
  assert.match(await words(chart('')), /wants credentials \(401\)/);
  const said = await words(chart('', undefined, { username: 'me', password: 'hunter3' }));
  assert.match(said, /does not accept the credentials/);
  assert.doesNotMatch(said, /hunter|Basic/);
});

test('a redirect is followed to where it is allowed, without credentials', async t => {
  const { repo, port, context, requests } = await serve(t);
  repo.commit(chartFiles('web', '1.0.0'));
  const gate = await startSourceServer(t, (req, res) => void res.writeHead(301, { location: `https://127.0.0.1:${port}${req.url}` }).end());
  const get = (url: string) => fetchChart({ repository: `git+${url}/app.git` }, context({ username: 'me', password: 'hunter2' }));
  assert.equal((await get(gate.url)).name, 'web');
  assert.ok(requests.length > 1 && requests.every(req => req.headers.authorization === undefined));
  const trap = await startSourceServer(
    t,
    (_req, res) => void res.writeHead(301, { location: 'https://169.254.169.254/app.git/info/refs?service=git-upload-pack' }).end(),
  );
  assert.match(await words(get(trap.url)), /169.254.169.254 is a link-local address/);
});

test('a server that redirects git itself later on is not followed', async t => {
  const { repo, dir, context } = await serve(t);
  repo.commit(chartFiles('web', '1.0.0'));
  const reached: string[] = [];
  const inner = await startSourceServer(t, (req, res) => {
    reached.push(req.url ?? '');
    res.end();
  });
  const backend = gitBackend(dir);
  const gate = await startSourceServer(t, (req, res) =>
    req.method === 'POST' ? void res.writeHead(302, { location: `${inner.url}${req.url}` }).end() : backend(req, res),
  );
  await words(fetchChart({ repository: `git+${gate.url}/app.git` }, context()));
  assert.deepEqual(reached, []);
});

test('links stand for what they name within the repository, and lead nowhere else', async t => {
  const { repo, chart, folder } = await serve(t);
  repo.commit({
    ...inFolder('web', chartFiles('web', '1.0.0')),
    'shared/crd.yaml': 'kind: x',
    'web/crds': { link: '../shared' },
    'web/copy.yaml': { link: 'crds/../values.yaml' },
    'loop/self': { link: '.' },
    'loop/up': { link: '../../loop' },
    'out/passwd': { link: '/etc/passwd' },
    'out/above': { link: '../../../etc/passwd' },
    'out/nowhere': { link: 'missing' },
    'out/a': { link: 'b' },
    'out/b': { link: 'a' },
  });
  const files = readChartArchive((await chart('web')).bytes);
  assert.equal(files.find(file => file.name === 'crds/crd.yaml')?.data.toString(), 'kind: x');
  assert.equal(files.find(file => file.name === 'copy.yaml')?.data.toString(), 'greeting: hello\n');
  assert.ok([...(await folder()).keys()].every(name => !name.startsWith('out/') && !name.startsWith('loop/')));
  repo.commit({ 'web/evil.yaml': { link: '/etc/passwd' } });
  assert.match(await words(chart('web')), /"evil.yaml" is a link that leads out of the repository/);
});

test('hooks, attributes, filters and submodules of a repository do nothing', async t => {
  const { repo, folder, dir } = await serve(t);
  const mark = path.join(dir, 'mark');
  repo.git('config', 'filter.evil.smudge', `touch ${mark}`);
  for (const hook of ['post-checkout', 'post-merge', 'reference-transaction']) {
    mkdirSync(path.join(repo.dir, '.git/hooks'), { recursive: true });
    writeFileSync(path.join(repo.dir, '.git/hooks', hook), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
  }
  repo.commit({
    '.gitattributes': 'a.txt filter=evil export-ignore text eol=crlf ident\n',
    'a.txt': 'one $Id$\n',
    '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch ${mark}"\n`,
  });
  repo.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},x`);
  repo.git('commit', '--quiet', '-m', 'submodule');
  rmSync(mark, { force: true });
  const files = await folder();
  assert.equal(files.get('a.txt')?.toString(), 'one $Id$\n');
  assert.equal(files.has('x'), false);
  assert.equal(existsSync(mark), false);
});

for (const repository of [
  'git+ext::sh -c id',
  'git+ext://sh -c id',
  'git+file:///etc',
  'git+https://-oProxyCommand=id/x',
  'git+ssh://-oProxyCommand=id/x',
  'git+ssh://-oProxyCommand=id@host/x',
  'git+ssh://git@host/-x',
  'git+ssh://git@host/--upload-pack=id',
  'git+https://host/--upload-pack=id',
  'git+https://host/a\n--upload-pack=id',
  'git+https://host/a b',
  'git+https://host/a?b',
  'git+https://host/a#b',
  'git+https://host/../a',
  'git+https://host/a;id',
  'git+https://host/$(id)',
  "git+ssh://git@host/a'b",
  'git+ssh://g$it@host/a',
  'git+https://host',
  'git+https:///a',
]) {
  test(`${JSON.stringify(repository)} is given to nobody`, async () => {
    const context = { egress, caches: createSourceCaches(), credentials: {}, signal: new AbortController().signal };
    assert.match(await words(fetchFolder({ repository }, context)), /is no address of the form git/);
  });
}

for (const version of [
  '--upload-pack=id',
  '-x',
  'a b',
  'a\nb',
  'a..b',
  'a@{1}',
  'a:b',
  'a^',
  'a~1',
  '*',
  'refs/heads/../x',
  'x.lock',
  '',
]) {
  test(`${JSON.stringify(version)} is no revision`, () => assert.throws(() => checkRevision(version), /is no branch, tag or commit/));
}

test('odd forms of forbidden addresses are forbidden', async () => {
  for (const host of ['0177.0.0.1', '2130706433', 'localhost.', '[::ffff:127.0.0.1]'])
    for (const scheme of ['git+https', 'git+ssh']) {
      const context = {
        egress: createEgress(),
        caches: createSourceCaches(),
        credentials: { sshKey: 'x', knownHosts: 'x' },
        signal: new AbortController().signal,
      };
      assert.match(
        await words(fetchFolder({ repository: `${scheme}://${host}/x.git` }, context)),
        /is a loopback address/,
        `${scheme} ${host}`,
      );
    }
});

test('whatever is taken for an address can be given to git', () => {
  const piece = fc.stringMatching(/^[-A-Za-z0-9._~:@%+='$ \n/]{0,12}$/);
  fc.assert(
    fc.property(fc.constantFrom('https', 'ssh', 'http'), piece, piece, (scheme, host, rest) => {
      let url: string;
      try {
        url = gitUrl(parseGitAddress(`git+${scheme}://${host}/${rest}`));
      } catch (error) {
        assert.ok(error instanceof SourceError);
        return;
      }
      assert.match(url, /^(https|ssh|http):\/\/[^-\s'"$;&|]\S*$/);
      assert.doesNotMatch(url, /\/-|['"$;&|`\s]/);
    }),
    { numRuns: 1000 },
  );
});

test(
  'git by SSH needs to know its host, connects where it was told, and shows no other key',
  { skip: spawnSync('ssh', ['-V']).status !== 0 },
  async t => {
    const heard: string[] = [];
    const server = createServer(socket => {
      socket.once('data', data => {
        heard.push(data.toString());
        socket.destroy();
      });
      socket.on('error', () => {});
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const context = (credentials: SourceCredentials) => ({
      egress,
      caches: createSourceCaches(),
      credentials,
      signal: new AbortController().signal,
    });
    const repository = `git+ssh://git@localhost:${port}/app.git`;
    assert.match(
      await words(fetchFolder({ repository }, context({}))),
      /needs a Secret with the key "ssh-privatekey" and with "known_hosts"/,
    );
    await words(fetchFolder({ repository }, context({ sshKey: 'no key', knownHosts: 'localhost ssh-ed25519 AAAA' })));
    assert.match(heard[0] ?? '', /^SSH-2.0-/);
  },
);

test('a server that falls silent is given up with whoever waits, and git with it', async t => {
  const { repo, dir, context } = await serve(t);
  repo.commit(chartFiles('web', '1.0.0'));
  const backend = gitBackend(dir);
  const asked = Promise.withResolvers<Socket>();
  const gate = await startSourceServer(t, (req, res) => (req.method === 'POST' ? asked.resolve(req.socket) : backend(req, res)));
  const stop = new AbortController();
  const call = fetchChart({ repository: `git+${gate.url}/app.git` }, { ...context(), signal: stop.signal });
  const gone = new Promise(resolve => void asked.promise.then(socket => socket.once('close', resolve)));
  await asked.promise;
  stop.abort(new Error('enough'));
  await assert.rejects(call, /enough/);
  await gone;
});

test('nothing is left behind', async t => {
  const { repo, folder } = await serve(t);
  repo.commit({ a: 'a' });
  const before = process.env['TMPDIR'];
  const scratch = tempDir('git-left');
  t.after(() => scratch[Symbol.dispose]());
  process.env['TMPDIR'] = scratch.dir;
  try {
    await folder();
    await folder('nothing').catch(() => {});
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
  assert.equal(spawnSync('ls', ['-A', scratch.dir], { encoding: 'utf8' }).stdout, '');
});
