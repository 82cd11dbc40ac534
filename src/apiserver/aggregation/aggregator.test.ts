import assert from 'node:assert/strict';
import { createServer as createHttpServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { after, before, test } from 'node:test';
import type { APIService } from '../../api/kubernetes.ts';
import { createAuthority, issueLeaf } from '../../pki/certificate-authority.ts';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryCluster } from '../../../test/helpers/memory-cluster.ts';
import { apiServiceController } from '../controllers/api-service-controller.ts';
import type { RunningController } from '../controllers/running-controller.ts';
import { aggregator, type Aggregator } from './aggregator.ts';
import { httpsPools } from './https-pools.ts';
import { serviceResolver, type ResolveService } from './resolve-service.ts';

const authority = createAuthority('aggregated', new Date());
const frontProxy = createAuthority('front-proxy', new Date());
const proxyClient = issueLeaf(frontProxy, { commonName: 'front-proxy-client', usage: 'client', now: new Date() });
const pools = httpsPools();
const api = await startMemoryCluster({ namespaces: ['kube-system'] });
const user = { name: 'alice', groups: ['dev', 'system:authenticated'], extra: { 'example.com/team': ['x', 'y'] } };
const seen: { url: string; headers: IncomingMessage['headers']; peer: string; body: string }[] = [];
let remote: Server;
let front: Server;
let frontPort: number;
let aggregated: Aggregator;
let controller: RunningController;

before(async () => {
  const { certificate, key } = issueLeaf(authority, {
    commonName: 's',
    usage: 'server',
    hosts: ['metrics.kube-system.svc'],
    now: new Date(),
  });
  remote = createHttpsServer({ cert: certificate, key, ca: frontProxy.certificate, requestCert: true }, (req, res) => {
    void (async () => {
      let body = '';
      for await (const chunk of req) body += String(chunk);
      const peer = (req.socket as TLSSocket).getPeerCertificate().subject?.CN ?? '';
      seen.push({ url: req.url ?? '', headers: req.headers, peer: String(peer), body });
      const json = (value: unknown) => res.setHeader('content-type', 'application/json').end(JSON.stringify(value));
      if (req.url === '/apis') return json({ kind: 'APIGroupList', groups: [] });
      if (req.url === '/apis/metrics.k8s.io/v1beta1')
        return json({
          kind: 'APIResourceList',
          resources: [{ name: 'nodes', singularName: '', namespaced: false, kind: 'NodeMetrics', verbs: ['get', 'list'] }],
        });
      if (req.url?.includes('watch=true')) {
        res.write('first\n');
        return void setTimeout(() => res.end('second\n'), 50);
      }
      if (req.url?.startsWith('/openapi')) return res.writeHead(404).end();
      res.writeHead(201, { 'x-answer': 'yes', 'content-type': 'text/plain' }).end(`echo ${body}`);
    })();
  });
  remote.on('upgrade', (_req, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
    socket.on('data', data => void socket.end(`echo ${String(data)}`));
  });
  await new Promise<void>(resolve => remote.listen(0, '127.0.0.1', resolve));
  const { port } = remote.address() as AddressInfo;

  await api.add({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'metrics', namespace: 'kube-system' },
    spec: { type: 'ClusterIP', ports: [{ port: 443, name: 'https' }] },
  });
  await api.add({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'metrics-1', namespace: 'kube-system', labels: { 'kubernetes.io/service-name': 'metrics' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.2.3'], conditions: { ready: true } }],
    ports: [{ name: 'https', port }],
  });
  await api.add({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1beta1.metrics.k8s.io' },
    spec: {
      group: 'metrics.k8s.io',
      version: 'v1beta1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      service: { name: 'metrics', namespace: 'kube-system', port: 443 },
      caBundle: Buffer.from(authority.certificate).toString('base64'),
    },
  });
  const resolve = serviceResolver(api);
  // Endpoints may not be local addresses, but ours is.
  const resolveService: ResolveService = async reference => ({ ...(await resolve(reference)), host: '127.0.0.1' });
  const deps = { pools, resolveService, proxyClient: () => proxyClient };
  aggregated = aggregator(api, deps);
  controller = apiServiceController(api, deps);
  front = createHttpServer((req, res) => void aggregated.proxyFor('metrics.k8s.io', 'v1beta1')?.handle(req, res, user));
  front.on('upgrade', (req, socket, head) => void aggregated.proxyFor('metrics.k8s.io', 'v1beta1')?.upgrade(req, socket, head, user));
  await new Promise<void>(resolve => front.listen(0, '127.0.0.1', resolve));
  frontPort = (front.address() as AddressInfo).port;
});

after(async () => {
  controller[Symbol.dispose]();
  aggregated[Symbol.dispose]();
  api[Symbol.dispose]();
  await pools[Symbol.asyncDispose]();
  for (const server of [front, remote]) {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  }
});

const condition = (name: string) =>
  (api.peek({ group: 'apiregistration.k8s.io', resource: 'apiservices' }, '', name) as unknown as APIService | undefined)?.status
    ?.conditions?.[0];

test('local group versions have APIServices that are always available', async () => {
  await eventually(
    () => condition('v1.apps'),
    c => c !== undefined,
  );
  assert.deepEqual([condition('v1.apps')?.status, condition('v1.apps')?.reason], ['True', 'Local']);
  const apps = api.peek({ group: 'apiregistration.k8s.io', resource: 'apiservices' }, '', 'v1.apps');
  assert.deepEqual(apps?.['spec'], { group: 'apps', version: 'v1', groupPriorityMinimum: 17800, versionPriority: 15 });
  assert.deepEqual(apps?.metadata.labels, { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' });
});

test('a group version of custom resources gets an APIService as soon as it is served', async () => {
  await api.define('example.com/v1', 'widgets', 'Widget');
  await eventually(
    () => condition('v1.example.com')?.reason,
    reason => reason === 'Local',
  );
});

test('a remote server that answers is available, and its resources are known', async () => {
  await eventually(
    () => condition('v1beta1.metrics.k8s.io')?.reason,
    reason => reason === 'Passed',
  );
  const [item] = await eventually(
    () => aggregated.discoveryItems(),
    items => items[0]?.freshness === 'Current',
  );
  assert.deepEqual(item?.resources, [
    {
      resource: 'nodes',
      responseKind: { group: 'metrics.k8s.io', version: 'v1beta1', kind: 'NodeMetrics' },
      scope: 'Cluster',
      singularResource: '',
      verbs: ['get', 'list'],
    },
  ]);
});

test('a request is carried over with the identity of the user, and not with his credentials', async () => {
  seen.length = 0;
  const answer = await fetch(`http://127.0.0.1:${frontPort}/apis/metrics.k8s.io/v1beta1/things?limit=1`, {
    method: 'POST',
    body: 'hello',
    headers: { authorization: 'Bearer secret', 'x-remote-user': 'mallory', 'impersonate-user': 'bob', 'x-other': 'kept' },
  });
  assert.deepEqual([answer.status, answer.headers.get('x-answer'), await answer.text()], [201, 'yes', 'echo hello']);
  const { url, headers, peer } = seen[0]!;
  assert.equal(url, '/apis/metrics.k8s.io/v1beta1/things?limit=1');
  assert.equal(peer, 'front-proxy-client');
  assert.deepEqual(
    [headers['x-remote-user'], headers['x-remote-group'], headers['x-remote-extra-example.com%2fteam'], headers['x-other']],
    ['alice', 'dev, system:authenticated', 'x, y', 'kept'],
  );
  assert.deepEqual([headers.authorization, headers['impersonate-user']], [undefined, undefined]);
});

test('a watch arrives as it happens', async () => {
  const answer = await fetch(`http://127.0.0.1:${frontPort}/apis/metrics.k8s.io/v1beta1/nodes?watch=true`);
  const reader = answer.body!.getReader();
  assert.equal(Buffer.from((await reader.read()).value!).toString(), 'first\n');
  assert.equal(Buffer.from((await reader.read()).value!).toString(), 'second\n');
});

test('an upgraded connection is carried through', async () => {
  const text = await new Promise<string>((resolve, reject) => {
    const req = httpRequest({ port: frontPort, path: '/x', headers: { connection: 'Upgrade', upgrade: 'echo' } });
    req.once('error', reject);
    req.once('upgrade', (_answer, socket) => {
      let received = '';
      socket.on('data', data => (received += String(data)));
      socket.once('end', () => resolve(received));
      socket.write('ping');
    });
    req.end();
  });
  assert.equal(text, 'echo ping');
});

test('a server without endpoints is unavailable', async () => {
  await api.delete(
    { group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices' },
    { namespace: 'kube-system', name: 'metrics-1' },
  );
  const gone = await eventually(
    () => condition('v1beta1.metrics.k8s.io'),
    c => c?.status === 'False',
  );
  assert.deepEqual([gone?.reason, gone?.message], ['EndpointsNotFound', 'cannot find endpointslices for service/metrics in "kube-system"']);
  const answer = await fetch(`http://127.0.0.1:${frontPort}/apis/metrics.k8s.io/v1beta1/nodes`);
  assert.deepEqual([answer.status, await answer.text()], [503, 'service unavailable\n']);
  await eventually(
    () => aggregated.discoveryItems()[0]?.freshness,
    freshness => freshness === 'Stale',
  );
});
