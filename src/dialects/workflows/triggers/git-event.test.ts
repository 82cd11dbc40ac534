import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import type { TriggerCondition } from '../kinds/trigger.ts';
import { deliveryOf, isMeant, isSigned, isWanted, providerOf, readGitEvents, type GitProvider } from './git-event.ts';

const readGitEvent = (...args: Parameters<typeof readGitEvents>) => readGitEvents(...args)[0];

const push = {
  ref: 'refs/heads/main',
  after: 'c0ffee',
  repository: { full_name: 'Shop/web' },
  commits: [{ added: ['svc/a.yaml'], modified: ['README.md'], removed: [] }],
};

test('a push, a tag, a pull request, a release and a deletion are known from every server', () => {
  const github = (kind: string, body: object) => {
    const event = readGitEvent('GitHub', { 'x-github-event': kind, 'x-github-delivery': 'd1' }, body as never);
    return event && [event.happening, event.repo, event.branch, event.commit];
  };
  assert.deepEqual(github('push', push), ['Push', 'Shop/web', 'main', 'c0ffee']);
  assert.deepEqual(github('push', { ...push, ref: 'refs/tags/v1' }), ['Tag', 'Shop/web', 'v1', 'c0ffee']);
  assert.equal(github('push', { ...push, deleted: true })?.[0], 'Delete');
  assert.equal(github('ping', push), undefined);
  assert.deepEqual(github('release', { ...push, release: { tag_name: 'v2' } }), ['Release', 'Shop/web', 'v2', '']);
  const pull = { base: { ref: 'main' }, head: { sha: 'abc' } };
  assert.deepEqual(github('pull_request', { ...push, pull_request: pull }), ['PullRequest', 'Shop/web', 'main', 'abc']);

  const gitlab = (body: object) => readGitEvent('GitLab', {}, { project: { path_with_namespace: 'shop/web' }, ...body } as never);
  assert.equal(gitlab({ object_kind: 'push', ref: 'refs/heads/x', after: 'c' })?.happening, 'Push');
  assert.equal(gitlab({ object_kind: 'push', ref: 'refs/heads/x', after: '0000' })?.happening, 'Delete');
  assert.equal(gitlab({ object_kind: 'tag_push', ref: 'refs/tags/x', after: 'c' })?.branch, 'x');
  assert.equal(gitlab({ object_kind: 'merge_request', object_attributes: { target_branch: 'main' } })?.happening, 'PullRequest');
  assert.equal(gitlab({ object_kind: 'note' }), undefined);

  const bitbucket = (key: string, body: object) =>
    readGitEvent('Bitbucket', { 'x-event-key': key }, { repository: { full_name: 'shop/web' }, ...body } as never);
  assert.equal(
    bitbucket('repo:push', { push: { changes: [{ new: { type: 'branch', name: 'main', target: { hash: 'h' } } }] } })?.commit,
    'h',
  );
  assert.equal(bitbucket('repo:push', { push: { changes: [{ new: null, old: { name: 'gone' } }] } })?.happening, 'Delete');
  assert.equal(bitbucket('pullrequest:created', { pullrequest: { destination: { branch: { name: 'main' } } } })?.branch, 'main');
  for (const body of [{}, { push: 3 }, { push: { changes: ['x'] } }]) bitbucket('repo:push', body);
});

test('GitHub tells twice of what is deleted, and that is the same happening', () => {
  const tell = (kind: string, body: object) => readGitEvent('GitHub', { 'x-github-event': kind }, body as never);
  const asPush = { ...push, after: '0000', deleted: true, repository: { full_name: 'Shop/web', pushed_at: 1557933657 } };
  const asItself = { ref: 'main', ref_type: 'branch', repository: { full_name: 'Shop/web', pushed_at: '2019-05-15T15:20:57Z' } };
  assert.equal(tell('push', asPush)?.moment, 'pushed at 1557933657');
  assert.equal(tell('delete', asItself)?.moment, 'pushed at 1557933657');
  assert.equal(tell('push', { ...push, repository: asPush.repository })?.moment, undefined, 'of a push there is one');
  assert.equal(tell('delete', { ref: 'main', repository: { full_name: 'Shop/web' } })?.moment, undefined, 'others do not say when');
});

test('a server of Bitbucket, Gitea and Gogs tell the same in their own words', () => {
  const server = (key: string, body: object) =>
    readGitEvents('Bitbucket', { 'x-event-key': key }, body as never).map(one => [
      one.happening,
      one.repo,
      one.branch,
      one.commit,
      one.action,
    ]);
  const repository = { slug: 'web', project: { key: 'SHOP' } };
  const change = (type: string, kind: string, name: string) => ({
    ref: { id: `refs/heads/${name}`, displayId: name, type: kind },
    refId: `refs/heads/${name}`,
    toHash: 'h',
    type,
  });
  assert.deepEqual(
    server('repo:refs_changed', {
      repository,
      changes: [change('UPDATE', 'BRANCH', 'main'), change('ADD', 'TAG', 'v1'), change('DELETE', 'BRANCH', 'old'), 'x'],
    }),
    [
      ['Push', 'SHOP/web', 'main', 'h', ''],
      ['Tag', 'SHOP/web', 'v1', 'h', ''],
      ['Delete', 'SHOP/web', 'old', '', ''],
    ],
  );
  const pullRequest = { toRef: { displayId: 'main', repository }, fromRef: { latestCommit: 'f' } };
  assert.deepEqual(server('pr:merged', { pullRequest }), [['PullRequest', 'SHOP/web', 'main', 'f', 'merged']]);
  assert.deepEqual(server('diagnostics:ping', { test: true }), []);

  const headers = { 'x-gitea-event': 'push', 'x-gogs-event': 'push', 'x-github-event': 'push' };
  assert.equal(providerOf(headers), 'Gitea');
  assert.equal(readGitEvent('Gitea', headers, push)?.branch, 'main');
  assert.equal(readGitEvent('Gitea', { 'x-gogs-event': 'push' }, { ...push, after: '0'.repeat(40) })?.happening, 'Delete');
  assert.deepEqual(
    (['GitHub', 'Gitea', 'GitLab', undefined] as const).map(one => isMeant(one, 'Gitea')),
    [true, true, false, true],
  );
  assert.ok(!isMeant('Gitea', 'GitHub'));
});

test('one push of several branches is several events', () => {
  const made = (type: string, name: string) => ({ new: { type, name, target: { hash: name } } });
  const body = { repository: { full_name: 'shop/web' }, push: { changes: [made('tag', 'v1'), made('branch', 'main')] } };
  const events = readGitEvents('Bitbucket', { 'x-event-key': 'repo:push' }, body);
  assert.deepEqual(
    events.filter(one => isWanted({ type: 'GitEvent', branches: ['main'] }, one)).map(one => one.commit),
    ['main'],
  );
});

test('a release counts when it is published, a pull request whatever is done to it, unless a trigger says more', () => {
  const event = (kind: string, action: string) =>
    readGitEvent('GitHub', { 'x-github-event': kind }, { ...push, action, release: { tag_name: 'v1' }, pull_request: {} })!;
  const wants = (kind: string, action: string, actions?: string[]) =>
    isWanted({ type: 'GitEvent', events: ['Release', 'PullRequest', 'Push'], ...(actions && { actions }) }, event(kind, action));
  assert.deepEqual(
    ['created', 'published', 'released', 'edited', 'deleted'].filter(one => wants('release', one)),
    ['published'],
  );
  assert.ok(wants('release', 'deleted', ['deleted']));
  assert.ok(wants('pull_request', 'labeled'));
  assert.ok(!wants('pull_request', 'labeled', ['opened', 'synchronize']));
  assert.ok(wants('push', '', ['opened']));
  const gitlab = { object_kind: 'release', action: 'update', tag: 'v1', project: { path_with_namespace: 'shop/web' } };
  assert.ok(!isWanted({ type: 'GitEvent', events: ['Release'] }, readGitEvent('GitLab', {}, gitlab)!));
  assert.ok(isWanted({ type: 'GitEvent', events: ['Release'] }, readGitEvent('GitLab', {}, { ...gitlab, action: 'create' })!));
});

test('what is signed is the same delivery whatever its headers say, and GitLab names its own', () => {
  const body = Buffer.from('{"a":1}');
  for (const provider of ['GitHub', 'Gitea', 'Bitbucket'] satisfies GitProvider[])
    assert.equal(
      deliveryOf(provider, { 'x-github-delivery': '1', 'x-request-uuid': '1' }, body),
      deliveryOf(provider, { 'x-github-delivery': '2' }, body),
    );
  assert.notEqual(deliveryOf('GitHub', {}, body), deliveryOf('GitHub', {}, Buffer.from('{"a":2}')));
  assert.equal(deliveryOf('GitLab', { 'idempotency-key': 'k', 'x-gitlab-event-uuid': 'u' }, body), 'k');
  assert.equal(deliveryOf('GitLab', { 'x-gitlab-event-uuid': 'u' }, body), 'u');
});

test('branches, repositories and changed files decide', () => {
  const event = readGitEvent('GitHub', { 'x-github-event': 'push' }, push)!;
  const wants = (condition: Partial<TriggerCondition>) => isWanted({ type: 'GitEvent', ...condition }, event);
  assert.ok(wants({}));
  assert.ok(wants({ repo: 'shop/web', branches: ['release-*', 'ma*'], files: ['svc/**'] }));
  assert.ok(!wants({ repo: 'shop/api' }));
  assert.ok(!wants({ branches: ['release-*'] }));
  assert.ok(!wants({ files: ['docs/**'] }));
  assert.ok(!wants({ events: ['Tag'] }));
  assert.ok(
    !isWanted({ type: 'GitEvent', events: ['PullRequest'], files: ['svc/**'] }, { ...event, happening: 'PullRequest', files: undefined }),
  );
});

test('only who knows the secret is heard', () => {
  const body = Buffer.from('{"a":1}');
  const signature = `sha256=${createHmac('sha256', 's3cret').update(body).digest('hex')}`;
  assert.ok(isSigned('GitHub', { 'x-hub-signature-256': signature }, body, 's3cret'));
  assert.ok(isSigned('Bitbucket', { 'x-hub-signature': signature }, body, 's3cret'));
  const plain = signature.slice('sha256='.length);
  for (const name of ['x-gitea-signature', 'x-gogs-signature', 'x-hub-signature-256'])
    assert.ok(isSigned('Gitea', { [name]: plain }, body, 's3cret'), name);
  assert.ok(!isSigned('Gitea', { 'x-gitea-signature': plain }, body, 'other'));
  assert.ok(!isSigned('GitHub', { 'x-gitea-signature': plain }, body, 's3cret'));
  assert.ok(isSigned('GitLab', { 'x-gitlab-token': 's3cret' }, body, 's3cret'));
  assert.ok(!isSigned('GitHub', { 'x-hub-signature-256': signature }, Buffer.from('{"a":2}'), 's3cret'));
  assert.ok(!isSigned('GitHub', {}, body, 's3cret'));
  assert.ok(!isSigned('GitLab', { 'x-gitlab-token': '' }, body, ''));
  assert.equal(providerOf({ 'x-github-event': 'push' }), 'GitHub');
  assert.equal(providerOf({}), undefined);
});
