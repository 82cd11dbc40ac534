import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret } from '../api/builtin-kinds.ts';
import { Cluster } from '../api/cluster.ts';
import { inProcessTransport } from '../apiserver/http/in-process-transport.ts';
import { agentGroup, agentUser } from '../tunnel/protocol.ts';
import { eventually } from '../../test/helpers/eventually.ts';
import { startGatewayRig, type GatewayRig } from '../../test/helpers/gateway-rig.ts';

const verbs = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
  'impersonate',
  'escalate',
  'bind',
  'approve',
];
const reading = ['get', 'list', 'watch'];
const reporting = ['get', 'update', 'patch'];

interface Wanted {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** What the agent of "east" may do, as a person would say it. */
function isExpected({ verb, group, resource, subresource, namespace, name }: Wanted, id: string): boolean {
  if (group === 'authentication.k8s.io' && resource === 'selfsubjectreviews') return verb === 'create' && subresource === '';
  if (group === 'authorization.k8s.io' && /^self/.test(resource)) return verb === 'create' && subresource === '';
  if (group === 'events.k8s.io' && resource === 'events') return verb === 'create' && subresource === '' && namespace === id;
  if (group !== Cluster.group) return false;
  if (resource === 'contents') return verb === 'get' && subresource === '';
  if (resource === 'clusters' && name === 'east')
    return subresource === '' ? verb === 'get' : subresource === 'status' && reporting.includes(verb);
  if (resource === 'works' && namespace === id)
    return subresource === '' ? reading.includes(verb) : subresource === 'status' && reporting.includes(verb);
  return false;
}

/** Every kind the server has, and those of deliveries. */
function resourcesOf(rig: GatewayRig) {
  const known = rig.api.cluster.catalog.all().map(({ group, resource, namespaced }) => ({ group, resource, namespaced }));
  return [
    ...known,
    { group: Cluster.group, resource: 'works', namespaced: true },
    { group: Cluster.group, resource: 'contents', namespaced: false },
  ];
}

test('an agent may do what its own cluster needs, and nothing else: every kind, verb, place and name', async t => {
  const rig = await startGatewayRig(t);
  const [east, west] = [await rig.addCluster('east'), await rig.addCluster('west')];
  for (const id of [east, west]) assert.equal((await rig.register(await rig.addToken(id), { clusterUid: `uid-${id}` })).status, 201);
  const user = { name: agentUser(east), groups: [agentGroup, 'system:authenticated'] };
  let asked = 0;
  for (const { group, resource, namespaced } of resourcesOf(rig))
    for (const subresource of ['', 'status', 'token', 'exec', 'proxy', 'approval', 'scale'])
      for (const namespace of namespaced ? ['', east, west, 'default', 'kube-system'] : [''])
        for (const name of ['', 'east', 'west', east, west, 'agent-identity', '*'])
          for (const verb of verbs) {
            const wanted = { verb, group, resource, subresource, namespace, name };
            const { allowed } = rig.api.authorizer.authorize(user, { isResource: true, version: 'v1', ...wanted });
            assert.equal(allowed, isExpected(wanted, east), JSON.stringify(wanted));
            asked++;
          }
  assert.ok(asked > 50_000, `${asked} questions`);
  const paths = ['/', '/metrics', '/logs/', '/debug/pprof', '/apis/*', '/k8s/clusters/west'];
  for (const path of paths)
    assert.equal(rig.api.authorizer.authorize(user, { isResource: false, verb: 'post', path }).allowed, false, path);
});

/** Everything that is open to every user of a Kubernetes API. */
const isForEverybody = (path: string) =>
  /^\/(api|apis|version|openapi|livez|readyz|healthz)(\/|$)/.test(path) && !/\/namespaces\/|\/clusters/.test(path);

test('no request of an agent is answered with more than that', { timeout: 120_000 }, async t => {
  const rig = await startGatewayRig(t);
  const [east, west] = [await rig.addCluster('east'), await rig.addCluster('west')];
  for (const id of [east, west]) assert.equal((await rig.register(await rig.addToken(id), { clusterUid: `uid-${id}` })).status, 201);
  const user = { name: agentUser(east), groups: [agentGroup, 'system:authenticated'] };
  const transport = inProcessTransport(rig.api.handlerAs(user));
  t.after(() => transport[Symbol.asyncDispose]());
  const unexpected: string[] = [];
  let asked = 0;
  const ask = async (method: string, path: string, isRight: boolean) => {
    const hasBody = method !== 'GET' && method !== 'DELETE';
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answer = await transport.request({ method, path, ...(hasBody && { headers: { 'content-type': type }, body: '{}' }) });
    answer.body.destroy();
    asked++;
    if (answer.status < 300 && !isRight) unexpected.push(`${method} ${path}: ${answer.status}`);
  };
  for (const { group, version, resource, namespaced } of rig.api.cluster.catalog.all()) {
    if (/^self/.test(resource)) continue;
    const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    for (const scope of namespaced ? ['', `/namespaces/${east}`, `/namespaces/${west}`, '/namespaces/kube-system'] : ['']) {
      const list = `${root}${scope}/${resource}`;
      for (const method of ['GET', 'POST', 'DELETE']) await ask(method, list, false);
      for (const name of ['east', 'west', 'agent-identity'])
        for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'])
          for (const subresource of resource === 'clusters' ? ['', '/status'] : ['']) {
            const isOwn = resource === 'clusters' && name === 'east' && (method === 'GET' || (subresource !== '' && method !== 'DELETE'));
            await ask(method, `${list}/${name}${subresource}`, isOwn);
          }
    }
  }
  for (const path of ['/', '/metrics', '/logs', '/api', '/version']) await ask('GET', path, isForEverybody(path));
  assert.deepEqual(unexpected, []);
  assert.ok(asked > 1500, `${asked} requests`);
});

test('an agent that was removed with its cluster may do nothing any more', async t => {
  const rig = await startGatewayRig(t);
  const id = await rig.addCluster('east');
  await rig.register(await rig.addToken(id));
  const user = { name: agentUser(id), groups: [agentGroup, 'system:authenticated'] };
  const may = () =>
    rig.api.authorizer.authorize(user, {
      isResource: true,
      verb: 'get',
      group: Cluster.group,
      version: 'v1alpha1',
      resource: 'clusters',
      subresource: '',
      namespace: '',
      name: 'east',
    }).allowed;
  assert.ok(may());
  await rig.client.delete(Cluster, { name: 'east' });
  // The garbage collector takes the roles with their owner.
  await eventually(() => !may());
});

test('nobody but the hub reads registration tokens', async t => {
  const rig = await startGatewayRig(t);
  const id = await rig.addCluster('east');
  await rig.addToken(id);
  const [secret] = (await rig.client.list(Secret, { namespace: id })).items;
  const res = await rig.fetch(`/api/v1/namespaces/${id}/secrets/${secret!.metadata.name}`);
  assert.equal(res.status, 403);
});
