import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.ts';
import type { TriggerCondition } from '../kinds/trigger.ts';
import { fitsGlobs, fitsPattern } from './fits-pattern.ts';

export type GitProvider = NonNullable<TriggerCondition['provider']>;
export type GitHappening = NonNullable<TriggerCondition['events']>[number];

/** What a server of git repositories tells, in one form. */
export interface GitEvent {
  readonly happening: GitHappening;
  /** Such as `shop/web`. */
  readonly repo: string;
  /** The branch or tag; of a pull request that into which it goes. */
  readonly branch: string;
  readonly commit: string;
  /** Undefined when it is not told. */
  readonly files: readonly string[] | undefined;
  /** Tells one delivery from another. */
  readonly delivery: string;
}

/** Who sends, as the headers say. */
export function providerOf(headers: IncomingHttpHeaders): GitProvider | undefined {
  if (headers['x-github-event'] !== undefined) return 'GitHub';
  if (headers['x-gitlab-event'] !== undefined) return 'GitLab';
  return headers['x-event-key'] === undefined ? undefined : 'Bitbucket';
}

/** Whether who sends knows the secret: by a signature, or for GitLab by the secret itself. */
export function isSigned(provider: GitProvider, headers: IncomingHttpHeaders, body: Buffer, secret: string): boolean {
  if (provider === 'GitLab') return isSame(textOf(headers['x-gitlab-token']), secret);
  const signature = provider === 'GitHub' ? headers['x-hub-signature-256'] : headers['x-hub-signature'];
  return isSame(textOf(signature), `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [given, wanted].map(text => createHmac('sha256', 'compare').update(text).digest());
  return given !== '' && timingSafeEqual(a!, b!);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Undefined when it is nothing that starts anything, such as a ping. */
export function readGitEvent(provider: GitProvider, headers: IncomingHttpHeaders, body: JsonObject): GitEvent | undefined {
  if (provider === 'GitHub') return readGitHub(textOf(headers['x-github-event']), textOf(headers['x-github-delivery']), body);
  if (provider === 'GitLab') return readGitLab(body, textOf(headers['x-gitlab-event-uuid']));
  return readBitbucket(textOf(headers['x-event-key']), textOf(headers['x-request-uuid']), body);
}

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

function readGitHub(kind: string, delivery: string, body: JsonObject): GitEvent | undefined {
  const repo = text(body, 'repository', 'full_name');
  const ref = text(body, 'ref');
  if (kind === 'push') {
    const happening = at(body, 'deleted') === true ? 'Delete' : ref.startsWith('refs/tags/') ? 'Tag' : 'Push';
    return { happening, repo, branch: shortRef(ref), commit: text(body, 'after'), files: changedFiles(body), delivery };
  }
  if (kind === 'pull_request') {
    const pull = at(body, 'pull_request');
    return {
      happening: 'PullRequest',
      repo,
      branch: text(pull, 'base', 'ref'),
      commit: text(pull, 'head', 'sha'),
      files: undefined,
      delivery,
    };
  }
  if (kind === 'release')
    return { happening: 'Release', repo, branch: text(body, 'release', 'tag_name'), commit: '', files: undefined, delivery };
  if (kind === 'delete') return { happening: 'Delete', repo, branch: ref, commit: '', files: undefined, delivery };
  return undefined;
}

function readGitLab(body: JsonObject, delivery: string): GitEvent | undefined {
  const kind = text(body, 'object_kind');
  const repo = text(body, 'project', 'path_with_namespace');
  const commit = text(body, 'checkout_sha') || text(body, 'after');
  if (kind === 'push' || kind === 'tag_push') {
    const isGone = /^0+$/.test(text(body, 'after'));
    const happening = isGone ? 'Delete' : kind === 'push' ? 'Push' : 'Tag';
    return { happening, repo, branch: shortRef(text(body, 'ref')), commit, files: changedFiles(body), delivery };
  }
  if (kind === 'merge_request') {
    const request = at(body, 'object_attributes');
    return {
      happening: 'PullRequest',
      repo,
      branch: text(request, 'target_branch'),
      commit: text(request, 'last_commit', 'id'),
      files: undefined,
      delivery,
    };
  }
  if (kind === 'release')
    return { happening: 'Release', repo, branch: text(body, 'tag'), commit: text(body, 'commit', 'id'), files: undefined, delivery };
  return undefined;
}

function readBitbucket(kind: string, delivery: string, body: JsonObject): GitEvent | undefined {
  const repo = text(body, 'repository', 'full_name');
  if (kind === 'repo:push') {
    const change = items(body, 'push', 'changes')[0];
    const made = at(change, 'new');
    if (made === null || made === undefined)
      return { happening: 'Delete', repo, branch: text(change, 'old', 'name'), commit: '', files: undefined, delivery };
    const happening = text(made, 'type') === 'tag' ? 'Tag' : 'Push';
    return { happening, repo, branch: text(made, 'name'), commit: text(made, 'target', 'hash'), files: undefined, delivery };
  }
  if (!kind.startsWith('pullrequest:')) return undefined;
  const pull = at(body, 'pullrequest');
  const [branch, commit] = [text(pull, 'destination', 'branch', 'name'), text(pull, 'source', 'commit', 'hash')];
  return { happening: 'PullRequest', repo, branch, commit, files: undefined, delivery };
}

/** GitHub and GitLab tell them with each commit. */
function changedFiles(body: JsonObject): string[] {
  const all = items(body, 'commits').flatMap(commit => ['added', 'modified', 'removed'].flatMap(kind => items(commit, kind)));
  return [...new Set(all.filter(one => typeof one === 'string'))];
}

/** Whether an event is one that a trigger waits for. Files that are not told fit no pattern. */
export function isWanted({ events, repo, branches = [], files = [] }: TriggerCondition, event: GitEvent): boolean {
  const happenings = events === undefined || events.length === 0 ? ['Push'] : events;
  if (!happenings.includes(event.happening)) return false;
  if (repo !== undefined && repo.toLowerCase() !== event.repo.toLowerCase()) return false;
  if (branches.length > 0 && !branches.some(pattern => fitsPattern(event.branch, pattern))) return false;
  return files.length === 0 || (event.files ?? []).some(file => fitsGlobs(file, files));
}

/** The fields of every provider under one name, beside its own. */
export const gitPayload = (event: GitEvent, body: JsonObject): JsonObject => ({
  ...body,
  event: { type: event.happening, repo: event.repo, branch: event.branch, commit: event.commit },
});
