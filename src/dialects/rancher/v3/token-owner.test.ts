import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { everything, startRancherRig } from '../../../../test/helpers/rancher-rig.ts';
import { withType } from '../../../api/define-kind.ts';
import { AuthConfig, Token } from '../kinds/user.ts';

const newToken = { method: 'POST', body: { description: 'more' } } as const;
const kubeconfig = { method: 'POST', body: {} } as const;

test('what is made with a token ends with the provider by which its user had signed in', async t => {
  const rig = await startRancherRig(t);
  const { client } = rig.hub;
  await rig.addCluster('c-abcde', 'shop');
  const config = withType(AuthConfig, { metadata: { name: 'genericoidc' }, type: 'genericOIDCConfig', enabled: true });
  await client.create(AuthConfig, config);
  await eventually(() => rig.identity.objects.providers.get('genericoidc') !== undefined);
  const { user } = await rig.addPerson('jane', everything);
  const { bearer } = await rig.identity.tokens.issue({ user, kind: 'session', authProvider: 'genericoidc' });
  const made = await rig.ask('/v3/tokens', { as: { user, bearer }, ...newToken });
  assert.equal(made.status, 201);
  assert.equal((await rig.ask('/v3/clusters/c-abcde?action=generateKubeconfig', { as: { user, bearer }, ...kubeconfig })).status, 200);
  const derived = (await client.list(Token)).items.filter(({ isDerived }) => isDerived);
  assert.deepEqual(
    derived.map(({ authProvider }) => authProvider),
    ['genericoidc', 'genericoidc'],
  );
  await client.patch(AuthConfig, { name: 'genericoidc' }, { type: 'merge', body: { enabled: false } });
  await eventually(() => rig.identity.tokens.verify(String(made.body['token'])) === undefined);
});

test('a token for one cluster makes no others', async t => {
  const rig = await startRancherRig(t);
  await rig.addCluster('c-abcde', 'shop');
  const { user } = await rig.addPerson('jane', everything);
  const { bearer } = await rig.identity.tokens.issue({ user, kind: 'kubeconfig', clusterId: 'c-abcde' });
  const asked = await rig.ask('/v3/clusters/c-abcde?action=generateKubeconfig', { as: { user, bearer }, ...kubeconfig });
  assert.deepEqual([asked.status, asked.body['code']], [403, 'PermissionDenied']);
  assert.equal((await rig.ask('/v3/tokens', { as: { user, bearer }, ...newToken })).status, 401);
});

test('whoever speaks for another gets no token of theirs', async t => {
  const rig = await startRancherRig(t);
  const jane = await rig.addPerson('jane');
  const root = await rig.addPerson('root', everything);
  const headers = { 'impersonate-user': jane.user.metadata.name! };
  const asked = await rig.ask('/v3/tokens', { as: root, headers, ...newToken });
  assert.deepEqual([asked.status, asked.body['code']], [403, 'PermissionDenied']);
});
