import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkStatus } from './check-status.ts';
import { basicAuthorization, type SourceCredentials } from './credentials.ts';
import { checkRevision, gitUrl, parseGitAddress, type GitAddress } from './git-address.ts';
import { gitEnvironment } from './git-environment.ts';
import { explainGitFailure } from './git-failure-words.ts';
import { newestTag, rangeIn } from './newest-tag.ts';
import { readGitTree, type GitTree } from './git-tree.ts';
import { GitFailure, runGit } from './run-git.ts';
import type { SourceContext } from './source-context.ts';
import { SourceError } from './source-error.ts';
import { urlHost } from '../util/url-host.ts';

export interface GitSource {
  /** `git+https://…` or `git+ssh://…`. */
  readonly repository: string;
  /** A branch, a tag, a commit, a whole reference (`refs/heads/main`), or `semver:RANGE`. What the repository shows first when absent. */
  readonly version?: string | undefined;
}

const timeoutMs = 180_000;
const maxPackBytes = 512 * 1024 * 1024;
const lookMs = 500;
const maxTagBytes = 16 * 1024 * 1024;
const commitForm = /^[0-9a-f]{40}$/;
const advertisement = '/info/refs?service=git-upload-pack';

/**
 * Reads one commit of a repository. Only what the commit holds is fetched, and nothing of it is ever a file on this machine: files are read out of git's own
 * store, so that names, links, hooks and attributes of the repository have no meaning here.
 */
export function withGitTree<T>(source: GitSource, ctx: SourceContext, use: (tree: GitTree, place: string) => Promise<T>): Promise<T> {
  return atRepository(source, ctx, async ({ readTree, place }) => use(await readTree(), place));
}

/** The commit that a version means now, as the repository lists it: nothing of what it holds is fetched. */
export const findGitCommit = (source: GitSource, ctx: SourceContext): Promise<string> =>
  atRepository(source, ctx, async ({ commit }) => commit);

async function atRepository<T>(source: GitSource, ctx: SourceContext, use: (at: Repository) => Promise<T>): Promise<T> {
  const { version = '' } = source;
  const address = parseGitAddress(source.repository);
  const range = rangeIn(version);
  if (version !== '' && range === undefined) checkRevision(version);
  const folder = await mkdtemp(join(tmpdir(), 'drover-git-'));
  const late = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([ctx.signal, late]);
  const place = `git+${gitUrl(address).replace(/\/\/[^/]*@/, '//')}`;
  try {
    return await use(await openRepository({ address, version, range, folder, place }, { ...ctx, signal }));
  } catch (error) {
    if (ctx.signal.aborted) throw ctx.signal.reason;
    if (late.aborted) throw new SourceError(`"${place}" could not be read within ${timeoutMs / 1000} s`);
    throw error instanceof GitFailure ? explainGitFailure(error, place) : error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Reading {
  readonly address: GitAddress;
  readonly version: string;
  /** Of the tags of which the newest is meant. */
  readonly range: string | undefined;
  readonly folder: string;
  readonly place: string;
}

interface Repository {
  readonly place: string;
  /** As it is listed; a commit that is given whole is not looked for. */
  readonly commit: string;
  /** Fetches what the commit holds. */
  readTree(): Promise<GitTree>;
}

async function openRepository({ address: asked, version, range, folder, place }: Reading, ctx: SourceContext): Promise<Repository> {
  const { egress } = ctx;
  const { address, authorization, credentials } =
    asked.protocol === 'ssh' ? { address: asked, authorization: undefined, credentials: ctx.credentials } : await findServer(asked, ctx);
  const bare = urlHost(address.host);
  const located = await egress.locate(new URL(`${address.protocol}://${bare}:${address.port}`), ctx.signal);
  const home = join(folder, 'home');
  const store = join(folder, 'store');
  await mkdir(home, { mode: 0o700 });
  const env = gitEnvironment({ address, located: { ...located, port: address.port }, credentials, authorization, folder: home });
  const git = (args: readonly string[], more: { input?: string; maxBytes?: number; signal?: AbortSignal } = {}) =>
    runGit(args, { env, cwd: folder, maxBytes: 1024 * 1024, signal: ctx.signal, ...more });

  await git(['init', '--quiet', '--bare', '--template=', '--', store]);
  const inStore = ['--git-dir', store];
  const url = gitUrl(address);
  const wanted = commitForm.test(version)
    ? { oid: version, commit: version }
    : await (range === undefined ? resolveRevision() : resolveRange(range));
  return { place, commit: wanted.commit, readTree };

  async function readTree(): Promise<GitTree> {
    using watch = watchSize(store, ctx.signal);
    await git(
      [...inStore, 'fetch', '--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head', '--', url, wanted.oid],
      { signal: watch.signal },
    );
    const found = await git([...inStore, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${wanted.oid}^{commit}`]);
    const commit = found.toString().trim();
    if (!commitForm.test(commit)) throw new SourceError(`"${place}" has no commit "${version}"`, { isFinal: true });
    return readGitTree({ commit, git: (args, more) => git([...inStore, ...args], more) });
  }

  async function resolveRange(wantedTags: string): Promise<Named> {
    const refs = refsIn(await git(['ls-remote', '--quiet', '--tags', '--', url], { maxBytes: maxTagBytes }));
    const prefix = 'refs/tags/';
    const tags = [...refs.keys()].flatMap(ref => (ref.startsWith(prefix) && !ref.endsWith(peeled) ? [ref.slice(prefix.length)] : []));
    const found = namedIn(refs, `${prefix}${newestTag(tags, wantedTags, place)}`);
    if (!found) throw new Error('git does not have what it lists');
    return found;
  }

  /** What a name stands for: tags before branches, as git itself has it. */
  async function resolveRevision(): Promise<Named> {
    const whole = version.startsWith('refs/') ? [version] : [];
    const names = version === '' ? ['HEAD'] : [...whole, `refs/tags/${version}`, `refs/heads/${version}`];
    const refs = refsIn(await git(['ls-remote', '--quiet', '--', url, ...names, ...names.map(name => `${name}${peeled}`)]));
    const found = names.map(name => namedIn(refs, name)).find(one => one !== undefined);
    if (found) return found;
    const what = version === '' ? 'is empty' : `has no branch, tag or commit "${version}"`;
    const hint = /^[0-9a-f]{7,39}$/.test(version) ? '; commits must be given whole' : '';
    throw new SourceError(`"${place}" ${what}${hint}`, { isFinal: true });
  }
}

interface Named {
  /** Of a tag that says more than a name: that of the tag. */
  readonly oid: string;
  readonly commit: string;
}

/** How git lists what such a tag is about. */
const peeled = '^{}';

const refsIn = (listed: Buffer): Map<string, string> =>
  new Map(
    listed
      .toString()
      .split('\n')
      .flatMap(line => (line.length > 41 ? [[line.slice(41), line.slice(0, 40)] as const] : [])),
  );

function namedIn(refs: ReadonlyMap<string, string>, name: string): Named | undefined {
  const oid = refs.get(name);
  if (oid === undefined || !commitForm.test(oid)) return undefined;
  return { oid, commit: refs.get(`${name}${peeled}`) ?? oid };
}

interface GitServer {
  readonly address: GitAddress;
  readonly authorization: string | undefined;
  readonly credentials: SourceCredentials;
}

/** Where the repository is served in the end, and with which credentials. git itself may then not be led elsewhere. */
async function findServer(address: GitAddress, { egress, credentials, signal }: SourceContext): Promise<GitServer> {
  const authorization = basicAuthorization(credentials, address.url);
  const asked = gitUrl(address);
  const answer = await egress.fetch({
    url: `${asked}${advertisement}`,
    headers: { 'git-protocol': 'version=2', accept: '*/*' },
    authorization,
    tls: credentials.tls,
    maxBytes: 16 * 1024 * 1024,
    signal,
  });
  checkStatus(answer.status, `git+${asked}`, authorization !== undefined);
  const isGit = answer.headers['content-type'] === 'application/x-git-upload-pack-advertisement';
  if (!isGit || !answer.url.endsWith(advertisement)) throw new SourceError(`"git+${asked}" is no repository of git`, { isFinal: true });
  const final = answer.url.slice(0, -advertisement.length);
  const isHome = new URL(final).origin === new URL(asked).origin;
  const { ca, insecureSkipVerify } = credentials.tls ?? {};
  return {
    address: parseGitAddress(`git+${final}`),
    authorization: isHome ? authorization : undefined,
    credentials: isHome ? credentials : { tls: { ca, insecureSkipVerify } },
  };
}

/** Fires when a folder grows beyond the bound. */
function watchSize(folder: string, signal: AbortSignal): Disposable & { readonly signal: AbortSignal } {
  const tooLarge = new AbortController();
  const timer = setInterval(() => {
    sizeOf(folder).then(
      size => {
        if (size > maxPackBytes)
          tooLarge.abort(new SourceError(`the repository has more than the ${maxPackBytes} bytes that are allowed`, { isFinal: true }));
      },
      () => {},
    );
  }, lookMs);
  return { signal: AbortSignal.any([signal, tooLarge.signal]), [Symbol.dispose]: () => clearInterval(timer) };
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  let size = 0;
  for (const name of names) size += (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0;
  return size;
}
