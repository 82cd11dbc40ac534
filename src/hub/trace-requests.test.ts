import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { eventually } from '../../test/helpers/eventually.ts';
import { recordSpans, type Span } from '../util/trace.ts';
import { routeOf, tracedRequests } from './trace-requests.ts';

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

test('addresses that are secrets are not told to whoever collects traces', async t => {
  const spans: Span[] = [];
  recordSpans(span => spans.push(span));
  t.after(() => recordSpans(undefined));
  const handler = tracedRequests({ handle: (_req, res) => void res.end(), wantsUpgrade: () => false, upgrade: () => {} });
  const server = createServer((req, res) => handler.handle(req, res));
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  t.after(() => server.close());
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await fetch(`${base}/api/webhooks/geheim`, { method: 'POST' });
  await fetch(`${base}/admission/rancher/validate/geheim`, { method: 'POST' });
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  await fetch(`${base}/v3/import/geheim_c-m-12345678.yaml`, { headers: { traceparent } });
  await eventually(() => spans.length === 3);
  assert.doesNotMatch(JSON.stringify(spans), /geheim/);
});
