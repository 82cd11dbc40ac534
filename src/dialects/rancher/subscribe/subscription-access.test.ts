import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { everything, startRancherRig, type RancherRig } from '../../../../test/helpers/rancher-rig.ts';
import type { JsonObject } from '../../../util/json.ts';

const east = 'c-m-east0000';
const paths = [
  '/v3/subscribe?resourceTypes=cluster',
  '/v1/subscribe',
  `/v3/cluster/${east}/subscribe`,
  `/v3/project/${east}:p-shop0/subscribe`,
  `/k8s/clusters/${east}/v1/subscribe`,
];

function connect(t: TestContext, { url }: RancherRig, path: string, headers: Record<string, string>): WebSocket {
  const socket = new WebSocket(url.replace(/^http/, 'ws') + path, { headers });
  t.after(() => socket.terminate());
  return socket;
}

/** The code that a server answers instead of a connection. */
async function refusal(socket: WebSocket): Promise<number> {
  socket.on('error', () => {});
  const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
  return answer.statusCode;
}

test('connections end when their token is revoked', async t => {
  const rig = await startRancherRig(t);
  await rig.addCluster(east, 'east');
  await rig.addProject(east, 'p-shop0', 'Shop');
  const anna = await rig.addPerson('anna', everything);
  const sockets = paths.map(path => connect(t, rig, path, { authorization: `Bearer ${anna.bearer}` }));
  await Promise.all(sockets.map(socket => once(socket, 'open')));
  const closed = sockets.map(socket => once(socket, 'close') as Promise<[number]>);
  await rig.identity.tokens.revoke(anna.bearer.split(':')[0]!);
  for (const [code] of await Promise.all(closed)) assert.equal(code, 1008);
});

test('a session opens no connection from the page of another site', async t => {
  const rig = await startRancherRig(t);
  await rig.addCluster(east, 'east');
  await rig.addProject(east, 'p-shop0', 'Shop');
  const anna = await rig.addPerson('anna', everything);
  const cookie = `R_SESS=${anna.bearer}`;
  const { host } = new URL(rig.url);
  for (const path of paths) {
    for (const origin of ['https://evil.example', `http://${host}`, 'null'])
      assert.equal(await refusal(connect(t, rig, path, { cookie, origin })), 403, `${path} from ${origin}`);
    assert.equal(await refusal(connect(t, rig, path, { cookie })), 403, `${path} from nowhere`);
    await once(connect(t, rig, path, { cookie, origin: `https://${host}` }), 'open');
  }
});

test('a token for one cluster hears of that cluster only', async t => {
  const rig = await startRancherRig(t);
  await rig.addCluster(east, 'east');
  await rig.addCluster('c-m-west0000', 'west');
  const { user } = await rig.addPerson('anna', everything);
  const { bearer } = await rig.identity.tokens.issue({ user, kind: 'api', clusterId: east });
  const authorization = `Bearer ${bearer}`;
  for (const path of ['/v3/subscribe', '/v1/subscribe', '/k8s/clusters/c-m-west0000/v1/subscribe'])
    assert.equal(await refusal(connect(t, rig, path, { authorization })), 401, path);
  await once(connect(t, rig, `/k8s/clusters/${east}/v1/subscribe`, { authorization }), 'open');
});

test("below a member there is its API, and beside it Rancher's view of it", async t => {
  const rig = await startRancherRig(t);
  await rig.addCluster(east, 'east');
  const anna = await rig.addPerson('anna', everything);
  const plain = await rig.ask(`/k8s/clusters/${east}/api/v1/namespaces/default`, { as: anna });
  const view = await rig.ask(`/k8s/clusters/${east}/v1/namespaces/default`, { as: anna });
  // Rights on the hub are none on the member, whichever way one takes.
  for (const { status } of [plain, view]) assert.equal(status, 403);
  assert.deepEqual([plain.body['kind'], view.body['type']], ['Status', 'error']);
  const schemas = await rig.ask(`/k8s/clusters/${east}/v1/schemas`, { as: anna });
  assert.equal(schemas.status, 200);
  assert.ok(!(schemas.body['data'] as JsonObject[]).some(({ id }) => id === 'secret'));
});
