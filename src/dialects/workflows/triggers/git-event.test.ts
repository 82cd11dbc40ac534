import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import type { TriggerCondition } from '../kinds/trigger.ts';
import { isSigned, isWanted, providerOf, readGitEvent } from './git-event.ts';

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
  assert.ok(isSigned('GitLab', { 'x-gitlab-token': 's3cret' }, body, 's3cret'));
  assert.ok(!isSigned('GitHub', { 'x-hub-signature-256': signature }, Buffer.from('{"a":2}'), 's3cret'));
  assert.ok(!isSigned('GitHub', {}, body, 's3cret'));
  assert.ok(!isSigned('GitLab', { 'x-gitlab-token': '' }, body, ''));
  assert.equal(providerOf({ 'x-github-event': 'push' }), 'GitHub');
  assert.equal(providerOf({}), undefined);
});
