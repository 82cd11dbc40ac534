import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { Secret } from '../api/builtin-kinds.ts';
import { Cluster } from '../api/cluster.ts';
import type { Status } from '../api/status.ts';
import { createKey, subjectOf } from '../pki/certificate-authority.ts';
import { readName } from '../pki/distinguished-name.ts';
import { registerPath, type RegisterAnswer } from '../tunnel/protocol.ts';
import { eventually } from '../../test/helpers/eventually.ts';
import { csrFor, proofHeaders, startGatewayRig, type GatewayRig } from '../../test/helpers/gateway-rig.ts';

const answered = async (res: Response) => [res.status, ((await res.json()) as Status).message] as const;

async function accepted(res: Response): Promise<RegisterAnswer> {
  const text = await res.text();
  assert.equal(res.status, 201, text);
  return JSON.parse(text) as RegisterAnswer;
}

function renew(rig: GatewayRig, headers: Record<string, string>, body: object): Promise<Response> {
  return rig.fetch(registerPath, {
    method: 'POST',
    headers,
    body: JSON.stringify({ clusterUid: 'uid-1', agentVersion: '0.0.0', ...body }),
  });
}

test('a token becomes a certificate for the agent of its cluster', async t => {
  const rig = await startGatewayRig(t);
  const id = await rig.addCluster('east');
  const key = createKey();
  const answer = await accepted(await rig.register(await rig.addToken(id), { csr: csrFor(key) }));
  assert.equal(answer.clusterId, id);
  const certificate = new X509Certificate(answer.certificate);
  assert.ok(certificate.verify(rig.authority.x509.publicKey) && certificate.checkPrivateKey(key) && !certificate.ca);
  const subject = readName(subjectOf(certificate.raw));
  assert.deepEqual([subject.commonName, subject.organizations], [`system:drover:agent:${id}`, ['system:drover:agents']]);
  const days = (Date.parse(answer.expiresAt) - Date.now()) / 86_400_000;
  assert.ok(days > 89 && days <= 90);
});

test('the token itself is nowhere on the hub', async t => {
  const rig = await startGatewayRig(t);
  const id = await rig.addCluster('east');
  const token = await rig.addToken(id);
  await accepted(await rig.register(token));
  const secrets = (await rig.client.list(Secret)).items;
  const everything = secrets.flatMap(({ data, metadata }) => [
    JSON.stringify(metadata),
    ...Object.values(data ?? {}).map(one => atob(one)),
  ]);
  assert.ok(!everything.some(text => text.includes(token)));
});

test('a token belongs to the first member that comes with it', async t => {
  const rig = await startGatewayRig(t);
  const token = await rig.addToken(await rig.addCluster('east'));
  await accepted(await rig.register(token, { clusterUid: 'first' }));
  await accepted(await rig.register(token, { clusterUid: 'first' }));
  assert.deepEqual(await answered(await rig.register(token, { clusterUid: 'second' })), [
    403,
    'the registration token was used by another cluster already',
  ]);
});

test('of many members that come with one token at once, one is accepted', async t => {
  const rig = await startGatewayRig(t);
  const token = await rig.addToken(await rig.addCluster('east'));
  const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => rig.register(token, { clusterUid: `member-${i}` })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array<number>(11).fill(403)]);
});

test('unknown, malformed and expired tokens are refused in words', async t => {
  const rig = await startGatewayRig(t);
  const id = await rig.addCluster('east');
  const unknown = [401, 'the registration token is not known to this hub'] as const;
  for (const token of ['b'.repeat(54), 'short', `${'b'.repeat(54)}x`, "' or 1=1"])
    assert.deepEqual(await answered(await rig.register(token)), unknown);
  const expired = await rig.addToken(id, { expiresAt: new Date(Date.now() - 1000) });
  assert.deepEqual(await answered(await rig.register(expired)), [401, 'the registration token has expired']);
  assert.equal(await rig.client.get(Secret, { namespace: id, name: 'agent-identity' }), undefined);
});

test('a broken request binds nothing', async t => {
  const rig = await startGatewayRig(t);
  const id = await rig.addCluster('east');
  const token = await rig.addToken(id);
  const other = csrFor(createKey(), 'c-m-00000000');
  for (const body of [{ csr: 'nonsense' }, { csr: other }, { clusterUid: '' }, { clusterUid: 'a b' }, { agentVersion: '' }])
    assert.equal((await rig.register(token, body)).status, 400, JSON.stringify(body));
  await accepted(await rig.register(token, { clusterUid: 'another' }));
});

test('a cluster that is a member already is not imported under a second name', async t => {
  const rig = await startGatewayRig(t);
  await rig.addCluster('east');
  const token = await rig.addToken(await rig.addCluster('west'));
  await rig.client.patch(Cluster, { name: 'east' }, { type: 'merge', body: { status: { uid: 'twin' } } }, { subresource: 'status' });
  const refused = await eventually(
    () => rig.register(token, { clusterUid: 'twin' }),
    res => res.status === 403,
  );
  assert.deepEqual(await answered(refused), [403, 'this cluster is a member already, by the name "east"']);
});

test('a removed cluster is gone for its agents', async t => {
  const rig = await startGatewayRig(t);
  const id = await rig.addCluster('east');
  const token = await rig.addToken(id);
  const key = createKey();
  const identity = await accepted(await rig.register(token, { csr: csrFor(key) }));
  await rig.client.delete(Cluster, { name: 'east' });
  const gone = [410, `cluster "${id}" was removed from the hub`] as const;
  await eventually(
    async () => (await rig.register(token)).status,
    status => status === 410,
  );
  assert.deepEqual(await answered(await renew(rig, proofHeaders(key, identity), { csr: csrFor(createKey(), id) })), gone);
});

test('an agent renews its identity with a new key; of the keys before it, the last still counts', async t => {
  const rig = await startGatewayRig(t);
  const id = await rig.addCluster('east');
  const [first, second] = [createKey(), createKey()];
  const identity = await accepted(await rig.register(await rig.addToken(id), { csr: csrFor(first) }));
  const renewed = await accepted(await renew(rig, proofHeaders(first, identity), { csr: csrFor(second, id) }));
  // As if the agent had died before it kept its second key.
  await accepted(await renew(rig, proofHeaders(first, identity), { csr: csrFor(createKey(), id) }));
  await accepted(await renew(rig, proofHeaders(second, renewed), { csr: csrFor(createKey(), id) }));
  assert.equal((await renew(rig, proofHeaders(first, identity), { csr: csrFor(createKey(), id) })).status, 401);
});

test('renewal is for the same cluster, the same member and a key of its own', async t => {
  const rig = await startGatewayRig(t);
  const [east, west] = [await rig.addCluster('east'), await rig.addCluster('west')];
  const [eastKey, westKey] = [createKey(), createKey()];
  const identity = await accepted(await rig.register(await rig.addToken(east), { csr: csrFor(eastKey), clusterUid: 'uid-1' }));
  await accepted(await rig.register(await rig.addToken(west), { csr: csrFor(westKey), clusterUid: 'uid-2' }));
  const attempt = async (body: object) => answered(await renew(rig, proofHeaders(eastKey, identity), body));
  const subject = `the subject of the certificate request must be O=system:drover:agents, CN=system:drover:agent:${east}`;
  assert.deepEqual(await attempt({ csr: csrFor(createKey(), west) }), [400, subject]);
  assert.deepEqual(await attempt({ csr: csrFor(createKey()) }), [400, subject]);
  assert.deepEqual(await attempt({ csr: csrFor(westKey, east) }), [403, 'the key belongs to the agent of another cluster']);
  assert.deepEqual(await attempt({ csr: csrFor(createKey(), east), clusterUid: 'uid-9' }), [
    403,
    'the agent is registered from another cluster',
  ]);
});

test('a cluster with a new body gets a new agent, and the old one is revoked', async t => {
  const rig = await startGatewayRig(t);
  const id = await rig.addCluster('east');
  const old = createKey();
  const identity = await accepted(await rig.register(await rig.addToken(id), { csr: csrFor(old), clusterUid: 'old' }));
  await accepted(await rig.register(await rig.addToken(id), { clusterUid: 'new' }));
  const [code, message] = await answered(await renew(rig, proofHeaders(old, identity), { csr: csrFor(createKey(), id) }));
  assert.deepEqual([code, message], [401, 'the agent is not accepted: its key is not, or not any more, that of the agent of this cluster']);
});

test('a body that never ends is refused', async t => {
  const rig = await startGatewayRig(t);
  const token = await rig.addToken(await rig.addCluster('east'));
  assert.equal((await rig.register(token, { csr: 'x'.repeat(100_000) })).status, 413);
});
