import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { Secret } from '../api/builtin-kinds.ts';
import { Cluster } from '../api/cluster.ts';
import { agentKeysName } from '../core/registration/agent-keys.ts';
import { issue, keyUsageBits } from '../pki/certificate-authority.ts';
import { agentGroup, agentUser } from '../tunnel/protocol.ts';
import { startAgentRig } from '../../test/helpers/agent-rig.ts';
import { eventually } from '../../test/helpers/eventually.ts';
import { startGatewayRig } from '../../test/helpers/gateway-rig.ts';
import { errorText } from '../util/error-text.ts';

const signal = AbortSignal.timeout(60_000);

test('registers with a token and serves its API server to the hub', async t => {
  const hub = await startGatewayRig(t);
  const id = await hub.addCluster('east');
  const member = await startAgentRig(t, hub.url, (req, res) => res.end(`${req.method} ${req.url}`));
  member.run({ token: await hub.addToken(id) });
  const { body } = await eventually(() => hub.sessions.transport(id).request({ method: 'GET', path: '/version' }));
  assert.equal(await text(body), 'GET /version');
  const agent = hub.sessions.state(id)?.agent;
  assert.equal(agent?.version, '1.2.3');
  assert.ok(Math.abs(agent.clockOffsetMs ?? Infinity) < 5000);
});

test('needs no token once it has an identity', async t => {
  const hub = await startGatewayRig(t);
  const id = await hub.addCluster('east');
  const member = await startAgentRig(t, hub.url);
  const first = member.run({ token: await hub.addToken(id) });
  await eventually(() => hub.sessions.state(id)?.isConnected);
  await first.stop();
  await eventually(() => hub.sessions.state(id)?.isConnected === false);
  member.run();
  await eventually(() => hub.sessions.state(id)?.isConnected);
});

test('stops without an error when its cluster is removed', async t => {
  const hub = await startGatewayRig(t);
  const id = await hub.addCluster('east');
  const member = await startAgentRig(t, hub.url);
  const agent = member.run({ token: await hub.addToken(id) });
  await eventually(() => hub.sessions.state(id)?.isConnected);
  await hub.client.delete(Cluster, { name: 'east' });
  assert.match((await agent.ended) ?? '', /the cluster was removed from the hub/);
  assert.match((await member.run().ended) ?? '', /was removed from the hub/);
});

test('an identity that was revoked is replaced by means of the token', async t => {
  const hub = await startGatewayRig(t);
  const id = await hub.addCluster('east');
  const member = await startAgentRig(t, hub.url);
  member.run({ token: await hub.addToken(id) });
  await eventually(() => hub.sessions.state(id)?.isConnected);
  const before = await member.options.identities.load(signal);
  await hub.client.delete(Secret, { namespace: id, name: agentKeysName });
  await eventually(() => hub.sessions.state(id)?.isConnected === false);
  await eventually(() => hub.sessions.state(id)?.isConnected);
  const after = await member.options.identities.load(signal);
  assert.notEqual(after?.key, before?.key);
});

test('an identity that was revoked is the end without a token', async t => {
  const hub = await startGatewayRig(t);
  const id = await hub.addCluster('east');
  const member = await startAgentRig(t, hub.url);
  const first = member.run({ token: await hub.addToken(id) });
  await eventually(() => hub.sessions.state(id)?.isConnected);
  await first.stop();
  await hub.client.delete(Secret, { namespace: id, name: agentKeysName });
  await assert.rejects(member.run().ended, error => /the agent is not accepted: its key is not/.test(errorText(error)));
});

test('tokens that are wrong, expired or of another member end the agent with what the hub says', async t => {
  const hub = await startGatewayRig(t);
  const id = await hub.addCluster('east');
  const member = await startAgentRig(t, hub.url);
  const used = await hub.addToken(id);
  await (await hub.register(used, { clusterUid: 'another-member' })).text();
  const expired = await hub.addToken(id, { expiresAt: new Date(Date.now() - 1000) });
  const cases = [
    [undefined, /has not registered yet and has no token/],
    ['wrong', /token is not known to this hub/],
    [expired, /token has expired/],
    [used, /token was used by another cluster already/],
  ] as const;
  for (const [token, words] of cases) {
    await assert.rejects(member.run({ token }).ended, error => words.test(errorText(error)));
    assert.equal(await member.options.identities.load(signal), undefined);
  }
});

test('another token asks for another identity', async t => {
  const hub = await startGatewayRig(t);
  const [east, west] = [await hub.addCluster('east'), await hub.addCluster('west')];
  const member = await startAgentRig(t, hub.url);
  const first = member.run({ token: await hub.addToken(east) });
  await eventually(() => hub.sessions.state(east)?.isConnected);
  await first.stop();
  member.run({ token: await hub.addToken(west) });
  await eventually(() => hub.sessions.state(west)?.isConnected);
});

test('an identity past two thirds of its life is renewed with a new key', async t => {
  const hub = await startGatewayRig(t);
  const id = await hub.addCluster('east');
  const member = await startAgentRig(t, hub.url);
  const { identities } = member.options;
  const first = member.run({ token: await hub.addToken(id) });
  await eventually(() => hub.sessions.state(id)?.isConnected);
  await first.stop();
  const young = await identities.load(signal);
  assert.ok(young);
  const day = 86_400_000;
  const aged = issue(hub.authority, createPublicKey(young.key), {
    subject: { commonName: agentUser(id), organizations: [agentGroup] },
    notBefore: new Date(Date.now() - 61 * day),
    notAfter: new Date(Date.now() + 29 * day),
    keyUsage: [keyUsageBits.digitalSignature],
  });
  await identities.save({ ...young, certificate: aged }, signal);
  member.run();
  const renewed = await eventually(
    () => identities.load(signal),
    identity => identity !== undefined && identity.key !== young.key,
  );
  assert.equal(renewed?.clusterId, id);
  await eventually(() => hub.sessions.state(id)?.isConnected);
});

test('a hub that never answers ends the agent', async t => {
  const member = await startAgentRig(t, 'http://127.0.0.1:9');
  const ended = member.run({ token: 'any', firstContactMs: 0 }).ended;
  await assert.rejects(ended, error => /cannot reach the hub at "http:\/\/127.0.0.1:9": connection refused/.test(errorText(error)));
});
