import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from '../../../api/cluster.ts';
import { withType } from '../../../api/define-kind.ts';
import { startAccessWorld, type AccessWorld } from '../../../../test/helpers/rancher-access-world.ts';
import { GlobalRoleBinding } from '../kinds/role.ts';
import { accessAnnotations } from './access-names.ts';

const anything = {
  isResource: true,
  verb: 'delete',
  group: '',
  version: '*',
  resource: 'nodes',
  subresource: '',
  namespace: '',
  name: 'n',
} as const;

async function startWithBoss(t: Parameters<typeof startAccessWorld>[0]): Promise<AccessWorld> {
  const world = await startAccessWorld(t);
  const binding = { metadata: { name: 'grb-boss' }, globalRoleName: 'admin', userName: 'user-boss' };
  await world.hub.client.create(GlobalRoleBinding, withType(GlobalRoleBinding, binding));
  await world.mayOnHub('user-boss', { verb: '*', resource: '*', group: '*' });
  return world;
}

const isMarked = async ({ hub }: AccessWorld) =>
  (await hub.client.get(Cluster, { name: 'east' }))?.metadata.annotations?.[accessAnnotations.entered] === 'true';

test('who is the first to go to a member finds their rights there', async t => {
  const world = await startWithBoss(t);

  await Promise.all([world.enter('user-boss'), world.enter('user-boss')]);

  assert.ok(world.member.api.authorizer.authorize({ name: 'user-boss', groups: [] }, anything).allowed);
});

test('who is not of Rancher leaves a member as it is', async t => {
  const world = await startWithBoss(t);

  await world.enter('system:admin', { groups: ['system:masters', 'system:authenticated'] });

  assert.equal(await isMarked(world), false);
});

test('nobody waits for a member that is away', async t => {
  const world = await startWithBoss(t);

  await world.enter('user-boss', { isAway: true });

  assert.equal(await isMarked(world), false);
});
