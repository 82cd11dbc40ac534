import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { httpsServer } from '../apiserver/http/https-server.ts';
import { createPki } from '../pki/ensure-pki.ts';
import { errorText } from '../util/error-text.ts';
import { startAgentRig } from '../../test/helpers/agent-rig.ts';
import { startConnectProxy } from '../../test/helpers/connect-proxy.ts';
import { eventually } from '../../test/helpers/eventually.ts';
import { startGatewayRig } from '../../test/helpers/gateway-rig.ts';
import { checkAuthorities } from './hub-trust.ts';

const sumOf = (pem: string) => createHash('sha256').update(`${pem.trimEnd()}\n`).digest('hex');

async function startHttpsHub(t: TestContext) {
  const rig = await startGatewayRig(t);
  const https = httpsServer(rig.pki, rig.handler);
  const { port } = await https.listen('127.0.0.1', 0);
  t.after(async () => {
    https.server.closeAllConnections();
    await https.close();
  });
  return { ...rig, server: `https://127.0.0.1:${port}`, checksum: sumOf(rig.pki.authority.certificate) };
}

test('the checksum is over the PEM with exactly one newline at its end', () => {
  const pem = createPki().authority.certificate.trimEnd();
  for (const end of ['', '\n', '\n\n', ' \n']) assert.equal(checkAuthorities(pem + end, sumOf(pem).toUpperCase()), `${pem}\n`);
});

test('authorities that are not those expected are named by both checksums', () => {
  const pem = createPki().authority.certificate;
  assert.throws(() => checkAuthorities(pem, 'f'.repeat(64)), new RegExp(`${sumOf(pem)}, but f{64} was expected`));
  assert.throws(() => checkAuthorities('', 'f'.repeat(64)), /has published no authorities/);
  assert.throws(() => checkAuthorities('nonsense', sumOf('nonsense')), /hold no certificate/);
});

test('connects by TLS when the checksum is right, and not at all when it is wrong', async t => {
  const hub = await startHttpsHub(t);
  const id = await hub.addCluster('east');
  const token = await hub.addToken(id);
  const member = await startAgentRig(t, hub.server);
  const wrong = member.run({ token, caChecksum: '0'.repeat(64) }).ended;
  await assert.rejects(wrong, error => errorText(error).includes(hub.checksum) && errorText(error).includes('0'.repeat(64)));
  member.run({ token, caChecksum: hub.checksum });
  await eventually(() => hub.sessions.state(id)?.isConnected);
});

for (const acceptsSystemAuthorities of [false, true])
  test(`tells the hub that its own authorities vouch for it, also when others ${acceptsSystemAuthorities ? 'may' : 'may not'}`, async t => {
    const hub = await startHttpsHub(t);
    const id = await hub.addCluster('east');
    const member = await startAgentRig(t, hub.server);
    member.run({ token: await hub.addToken(id), caChecksum: hub.checksum, acceptsSystemAuthorities });
    await eventually(() => hub.sessions.state(id)?.isConnected);
    assert.equal(hub.sessions.state(id)?.agent.isStrict, true);
  });

test('without a checksum a hub with an authority of its own is not believed', async t => {
  const hub = await startHttpsHub(t);
  const member = await startAgentRig(t, hub.server);
  const ended = member.run({ token: 'any', firstContactMs: 0 }).ended;
  await assert.rejects(ended, error => /certificate is signed by an unknown authority/.test(errorText(error)));
});

test('goes through the proxy of the environment, with its password, unless NO_PROXY names the hub', async t => {
  const hub = await startHttpsHub(t);
  const id = await hub.addCluster('east');
  const token = await hub.addToken(id);
  const proxy = await startConnectProxy(t, 'jane', 'pass word');
  // A name in the certificate of the hub that only the proxy can find.
  const server = `https://kubernetes:${new URL(hub.server).port}`;
  const member = await startAgentRig(t, server);
  const env = { HTTPS_PROXY: `http://jane:pass%20word@127.0.0.1:${proxy.port}` };
  const direct = member.run({ token, caChecksum: hub.checksum, env: { ...env, NO_PROXY: 'kubernetes' }, firstContactMs: 0 });
  await assert.rejects(direct.ended, error => /cannot reach the hub/.test(errorText(error)));
  assert.equal(proxy.asked.length, 0);

  member.run({ token, caChecksum: hub.checksum, env });
  await eventually(() => hub.sessions.state(id)?.isConnected);
  const { body } = await hub.sessions.transport(id).request({ method: 'GET', path: '/' });
  assert.equal(await text(body), 'member');
  assert.deepEqual([...new Set(proxy.asked.map(({ target }) => target))], [new URL(server).host]);
});
