import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { accountToken } from '../../../test/helpers/account-token.ts';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startGatewayRig } from '../../../test/helpers/gateway-rig.ts';
import { east, jane, startProxyRig, type RigOptions } from '../../../test/helpers/proxy-rig.ts';
import { note } from '../../auth/request-notes.ts';
import { clusterId } from '../../core/clusters/cluster-id.ts';
import type { JsonObject } from '../../util/json.ts';
import { auditedGateway } from './audited-gateway.ts';

/** A member behind a gateway that writes down what is asked. */
async function start(t: TestContext, options: RigOptions = {}) {
  const lines: JsonObject[] = [];
  const findCluster = (ref: string) => (ref === 'east' ? east : undefined);
  const rig = await startProxyRig(t, {
    access: {
      identify: async req => {
        note(req, { sender: { name: 'root', groups: [] }, user: jane });
        return jane;
      },
      authorize: async () => ({ allowed: true, reason: '' }),
    },
    ...options,
    wrap: gateway => auditedGateway(gateway, { log: { write: event => void lines.push(event as JsonObject) }, findCluster }),
  });
  return {
    rig,
    lines,
    get: (path: string, head = '') => rig.send(`GET ${path} HTTP/1.1\r\nHost: hub\r\n${head}Connection: close\r\n\r\n`),
  };
}

test('a request to a member is one line: who, as whom, what and where', async t => {
  const { lines, rig, get } = await start(t);
  await get('/k8s/clusters/east/apis/apps/v1/namespaces/shop/deployments/web?pretty=true', 'User-Agent: kubectl\r\n');
  const [line] = await eventually(
    () => lines,
    all => all.length > 0,
  );
  const { requestReceivedTimestamp, stageTimestamp, auditID, ...rest } = line!;
  assert.deepEqual(rest, {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    stage: 'ResponseComplete',
    requestURI: '/k8s/clusters/east/apis/apps/v1/namespaces/shop/deployments/web?pretty=true',
    verb: 'get',
    user: { username: 'root' },
    impersonatedUser: { username: 'jane', groups: ['dev', 'system:authenticated'] },
    sourceIPs: ['127.0.0.1'],
    userAgent: 'kubectl',
    objectRef: { resource: 'deployments', namespace: 'shop', name: 'web', apiGroup: 'apps', apiVersion: 'v1' },
    responseStatus: { metadata: {}, code: 200 },
    annotations: { 'drover.io/cluster': 'east', 'drover.io/cluster-id': clusterId(east) },
  });
  assert.ok(requestReceivedTimestamp && stageTimestamp);
  assert.deepEqual(rig.seen[0]?.headers['audit-id'], [auditID], 'the member calls it by the same id');
  assert.equal(lines.length, 1);
});

test('a stream is written down when it begins, and once', async t => {
  let end = () => {};
  const { lines, get } = await start(t, {
    answer: (_req, res) => {
      res.writeHead(200).flushHeaders();
      end = () => void res.end();
    },
  });
  const watching = get('/k8s/clusters/east/api/v1/secrets?watch=true');
  const [line] = await eventually(
    () => lines,
    all => all.length > 0,
  );
  assert.deepEqual([line?.['stage'], line?.['verb']], ['ResponseStarted', 'watch']);
  end();
  await watching;
  assert.equal(lines.length, 1);
});

test('a connection that leaves HTTP is written down while it is open', async t => {
  const { lines, rig } = await start(t, {
    upgrade: (_req, socket) => void socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: SPDY/3.1\r\nConnection: Upgrade\r\n\r\n'),
  });
  const socket = rig.connect();
  socket.write(
    'POST /k8s/clusters/east/api/v1/namespaces/shop/pods/web/exec?command=id HTTP/1.1\r\nHost: hub\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n',
  );
  const [line] = await eventually(
    () => lines,
    all => all.length > 0,
  );
  assert.deepEqual([line?.['stage'], line?.['verb'], line?.['responseStatus']], ['ResponseStarted', 'create', { metadata: {}, code: 101 }]);
  assert.equal((line?.['objectRef'] as JsonObject)['subresource'], 'exec');
  socket.destroy();
});

test('what was refused is written down too, also when it wanted to leave HTTP', async t => {
  const { lines, rig, get } = await start(t);
  await get('/k8s/clusters/west/api/v1/pods');
  await get('/k8s/clusters/east/%zz');
  await rig.send('GET /k8s/clusters/west/api/v1/pods HTTP/1.1\r\nHost: hub\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  await eventually(
    () => lines,
    all => all.length === 3,
  );
  const codes = lines.map(line => (line['responseStatus'] as JsonObject)['code']);
  assert.deepEqual(codes, [404, 400, 404]);
  assert.ok(lines.every(line => line['annotations'] === undefined || (line['annotations'] as JsonObject)['drover.io/cluster'] === 'east'));
});

test('the token of a manifest is not written down, its cluster is', async t => {
  const rig = await startGatewayRig(t);
  const id = await rig.addCluster('east');
  const token = await rig.addToken(id);
  await (await rig.fetch(`/v3/import/${token}_${id}.yaml?token=${token}`)).text();
  const [line] = await eventually(
    () => rig.audit,
    all => all.length > 0,
  );
  assert.equal(line?.['requestURI'], `/v3/import/[redacted]_${id}.yaml?token=[redacted]`);
  assert.deepEqual(line?.['annotations'], { 'drover.io/cluster': 'east', 'drover.io/cluster-id': id });
  assert.ok(!JSON.stringify(rig.audit).includes(token));
});

test('agents that report, probes, and what the API writes down itself leave no line', async t => {
  const rig = await startGatewayRig(t);
  for (const path of ['/ping', '/v3/settings/cacerts', '/v3/connect', '/v3/connect/hub/api', '/api/v1/pods', '/version'])
    await (await rig.fetch(path)).text();
  await (await rig.fetch('/charts/index.yaml')).text();
  await eventually(
    () => rig.audit,
    all => all.length > 0,
  );
  assert.deepEqual(
    rig.audit.map(line => line['requestURI']),
    ['/charts/index.yaml'],
  );
});

test('who speaks for another is named besides the other, by the rules of the hub', async t => {
  const rig = await startGatewayRig(t);
  await rig.addCluster('east');
  const token = await accountToken(rig.client, 'speaker', [{ apiGroups: [''], resources: ['users'], verbs: ['impersonate'] }]);
  const headers = { authorization: `Bearer ${token}`, 'impersonate-user': 'jane' };
  assert.equal((await rig.fetch('/k8s/clusters/east/api/v1/pods', { headers })).status, 403);
  const [line] = await eventually(
    () => rig.audit,
    all => all.length > 0,
  );
  assert.equal((line?.['user'] as JsonObject)['username'], 'system:serviceaccount:default:speaker');
  assert.equal((line?.['impersonatedUser'] as JsonObject)['username'], 'jane');
  assert.ok(!JSON.stringify(line).includes(token));
});
