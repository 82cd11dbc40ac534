import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { test, type TestContext } from 'node:test';
import { Secret } from '../api/builtin-kinds.ts';
import { Cluster } from '../api/cluster.ts';
import { newObject } from '../api/define-kind.ts';
import { createAuthority, createKey, issueLeaf } from '../pki/certificate-authority.ts';
import { agentKeysSecret, keyIdOf, withKey } from '../core/registration/agent-keys.ts';
import { agentGroup, agentHeaders, agentUser } from '../tunnel/protocol.ts';
import { startMemoryCluster } from '../../test/helpers/memory-cluster.ts';
import { proofHeaders } from '../../test/helpers/gateway-rig.ts';
import { embeddedClient } from '../hub/embedded-client.ts';
import { issueAgentCertificate } from './agent-certificate.ts';
import { agentVerifier, audienceOf } from './verify-agent.ts';

const id = 'c-m-ab12cd34';
const day = 86_400_000;
const authority = createAuthority('hub', new Date());
const east = newObject(Cluster, { name: 'east' }, { id, connection: { mode: 'Tunnel' } });
const audience = audienceOf(authority);

async function verifierFor(t: TestContext, key: KeyObject) {
  const cluster = await startMemoryCluster({ namespaces: [id] });
  t.after(() => cluster[Symbol.dispose]());
  const hub = embeddedClient({ cluster });
  const keys = withKey(undefined, 'uid-1', { id: keyIdOf(createPublicKey(key)), expiresAt: new Date() });
  await hub.create(Secret, agentKeysSecret(id, keys));
  const verify = agentVerifier({ hub, authority, findClusterById: async wanted => (wanted === id ? east : undefined) });
  const send = (headers: Record<string, string | string[]>) =>
    verify({
      headersDistinct: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat()])),
    } as unknown as IncomingMessage);
  return { hub, send };
}

const certificateFor = (key: KeyObject, clusterId = id, now = new Date()) =>
  issueAgentCertificate(authority, createPublicKey(key), clusterId, now).certificate;

test('the agent of a cluster is known by its certificate and a proof that it holds the key', async t => {
  const key = createKey();
  const { send } = await verifierFor(t, key);
  const verified = await send(proofHeaders(key, { certificate: certificateFor(key), clusterId: id, audience }));
  assert.deepEqual([verified.clusterId, verified.cluster.metadata.name, verified.clusterUid], [id, 'east', 'uid-1']);
});

const key = createKey();
const good = { certificate: certificateFor(key), clusterId: id, audience };
const leaf = (commonName: string, organizations: string[], from = authority, usage: 'client' | 'server' = 'client') => {
  const pair = issueLeaf(from, { commonName, organizations, usage, now: new Date() });
  return { key: createPrivateKey(pair.key), certificate: pair.certificate };
};
const shown = (made: { key: KeyObject; certificate: string }) => proofHeaders(made.key, { ...good, certificate: made.certificate });

const refusals: [string, () => Record<string, string | string[]>, RegExp][] = [
  ['no certificate', () => ({ authorization: proofHeaders(key, good)['authorization']! }), /holds no certificate/],
  [
    'a header that is no certificate',
    () => ({ ...proofHeaders(key, good), [agentHeaders.certificate]: 'bm9uc2Vuc2U=' }),
    /holds no certificate/,
  ],
  ['two certificates', () => ({ ...proofHeaders(key, good), [agentHeaders.certificate]: ['a', 'b'] }), /holds no certificate/],
  ['no proof', () => ({ [agentHeaders.certificate]: proofHeaders(key, good)[agentHeaders.certificate]! }), /not signed with the key/],
  ['a proof by another key', () => proofHeaders(createKey(), good), /not signed with the key/],
  ['a proof without a signature', () => ({ ...proofHeaders(key, good), authorization: `Bearer ${unsigned()}` }), /not signed with the key/],
  ['an old proof', () => proofHeaders(key, good, new Date(Date.now() - 61_000)), /not fresh/],
  ['a proof from the future', () => proofHeaders(key, good, new Date(Date.now() + 62_000)), /not fresh/],
  ['a proof for another hub', () => proofHeaders(key, { ...good, audience: 'drover:other' }), /another hub/],
  ['a proof for another agent', () => proofHeaders(key, { ...good, clusterId: 'c-m-zzzzzzzz' }), /another agent/],
  [
    'a certificate that has ended',
    () => proofHeaders(key, { ...good, certificate: certificateFor(key, id, new Date(Date.now() - 91 * day)) }),
    /has expired/,
  ],
  [
    'a certificate of another authority',
    () => shown(leaf(agentUser(id), [agentGroup], createAuthority('hub', new Date()))),
    /unknown authority/,
  ],
  ['a certificate for servers', () => shown(leaf(agentUser(id), [agentGroup], authority, 'server')), /incompatible key usage/],
  ['the certificate of a person', () => shown(leaf('jane', ['dev'])), /not that of an agent/],
  [
    'the certificate of an agent with one group more',
    () => shown(leaf(agentUser(id), [agentGroup, 'system:masters'])),
    /not that of an agent/,
  ],
  ['the certificate of an agent without its group', () => shown(leaf(agentUser(id), [])), /not that of an agent/],
  ['a key that was never registered', () => shown(leaf(agentUser(id), [agentGroup])), /its key is not/],
];

function unsigned(): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { sub: agentUser(id), aud: audience, iat: Math.floor(Date.now() / 1000), jti: 'a'.repeat(22) };
  return `${encode({ alg: 'none' })}.${encode(claims)}.`;
}

for (const [what, headers, message] of refusals)
  test(`${what} is refused`, async t => {
    const { send } = await verifierFor(t, key);
    await assert.rejects(send(headers()), { code: 401, message });
  });

test('a proof is good once', async t => {
  const { send } = await verifierFor(t, key);
  const headers = proofHeaders(key, good);
  await send(headers);
  await assert.rejects(send(headers), { code: 401, message: /used before/ });
});

test('an agent whose keys were deleted is revoked', async t => {
  const { send, hub } = await verifierFor(t, key);
  await hub.delete(Secret, { namespace: id, name: 'agent-identity' });
  await assert.rejects(send(proofHeaders(key, good)), { code: 401, message: /its key is not/ });
});

test('the agent of a cluster that is no more hears that it is gone', async t => {
  const { send } = await verifierFor(t, key);
  const clusterId = 'c-m-00000000';
  await assert.rejects(send(proofHeaders(key, { ...good, certificate: certificateFor(key, clusterId), clusterId })), { code: 410 });
});
