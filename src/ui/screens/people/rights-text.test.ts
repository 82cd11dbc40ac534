import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rightsText } from './rights-text.ts';

test('what a role lets people do is said in words, each thing once', () => {
  const all = { verbs: ['*'], resources: ['*'] };
  assert.equal(rightsText({ rules: [all, { verbs: ['*'], nonResourceURLs: ['*'] }] }), 'everything');
  assert.equal(rightsText({ rules: [{ verbs: ['*'], resources: ['users', 'tokens'] }] }), 'everything with users, tokens');
  assert.equal(rightsText({ rules: [{ verbs: ['get', 'list'], resources: ['settings'] }] }), 'get, list settings');
  const create = { verbs: ['create'], resources: ['clusters'] };
  assert.equal(rightsText({ rules: [create, create] }), 'create clusters');
  assert.equal(rightsText({}), '');
  assert.equal(rightsText({ rules: null }), '');
});
