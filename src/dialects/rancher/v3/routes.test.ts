import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everything, startRancherRig, type Answered } from '../../../../test/helpers/rancher-rig.ts';
import type { JsonObject } from '../../../util/json.ts';
import { Setting } from '../kinds/setting.ts';

const error = ({ body }: Answered) => [body['type'], body['status'], body['code'], body['message']];

test('what goes wrong is told in the words of Rancher', async t => {
  const rig = await startRancherRig(t);
  await rig.addCluster('c-abcde', 'shop');
  const as = await rig.addPerson('admin', everything);
  const asked: [path: string, method: string, ...expected: (string | number)[]][] = [
    ['/v3/nothing', 'GET', 404, 'NotFound', 'failed to find schema "nothing"'],
    ['/v3/clusters/c-12345', 'GET', 404, 'NotFound', 'failed to find resource by id'],
    ['/v3/clusters/c-abcde:x', 'GET', 404, 'NotFound', 'failed to find resource by id'],
    ['/v3/projects/Default', 'GET', 404, 'NotFound', 'failed to find resource by id'],
    ['/v3/clusters/a%2Fb', 'GET', 404, 'NotFound', 'failed to find resource by id'],
    ['/v3/clusters/c-abcde', 'PATCH', 405, 'MethodNotAllow', 'Method PATCH not supported'],
    ['/v3/clusters', 'PUT', 405, 'MethodNotAllow', 'Method PUT not supported'],
    ['/v3/settings/server-url', 'DELETE', 405, 'MethodNotAllow', 'Method DELETE not supported'],
    ['/v3/settings/cacerts', 'PUT', 405, 'MethodNotAllow', 'setting "cacerts" cannot be changed here'],
    ['/v3/clusters/c-abcde?action=backupEtcd', 'POST', 422, 'InvalidAction', 'Invalid action: backupEtcd'],
    ['/v3/clusters?action=toString', 'POST', 422, 'InvalidAction', 'Invalid action: toString'],
    ['/v3/clusters/%zz', 'GET', 422, 'InvalidFormat', 'the path contains a broken escape'],
    ['/v1-public/nothing', 'GET', 404, 'NotFound', 'failed to find schema "nothing/"'],
  ];
  for (const [path, method, ...expected] of asked)
    assert.deepEqual(
      error(await rig.ask(path, { as, method, ...(method === 'PUT' && { body: {} }) })),
      ['error', ...expected],
      `${method} ${path}`,
    );
  for (const path of ['/v3', '/v3/', '/v3/clusters', '/v3/schemas', '/v3/settings/server-url', '/v3/users?me=true']) {
    const answer = await rig.ask(path);
    assert.deepEqual(
      [answer.status, answer.body],
      [401, { type: 'error', baseType: 'error', status: 401, code: 'Unauthorized', message: 'must authenticate' }],
      path,
    );
  }
  const forged = await rig.ask('/v3/clusters', { headers: { authorization: 'Bearer token-abcde:nonsense' } });
  assert.deepEqual([forged.status, forged.body['message']], [401, 'must authenticate']);
});

test('some settings can be read by everybody and written by nobody without a login', async t => {
  const rig = await startRancherRig(t);
  for (const name of ['first-login', 'ui-pl', 'ui-banners']) assert.equal((await rig.ask(`/v3/settings/${name}`)).status, 200, name);
  const before = await rig.hub.client.get(Setting, { name: 'ui-pl' });
  for (const [path, method] of [
    ['/v3/settings/ui-pl?_method=PUT', 'GET'],
    ['/v3/settings/ui-pl', 'PUT'],
    ['/v3/settings/ui-pl?_method=GET', 'PUT'],
    ['/v3/settings/ui-pl?action=remove', 'POST'],
  ] as const) {
    const { status } = await rig.ask(path, { method, ...(method !== 'GET' && { body: { value: 'mine' } }) });
    assert.equal(status, method === 'GET' ? 200 : 401, path);
  }
  assert.deepEqual(await rig.hub.client.get(Setting, { name: 'ui-pl' }), before);
});

test('settings say what holds and where it comes from', async t => {
  const rig = await startRancherRig(t);
  const as = await rig.addPerson('admin', everything);
  const read = async (name: string) => {
    const { body } = await rig.ask(`/v3/settings/${name}`, { as });
    return [body['id'], body['value'], body['default'], body['customized'], body['source']];
  };
  assert.deepEqual(await read('password-min-length'), ['password-min-length', '12', '12', false, 'default']);
  const changed = await rig.ask('/v3/settings/password-min-length', { as, method: 'PUT', body: { value: '16' } });
  assert.deepEqual([changed.status, changed.body['value']], [200, '16']);
  assert.deepEqual(await read('password-min-length'), ['password-min-length', '16', '12', true, 'db']);
  await rig.ask('/v3/settings/password-min-length', { as, method: 'PUT', body: { value: '' } });
  assert.deepEqual(await read('password-min-length'), ['password-min-length', '12', '12', false, 'default']);
  const someone = await rig.addPerson('someone');
  assert.equal((await rig.ask('/v3/settings/password-min-length', { as: someone })).status, 404);
});

test('clients find every type from the root, and its schema', async t => {
  const rig = await startRancherRig(t);
  await rig.addCluster('c-abcde', 'shop');
  await rig.addProject('c-abcde', 'p-12345', 'Default');
  const as = await rig.addPerson('admin', everything);
  const root = await rig.ask('/v3', { as });
  assert.equal(root.headers.get('x-api-schemas'), `${rig.url}/v3/schemas`);
  assert.equal((root.body['links'] as JsonObject)['clusters'], `${rig.url}/v3/clusters`);
  const schemas = (await rig.ask('/v3/schemas', { as })).body['data'] as (JsonObject & { id: string; links: Record<string, string> })[];
  for (const id of 'cluster project node token setting user principal roleTemplate globalRole clusterRoleTemplateBinding projectRoleTemplateBinding clusterRegistrationToken generateKubeConfigOutput'.split(
    ' ',
  ))
    assert.ok(
      schemas.some(schema => schema.id === id),
      id,
    );
  const cluster = schemas.find(({ id }) => id === 'cluster')!;
  assert.deepEqual(
    [cluster['collectionMethods'], cluster['resourceMethods'], cluster.links['collection']],
    [['GET', 'POST'], ['GET', 'PUT', 'DELETE'], `${rig.url}/v3/clusters`],
  );
  assert.deepEqual((cluster['resourceActions'] as JsonObject)['generateKubeconfig'], { output: 'generateKubeConfigOutput' });
  assert.equal((await rig.ask('/v3/schemas/CLUSTERS', { as })).body['id'], 'cluster');
  for (const schema of schemas) {
    const url = schema.links['collection'];
    if (url !== undefined) assert.equal((await rig.ask(url.slice(rig.url.length), { as })).status, 200, url);
  }
  for (const [path, header] of [
    ['/v3/clusters/c-abcde', '/v3/cluster/c-abcde/schemas'],
    ['/v3/projects/c-abcde:p-12345', '/v3/project/c-abcde:p-12345/schemas'],
    ['/v3/clusters/', '/v3/schemas'],
  ] as const) {
    const answer = await rig.ask(path, { as });
    assert.deepEqual([answer.status, answer.headers.get('x-api-schemas')], [200, rig.url + header], path);
  }
});

test('answers are data and never a page, in JSON or in YAML', async t => {
  const rig = await startRancherRig(t);
  const evil = '<script>alert(1)</script>';
  await rig.addCluster('c-abcde', 'shop');
  await rig.addProject('c-abcde', 'p-12345', evil);
  const as = await rig.addPerson('admin', everything);
  const browser = { 'user-agent': 'Mozilla/5.0', accept: 'text/html,*/*' };
  const shown = await rig.ask('/v3/projects', { as, headers: browser });
  assert.deepEqual([shown.headers.get('content-type'), shown.headers.get('x-content-type-options')], ['application/json', 'nosniff']);
  const missing = await rig.ask(`/v3/${encodeURIComponent(evil)}`, { as, headers: browser });
  assert.deepEqual([missing.status, missing.headers.get('content-type')], [404, 'application/json']);
  for (const [path, accept] of [
    ['/v3/projects', 'application/yaml'],
    ['/v3/projects?_format=yaml', 'application/json'],
  ] as const) {
    const yaml = await rig.ask(path, { as, headers: { accept } });
    assert.equal(yaml.headers.get('content-type'), 'application/yaml');
    assert.match(yaml.text, /resourceType: project/);
  }
  const links = await rig.ask('/v3/clusters/c-abcde', { as, headers: { 'x-api-action-links': 'actionLinks' } });
  assert.ok(links.body['actionLinks'] && !links.body['actions']);
});

test('the version is public', async t => {
  const rig = await startRancherRig(t);
  const answer = await rig.ask('/rancherversion');
  assert.deepEqual([answer.status, answer.body], [200, { Version: 'v2.13.0', GitCommit: 'HEAD', RancherPrime: 'false' }]);
  assert.equal((await rig.ask('/rancherversion', { method: 'POST' })).status, 405);
});
