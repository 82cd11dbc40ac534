import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DialectRoutes } from './dialect-routes.ts';
import { belowMember, routesByRoot } from './routes-by-root.ts';

const asked: string[] = [];
const routes = (name: string, roots: string[], pattern: RegExp): DialectRoutes & { name: string } => ({
  name,
  roots,
  handles(path) {
    asked.push(`${name} ${path}`);
    return pattern.test(path);
  },
  handle: async () => {},
});
const api = routes('api', ['v3', 'v1', `${belowMember}v1`], /^\/(?:v3|v1|k8s\/clusters\/[^/]+\/v1)(?:\/|$)/);
const page = routes('page', ['ui', 'v1'], /^\/(?:ui|v1\/page)(?:\/|$)/);
const find = routesByRoot([api, page]);
const found = (path: string) => (find(path) as { name: string } | undefined)?.name;

test('a path leads to whoever serves it, the first of several', () => {
  assert.deepEqual(
    ['/v3', '/v3/clusters', '/v1/page', '/ui', '/ui/', '/k8s/clusters/east/v1', '/k8s/clusters/east/v1/harvester'].map(found),
    ['api', 'api', 'api', 'page', 'page', 'api', 'api'],
  );
});

test('what is for Kubernetes, here or on a member, is asked of nobody', () => {
  asked.length = 0;
  const plain = [
    '/',
    '',
    '/api/v1/pods',
    '/apis',
    '/v33',
    '//v3',
    '/k8s/clusters/',
    '/k8s/clusters/v1',
    '/k8s/clusters/east/api/v1',
    '/v3%2f',
  ];
  assert.deepEqual(
    plain.map(found),
    plain.map(() => undefined),
  );
  assert.deepEqual(asked, []);
});
