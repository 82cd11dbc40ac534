import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isStream, memberLimits } from './member-limits.ts';

for (const target of [
  '/api/v1/pods?watch=true',
  '/api/v1/pods?limit=1&watch=1',
  '/api/v1/pods?watch=True',
  '/api/v1/pods?watch',
  '/api/v1/watch/pods',
  '/apis/apps/v1/watch/deployments',
  '/api/v1/namespaces/a/pods/x/log?follow=true',
  '/api/v1/namespaces/a/services/web/proxy/events',
  '/api/v1/nodes/n/proxy',
])
  test(`${target} stays open`, () => assert.ok(isStream(target, false)));

for (const target of [
  '/api/v1/pods',
  '/api/v1/pods?watch=false',
  '/api/v1/pods?watch=0',
  '/api/v1/namespaces/watch/pods',
  '/api/v1/pods?labelSelector=watch%3Dtrue',
])
  test(`${target} ends by itself`, () => assert.ok(!isStream(target, false)));

test('places are counted for each member and each kind, and given back once', () => {
  const limits = memberLimits({ requests: 1, streams: 1 });
  const place = limits.enter('east', 'requests');
  limits.enter('east', 'streams');
  limits.enter('west', 'requests');
  assert.throws(() => limits.enter('east', 'requests'), { code: 429 });
  place[Symbol.dispose]();
  place[Symbol.dispose]();
  limits.enter('east', 'requests');
  assert.throws(() => limits.enter('east', 'requests'), { code: 429 });
});
