import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routeOf } from './trace-requests.ts';

test('the name of a step has no names of objects in it', () => {
  const routes = {
    '/apis/apps/v1/namespaces/shop/deployments/web': 'apps/v1 deployments',
    '/api/v1/namespaces/shop/pods': 'v1 pods',
    '/api/v1/namespaces/shop': 'v1 namespaces',
    '/apis/drover.io/v1alpha1/clusters/east': 'drover.io/v1alpha1 clusters',
    '/k8s/clusters/east/api/v1/pods': '/k8s',
    '/': '/',
  };
  for (const [path, route] of Object.entries(routes)) assert.equal(routeOf(path), route);
});
