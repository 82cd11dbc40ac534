import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { ClusterRole, ClusterRoleBinding, Namespace, Secret, ServiceAccount } from '../api/builtin-kinds.ts';
import { Cluster } from '../api/cluster.ts';
import { httpsTransport } from '../client/https-transport.ts';
import { createKey } from '../pki/certificate-authority.ts';
import { closeCodes, connectPath, subprotocol, type RegisterAnswer } from '../tunnel/protocol.ts';
import { serveTunnel, type TunnelEnd } from '../tunnel/serve-tunnel.ts';
import { eventually } from '../../test/helpers/eventually.ts';
import { csrFor, proofHeaders, startGatewayRig, type GatewayRig } from '../../test/helpers/gateway-rig.ts';
import { startTestApiServer } from '../../test/helpers/tunnel-rig.ts';

interface Connected {
  readonly rig: GatewayRig;
  readonly id: string;
  readonly ended: Promise<TunnelEnd>;
}

/** A hub with one member, whose agent registered and connected as real ones do. */
async function connectAgent(t: TestContext): Promise<Connected> {
  const rig = await startGatewayRig(t);
  const id = await rig.addCluster('east');
  const key = createKey();
  const identity = (await (await rig.register(await rig.addToken(id), { csr: csrFor(key) })).json()) as RegisterAnswer;
  const member = await startTestApiServer((req, res) => res.end(`${String(req.headers['impersonate-user'])} ${req.url}`), echo);
  t.after(() => member[Symbol.asyncDispose]());
  const webSocket = new WebSocket(rig.url.replace('http', 'ws') + connectPath, subprotocol, { headers: proofHeaders(key, identity) });
  const stop = new AbortController();
  t.after(() => stop.abort());
  const target = httpsTransport({ server: member.url });
  const { promise, resolve, reject } = Promise.withResolvers<{ ended: Promise<TunnelEnd> }>();
  webSocket.once('open', () => resolve({ ended: serveTunnel({ webSocket, target, signal: stop.signal }) }));
  webSocket.once('error', reject);
  const { ended } = await promise;
  await eventually(() => rig.sessions.state(id)?.isConnected === true);
  return { rig, id, ended };
}

const echoServer = new WebSocketServer({ noServer: true, handleProtocols: () => 'v5.channel.k8s.io' });

/** Plays exec: says who asks, then repeats what it hears. */
function echo(req: IncomingMessage, socket: Duplex, head: Buffer): void {
  echoServer.handleUpgrade(req, socket, head, webSocket => {
    webSocket.send(String(req.headers['impersonate-user']));
    webSocket.on('message', (data, isBinary) => webSocket.send(data, { binary: isBinary }));
  });
}

test('a WebSocket to the member passes through hub and tunnel, both ways and whole', async t => {
  const { rig } = await connectAgent(t);
  const token = await tokenOf(rig, 'ci');
  const webSocket = new WebSocket(`${rig.url.replace('http', 'ws')}/k8s/clusters/east/api/v1/namespaces/default/pods/x/exec?command=sh`, [
    'v5.channel.k8s.io',
    `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`,
  ]);
  t.after(() => webSocket.terminate());
  const heard: Buffer[] = [];
  webSocket.on('message', data => heard.push(data as Buffer));
  await eventually(() => heard.length === 1);
  assert.deepEqual([webSocket.protocol, String(heard[0])], ['v5.channel.k8s.io', 'hub:system:serviceaccount:default:ci']);
  const large = randomBytes(3 * 1024 * 1024);
  webSocket.send(large);
  await eventually(() => heard.length === 2);
  assert.ok(heard[1]!.equals(large));
  webSocket.close(1000);
  await once(webSocket, 'close');
});

test('people reach the member through its agent, as themselves', async t => {
  const { rig, id } = await connectAgent(t);
  const token = await tokenOf(rig, 'ci');
  for (const ref of ['east', id]) {
    const res = await rig.fetch(`/k8s/clusters/${ref}/api/v1/pods?limit=1`, { headers: { authorization: `Bearer ${token}` } });
    assert.deepEqual([res.status, await res.text()], [200, 'hub:system:serviceaccount:default:ci /api/v1/pods?limit=1']);
  }
});

/** A service account that may read clusters. */
async function tokenOf(rig: GatewayRig, name: string): Promise<string> {
  const rules = [{ apiGroups: [Cluster.group], resources: ['clusters'], verbs: ['get'] }];
  await rig.client.apply(ServiceAccount, { metadata: { name, namespace: 'default' } });
  await rig.client.apply(ClusterRole, { metadata: { name }, rules });
  await rig.client.apply(ClusterRoleBinding, {
    metadata: { name },
    roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace: 'default' }],
  });
  const answer = await rig.transport.request({
    method: 'POST',
    path: `/api/v1/namespaces/default/serviceaccounts/${name}/token`,
    headers: { 'content-type': 'application/json' },
    body: '{"spec":{}}',
  });
  const chunks: Buffer[] = [];
  for await (const chunk of answer.body) chunks.push(chunk as Buffer);
  return (JSON.parse(Buffer.concat(chunks).toString()) as { status: { token: string } }).status.token;
}

test('nobody without credentials passes', async t => {
  const { rig } = await connectAgent(t);
  assert.equal((await rig.fetch('/k8s/clusters/east/api')).status, 403);
  assert.equal((await rig.fetch('/k8s/clusters/east/api', { headers: { authorization: 'Bearer wrong' } })).status, 401);
});

test('an agent whose identity is deleted is sent away at once', async t => {
  const { rig, id, ended } = await connectAgent(t);
  await rig.client.delete(Secret, { namespace: id, name: 'agent-identity' });
  const { code, reason } = await ended;
  assert.deepEqual([code, reason], [closeCodes.identityRefused, 'the identity of the agent was revoked']);
});

test('an agent whose cluster moved to another body is sent away', async t => {
  const { rig, id, ended } = await connectAgent(t);
  assert.equal((await rig.register(await rig.addToken(id), { clusterUid: 'another' })).status, 201);
  assert.equal((await ended).code, closeCodes.identityRefused);
});

test('an agent whose cluster is removed is told so', async t => {
  const { rig, ended } = await connectAgent(t);
  await rig.client.delete(Cluster, { name: 'east' });
  const { code, reason } = await ended;
  assert.deepEqual([code, reason], [closeCodes.removed, 'the cluster was removed from the hub']);
});

test('so is one whose cluster is still being removed when its namespace goes', async t => {
  const { rig, id, ended } = await connectAgent(t);
  await rig.client.patch(Cluster, { name: 'east' }, { type: 'merge', body: { metadata: { finalizers: ['example.com/held'] } } });
  await rig.client.delete(Cluster, { name: 'east' });
  await rig.client.delete(Namespace, { name: id });
  assert.equal((await ended).code, closeCodes.removed);
});
