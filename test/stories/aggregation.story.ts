import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpsRequest } from 'node:https';
import { after, before, test } from 'node:test';
import type { Duplex } from 'node:stream';
import { eventually } from '../helpers/eventually.ts';
import { ExtensionServer } from '../helpers/extension-server.ts';
import { startHub, type Hub } from '../helpers/hub.ts';

const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';
const ours = `${apiServices}/v1.flavours.example.com`;
const flavours = '/apis/flavours.example.com/v1/flavours';
const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
}

let hub: Hub;
let server: ExtensionServer;

before(async () => {
  hub = await startHub();
  const published = (await hub.request('GET', '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication')).json<{
    data: Record<string, string>;
  }>().data;
  assert.match(published['client-ca-file']!, /BEGIN CERTIFICATE/);
  assert.equal(published['requestheader-username-headers'], '["X-Remote-User"]');
  server = await ExtensionServer.start('flavours.default.svc', published['requestheader-client-ca-file']!);
});

after(async () => {
  await server[Symbol.asyncDispose]();
  await hub[Symbol.asyncDispose]();
});

const availability = async () =>
  (await hub.request('GET', ours)).json<{ status?: { conditions?: Condition[] } }>().status?.conditions?.find(c => c.type === 'Available');

async function create(path: string, obj: object): Promise<void> {
  const { code, text } = await hub.request('POST', path, obj);
  assert.equal(code, 201, text);
}

test('an APIService whose server is not there says so and answers 503', async () => {
  await create(apiServices, {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1.flavours.example.com' },
    spec: {
      group: 'flavours.example.com',
      version: 'v1',
      groupPriorityMinimum: 2000,
      versionPriority: 15,
      caBundle: server.caBundle,
      service: { namespace: 'default', name: 'flavours', port: server.port },
    },
  });
  const found = await eventually(availability, c => c?.status === 'False');
  assert.deepEqual([found?.reason, found?.message], ['ServiceNotFound', 'service/flavours in "default" is not present']);
  assert.deepEqual(await answerOf(flavours), [503, 'service unavailable\n']);
});

const answerOf = async (path: string) => {
  const { code, text } = await hub.request('GET', path);
  return [code, text] as const;
};

test('it becomes available with its service', async () => {
  // Endpoints may not be on the loopback interface, an external name may.
  await create('/api/v1/namespaces/default/services', {
    metadata: { name: 'flavours' },
    spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port: server.port }] },
  });
  const found = await eventually(availability, c => c?.status === 'True');
  assert.equal(found?.reason, 'Passed');
});

test('discovery shows its group among the others', async () => {
  const listed = async () =>
    (await hub.request('GET', '/apis', undefined, { accept: aggregatedType })).json<{ items: DiscoveredGroup[] }>().items;
  const items = await eventually(listed, all => all.some(item => item.metadata.name === server.group && item.versions[0]?.resources));
  const [version] = items.find(item => item.metadata.name === server.group)!.versions;
  assert.equal(version?.freshness, 'Current');
  assert.deepEqual(
    version?.resources?.map(({ resource, shortNames }) => [resource, shortNames]),
    [['flavours', ['fl']]],
  );
  assert.ok(items.findIndex(item => item.metadata.name === 'apps') < items.findIndex(item => item.metadata.name === server.group));

  const groups = (await hub.request('GET', '/apis')).json<{ groups: { name: string; preferredVersion: object }[] }>().groups;
  const preferredVersion = { groupVersion: 'flavours.example.com/v1', version: 'v1' };
  assert.deepEqual(groups.find(group => group.name === server.group)?.preferredVersion, preferredVersion);
  const group = (await hub.request('GET', '/apis/flavours.example.com')).json<{ kind: string; versions: object[] }>();
  assert.deepEqual([group.kind, group.versions], ['APIGroup', [preferredVersion]]);
  const list = (await hub.request('GET', '/apis/flavours.example.com/v1')).json<{ resources: { name: string }[] }>();
  assert.deepEqual(
    list.resources.map(resource => resource.name),
    ['flavours'],
  );
  assert.ok((await hub.request('GET', '/')).json<{ paths: string[] }>().paths.includes('/apis/flavours.example.com/v1'));
});

interface DiscoveredGroup {
  metadata: { name: string };
  versions: { version: string; freshness: string; resources?: { resource: string; shortNames: string[] }[] }[];
}

test('so do the OpenAPI documents', async () => {
  const root = (await hub.request('GET', '/openapi/v3')).json<{ paths: Record<string, { serverRelativeURL: string }> }>();
  const { serverRelativeURL } = root.paths['apis/flavours.example.com/v1']!;
  assert.equal((await hub.request('GET', serverRelativeURL)).json<{ info: { title: string } }>().info.title, 'Flavours');
  assert.ok(root.paths['apis/apps/v1']);
  const swagger = (await hub.request('GET', '/openapi/v2')).json<{ paths: object; definitions: object }>();
  assert.ok(flavours in swagger.paths && '/api/v1/nodes' in swagger.paths && !('/elsewhere' in swagger.paths));
  assert.ok('com.example.Flavour' in swagger.definitions && !('com.example.Unused' in swagger.definitions));
});

test('requests arrive with the identity of their sender, and with none he made up', async () => {
  server.seen.length = 0;
  const { code, text } = await hub.request(
    'POST',
    `${flavours}?fieldManager=me`,
    { kind: 'Flavour', metadata: { name: 'mint' } },
    {
      'content-type': 'application/json',
      'X-Remote-User': 'root',
      'X-Remote-Group': 'wheel',
      'X-Remote-Extra-Scopes': 'all',
      'X-Custom': 'kept',
    },
  );
  assert.deepEqual([code, JSON.parse(text)], [201, { kind: 'Flavour', metadata: { name: 'mint' } }]);
  const [seen] = server.seen;
  assert.deepEqual([seen?.method, seen?.url], ['POST', `${flavours}?fieldManager=me`]);
  assert.deepEqual(seen?.headers['x-remote-user'], ['kubernetes-admin']);
  assert.ok(seen?.headers['x-remote-group']?.join().includes('system:masters') && !seen.headers['x-remote-group'].join().includes('wheel'));
  assert.equal(seen?.headers['x-remote-extra-scopes'], undefined);
  assert.equal(seen?.headers['authorization'], undefined);
  assert.deepEqual(seen?.headers['x-custom'], ['kept']);
  assert.equal(seen?.peer, 'front-proxy-client');
});

test('who may not is stopped before the server hears of it', async () => {
  server.seen.length = 0;
  const { code, text } = await hub.request('GET', flavours, undefined, { 'Impersonate-User': 'jane' });
  assert.equal(code, 403);
  assert.match(text, /flavours.flavours.example.com is forbidden: User \\"jane\\" cannot list resource/);
  assert.ok(server.seen.every(seen => !seen.url.startsWith(flavours)));
});

test('reads and watches pass through', async () => {
  assert.equal((await hub.request('GET', `${flavours}/vanilla`)).json<{ kind: string }>().kind, 'Flavour');
  const stream = await hub.target.stream(`${flavours}?watch=true`);
  const [line] = await eventually(
    () => stream.lines,
    lines => lines.length > 0,
  );
  assert.equal((JSON.parse(line!) as { type: string }).type, 'ADDED');
  assert.equal(stream.isEnded, false);
  stream.close();
});

for (const [where, prefix] of Object.entries({
  'passes through': '',
  'passes through the hub as one of its members': '/k8s/clusters/local',
}))
  test(`a connection that leaves HTTP behind ${where}`, { timeout: 20_000 }, () => shout(prefix));

async function shout(prefix: string): Promise<void> {
  const { server: url, ca, certificate, key } = hub.target.credentials;
  const req = httpsRequest(`${url}${prefix}${flavours}/vanilla/taste`, {
    ...(ca && { ca }),
    ...(certificate && { cert: certificate }),
    ...(key && { key }),
    headers: { connection: 'Upgrade', upgrade: 'shout', 'X-Remote-User': 'root' },
  });
  req.end();
  const [answer, socket] = (await once(req, 'upgrade')) as [{ statusCode: number }, Duplex];
  assert.equal(answer.statusCode, 101);
  socket.write('mmh');
  let heard = '';
  for await (const chunk of socket) heard += String(chunk);
  assert.equal(heard, 'MMH');
  assert.deepEqual(server.seen.at(-1)?.headers['x-remote-user'], ['kubernetes-admin']);
}

test('a server that is gone makes its APIService unavailable, and only it', async () => {
  await server[Symbol.asyncDispose]();
  const { code } = await hub.request('GET', flavours);
  assert.equal(code, 503);
  assert.equal((await hub.request('GET', '/api/v1/namespaces')).code, 200);
  // A change of the service makes the hub look at once.
  await hub.request(
    'PATCH',
    '/api/v1/namespaces/default/services/flavours',
    { metadata: { labels: { a: 'b' } } },
    { 'content-type': 'application/merge-patch+json' },
  );
  const found = await eventually(availability, c => c?.status === 'False');
  assert.equal(found?.reason, 'FailedDiscoveryCheck');
  assert.match(found?.message ?? '', /failing or missing response from https:\/\/.*connection refused/);
  assert.equal((await hub.request('DELETE', ours)).code, 200);
  await eventually(
    async () => (await hub.request('GET', '/apis/flavours.example.com')).code,
    status => status === 404,
  );
});
