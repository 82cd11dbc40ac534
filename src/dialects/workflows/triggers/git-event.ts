import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.ts';
import type { TriggerCondition } from '../kinds/trigger.ts';
import { fitsGlobs, fitsPattern } from './fits-pattern.ts';

export type GitProvider = NonNullable<TriggerCondition['provider']>;
export type GitHappening = NonNullable<TriggerCondition['events']>[number];

/** What a server of git repositories tells, in one form. */
export interface GitEvent {
  readonly happening: GitHappening;
  /** What was done to a pull request or a release, as the sender calls it. Empty when it is not told. */
  readonly action: string;
  /** Such as `shop/web`. */
  readonly repo: string;
  /** The branch or tag; of a pull request that into which it goes. */
  readonly branch: string;
  readonly commit: string;
  /** Undefined when it is not told. */
  readonly files: readonly string[] | undefined;
  /** The same for all ways in which the same is told: GitHub tells of what is deleted as a push and as itself. Absent: each is told once. */
  readonly moment?: string;
}

const compatible = ['x-gitea-event', 'x-forgejo-event', 'x-gogs-event'] as const;

/** Who sends, as the headers say. */
export function providerOf(headers: IncomingHttpHeaders): GitProvider | undefined {
  // Those also call themselves GitHub.
  if (compatible.some(name => headers[name] !== undefined)) return 'Gitea';
  if (headers['x-github-event'] !== undefined) return 'GitHub';
  if (headers['x-gitlab-event'] !== undefined) return 'GitLab';
  return headers['x-event-key'] === undefined ? undefined : 'Bitbucket';
}

/** Whether who sends may be the one that a trigger names. Who speaks as GitHub does may be called so. */
export const isMeant = (wanted: GitProvider | undefined, provider: GitProvider): boolean =>
  wanted === undefined || wanted === provider || (wanted === 'GitHub' && provider === 'Gitea');

const signatures: Readonly<Record<Exclude<GitProvider, 'GitLab'>, readonly string[]>> = {
  GitHub: ['x-hub-signature-256'],
  Gitea: ['x-hub-signature-256', 'x-gitea-signature', 'x-forgejo-signature', 'x-gogs-signature'],
  Bitbucket: ['x-hub-signature'],
};

/** Whether who sends knows the secret: by a signature, or for GitLab by the secret itself. */
export function isSigned(provider: GitProvider, headers: IncomingHttpHeaders, body: Buffer, secret: string): boolean {
  if (provider === 'GitLab') return isSame(textOf(headers['x-gitlab-token']), secret);
  const wanted = createHmac('sha256', secret).update(body).digest('hex');
  return signatures[provider].some(name => isSame(textOf(headers[name]).replace(/^sha256=/, ''), wanted));
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [given, wanted].map(text => createHmac('sha256', 'compare').update(text).digest());
  return given !== '' && timingSafeEqual(a!, b!);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * What tells one delivery from another, so that what is sent again starts nothing again. What is signed is known by itself: headers are not signed, and who
 * replays it could change them. GitLab signs nothing and can tell of two pushes in the same words.
 */
export function deliveryOf(provider: GitProvider, headers: IncomingHttpHeaders, body: Buffer): string {
  if (provider !== 'GitLab') return createHash('sha256').update(body).digest('hex');
  return textOf(headers['idempotency-key']) || textOf(headers['x-gitlab-event-uuid']);
}

/** Nothing when it is nothing that starts anything, such as a ping. One push can be of several branches. */
export function readGitEvents(provider: GitProvider, headers: IncomingHttpHeaders, body: JsonObject): GitEvent[] {
  if (provider === 'GitLab') return listed(readGitLab(body));
  if (provider === 'Bitbucket') return readBitbucket(textOf(headers['x-event-key']), body);
  const names = provider === 'Gitea' ? compatible : (['x-github-event'] as const);
  const kind = names.map(name => textOf(headers[name])).find(one => one !== '') ?? '';
  return listed(readGitHub(kind, body));
}

const listed = (event: GitEvent | undefined): GitEvent[] => (event ? [event] : []);

const at = (value: Json | undefined, ...path: (string | number)[]): Json | undefined =>
  path.reduce<Json | undefined>((one, key) => {
    if (Array.isArray(one)) return typeof key === 'number' ? one[key] : undefined;
    return isJsonObject(one) && Object.hasOwn(one, key) ? one[key] : undefined;
  }, value);
const text = (value: Json | undefined, ...path: (string | number)[]): string => {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
};
const items = (value: Json | undefined, ...path: string[]): Json[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
};
const shortRef = (ref: string): string => ref.replace(/^refs\/(heads|tags)\//, '');
const isNothing = (commit: string): boolean => /^0+$/.test(commit);
const untold = { action: '', commit: '', files: undefined } as const;

function readGitHub(kind: string, body: JsonObject): GitEvent | undefined {
  const repo = text(body, 'repository', 'full_name');
  const ref = text(body, 'ref');
  const action = text(body, 'action');
  if (kind === 'push') {
    const commit = text(body, 'after');
    const isGone = at(body, 'deleted') === true || isNothing(commit);
    const happening = isGone ? 'Delete' : ref.startsWith('refs/tags/') ? 'Tag' : 'Push';
    return { ...untold, happening, repo, branch: shortRef(ref), commit, files: changedFiles(body), ...(isGone && momentOf(body)) };
  }
  if (kind === 'pull_request') {
    const pull = at(body, 'pull_request');
    return { ...untold, happening: 'PullRequest', action, repo, branch: text(pull, 'base', 'ref'), commit: text(pull, 'head', 'sha') };
  }
  if (kind === 'release') return { ...untold, happening: 'Release', action, repo, branch: text(body, 'release', 'tag_name') };
  if (kind === 'delete') return { ...untold, happening: 'Delete', repo, branch: shortRef(ref), ...momentOf(body) };
  return undefined;
}

/** When the repository was last pushed to: in seconds in one of them, as a time in the other. */
function momentOf(body: JsonObject): { moment?: string } {
  const pushed = at(body, 'repository', 'pushed_at');
  const seconds = typeof pushed === 'number' ? pushed : Date.parse(textOf(pushed)) / 1000;
  return Number.isFinite(seconds) ? { moment: `pushed at ${Math.floor(seconds)}` } : {};
}

function readGitLab(body: JsonObject): GitEvent | undefined {
  const kind = text(body, 'object_kind');
  const repo = text(body, 'project', 'path_with_namespace');
  if (kind === 'push' || kind === 'tag_push') {
    const commit = text(body, 'checkout_sha') || text(body, 'after');
    const happening = isNothing(text(body, 'after')) ? 'Delete' : kind === 'push' ? 'Push' : 'Tag';
    return { ...untold, happening, repo, branch: shortRef(text(body, 'ref')), commit, files: changedFiles(body) };
  }
  if (kind === 'merge_request') {
    const request = at(body, 'object_attributes');
    const [action, branch] = [text(request, 'action'), text(request, 'target_branch')];
    return { ...untold, happening: 'PullRequest', action, repo, branch, commit: text(request, 'last_commit', 'id') };
  }
  if (kind !== 'release') return undefined;
  return {
    ...untold,
    happening: 'Release',
    action: text(body, 'action'),
    repo,
    branch: text(body, 'tag'),
    commit: text(body, 'commit', 'id'),
  };
}

/** Of the cloud, and of servers of one's own, whose keys differ. */
function readBitbucket(kind: string, body: JsonObject): GitEvent[] {
  const repo = text(body, 'repository', 'full_name') || repoOfServer(at(body, 'repository'));
  if (kind === 'repo:push')
    return items(body, 'push', 'changes')
      .filter(isJsonObject)
      .map(change => cloudChange(repo, change));
  if (kind === 'repo:refs_changed')
    return items(body, 'changes')
      .filter(isJsonObject)
      .map(change => serverChange(repo, change));
  const [, isOfCloud, action = ''] = /^(?:(pullrequest)|pr):(.+)$/.exec(kind) ?? [];
  if (isOfCloud !== undefined) {
    const pull = at(body, 'pullrequest');
    const [branch, commit] = [text(pull, 'destination', 'branch', 'name'), text(pull, 'source', 'commit', 'hash')];
    return [{ ...untold, happening: 'PullRequest', action, repo, branch, commit }];
  }
  if (action === '') return [];
  const pull = at(body, 'pullRequest');
  const [branch, commit] = [text(pull, 'toRef', 'displayId'), text(pull, 'fromRef', 'latestCommit')];
  return [{ ...untold, happening: 'PullRequest', action, repo: repo || repoOfServer(at(pull, 'toRef', 'repository')), branch, commit }];
}

function repoOfServer(repository: Json | undefined): string {
  const [project, slug] = [text(repository, 'project', 'key'), text(repository, 'slug')];
  return slug === '' ? '' : `${project}/${slug}`;
}

function cloudChange(repo: string, change: Json): GitEvent {
  const made = at(change, 'new');
  if (made === null || made === undefined) return { ...untold, happening: 'Delete', repo, branch: text(change, 'old', 'name') };
  const happening = text(made, 'type') === 'tag' ? 'Tag' : 'Push';
  return { ...untold, happening, repo, branch: text(made, 'name'), commit: text(made, 'target', 'hash') };
}

function serverChange(repo: string, change: Json): GitEvent {
  const branch = text(change, 'ref', 'displayId') || shortRef(text(change, 'refId'));
  if (text(change, 'type') === 'DELETE') return { ...untold, happening: 'Delete', repo, branch };
  const happening = text(change, 'ref', 'type') === 'TAG' ? 'Tag' : 'Push';
  return { ...untold, happening, repo, branch, commit: text(change, 'toHash') };
}

/** GitHub and GitLab tell them with each commit. */
function changedFiles(body: JsonObject): string[] {
  const all = items(body, 'commits').flatMap(commit => ['added', 'modified', 'removed'].flatMap(kind => items(commit, kind)));
  return [...new Set(all.filter(one => typeof one === 'string'))];
}

/** One release is told of several times: as it is drafted, published and changed. */
const releaseActions = ['', 'published', 'create'];

/** Whether an event is one that a trigger waits for. Files that are not told fit no pattern. */
export function isWanted({ events, actions = [], repo, branches = [], files = [] }: TriggerCondition, event: GitEvent): boolean {
  const happenings = events === undefined || events.length === 0 ? ['Push'] : events;
  if (!happenings.includes(event.happening)) return false;
  const counted = actions.length === 0 && event.happening === 'Release' ? releaseActions : actions;
  const hasAction = event.happening === 'Release' || event.happening === 'PullRequest';
  if (hasAction && counted.length > 0 && !counted.includes(event.action)) return false;
  if (repo !== undefined && repo.toLowerCase() !== event.repo.toLowerCase()) return false;
  if (branches.length > 0 && !branches.some(pattern => fitsPattern(event.branch, pattern))) return false;
  return files.length === 0 || (event.files ?? []).some(file => fitsGlobs(file, files));
}

/** The fields of every provider under one name, beside its own. */
export const gitPayload = (event: GitEvent, body: JsonObject): JsonObject => ({
  ...body,
  event: { type: event.happening, action: event.action, repo: event.repo, branch: event.branch, commit: event.commit },
});
