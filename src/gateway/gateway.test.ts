import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { startGatewayRig } from '../../test/helpers/gateway-rig.ts';

test('everybody may ask whether the hub is there and who vouches for it', async t => {
  const rig = await startGatewayRig(t);
  const ping = await rig.fetch('/ping');
  assert.deepEqual([ping.status, await ping.text()], [200, 'pong']);
  assert.ok(Math.abs(Date.parse(ping.headers.get('date') ?? '') - Date.now()) < 5000, 'agents set their clocks by it');
  const setting = (await (await rig.fetch('/v3/settings/cacerts')).json()) as { name: string; value: string };
  assert.equal(setting.name, 'cacerts');
  assert.equal(new X509Certificate(setting.value).fingerprint256, rig.authority.x509.fingerprint256);
  assert.ok(setting.value.endsWith('-----END CERTIFICATE-----\n'));
});

test('only the method an address is for is served', async t => {
  const rig = await startGatewayRig(t);
  for (const [method, path] of [
    ['POST', '/ping'],
    ['PUT', '/v3/settings/cacerts'],
    ['DELETE', `/v3/import/${'b'.repeat(54)}_c-m-ab12cd34.yaml`],
    ['GET', '/v3/connect/register'],
    ['GET', '/v3/connect'],
  ] as const)
    assert.equal((await rig.fetch(path, { method })).status, 405, `${method} ${path}`);
});

test("what is not the gateway's goes to the API behind it", async t => {
  const rig = await startGatewayRig(t);
  assert.equal((await rig.fetch('/version')).status, 200);
  for (const path of ['/v3', '/v3/settings/server-url', '/pingpong', '/k8s', '/%6b8s/clusters/east/api'])
    assert.ok([403, 404].includes((await rig.fetch(path)).status), path);
});

test('a manifest is handed out for its token', async t => {
  const rig = await startGatewayRig(t);
  const id = await rig.addCluster('east');
  const token = await rig.addToken(id);
  for (const separator of ['_', '-']) {
    const res = await rig.fetch(`/v3/import/${token}${separator}${id}.yaml`);
    const text = await res.text();
    assert.equal(res.status, 200, text);
    assert.match(res.headers.get('content-type') ?? '', /^text\/plain/);
    assert.equal(res.headers.get('cache-control'), 'no-store');
    const sum = createHash('sha256').update(`${rig.authority.certificate.trimEnd()}\n`).digest('hex');
    assert.ok(
      text.includes(`value: ${sum}`) && text.includes(`https://${new URL(rig.url).host}`) && text.includes('image: drover/drover:test'),
    );
  }
});

test('the address of a manifest tells nothing to those who guess', async t => {
  const rig = await startGatewayRig(t);
  const [east, west] = [await rig.addCluster('east'), await rig.addCluster('west')];
  const token = await rig.addToken(east);
  const guess = 'b'.repeat(54);
  const said = async (path: string) => {
    const res = await rig.fetch(`/v3/import/${path}`);
    return [res.status, await res.text()];
  };
  const refused = [400, 'cluster not found or invalid token\n'];
  for (const path of [`${guess}_${east}.yaml`, `${guess}_c-m-00000000.yaml`, `${token}_${west}.yaml`])
    assert.deepEqual(await said(path), refused);
  for (const path of ['x.yaml', `${token}.yaml`, `${token}_${east}`, `${token}_${east}.yaml.gz`, `../import/${token}_${east}.yml`, ''])
    assert.equal((await rig.fetch(`/v3/import/${path}`)).status, 404, path);
  const old = await rig.addToken(east, { expiresAt: new Date(Date.now() - 1) });
  assert.deepEqual(await said(`${old}_${east}.yaml`), [400, 'the registration token has expired; "drover import east" makes a new one\n']);
});

test('whoever guesses too often has to wait, and agents with good tokens do not', async t => {
  const rig = await startGatewayRig(t);
  const id = await rig.addCluster('east');
  const tokens = await Promise.all(Array.from({ length: 40 }, () => rig.addToken(id)));
  for (const token of tokens) assert.equal((await rig.register(token)).status, 201);
  let res = await rig.fetch(`/v3/import/${'b'.repeat(54)}_${id}.yaml`);
  for (let i = 0; i < 40 && res.status !== 429; i++) res = await rig.fetch(`/v3/import/${'b'.repeat(54)}_${id}.yaml`);
  assert.equal(res.status, 429);
  assert.ok(Number(res.headers.get('retry-after')) > 0);
});
