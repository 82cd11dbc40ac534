import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { startIdentityRig } from '../../../../test/helpers/identity-rig.ts';
import { GlobalRoleBinding } from '../kinds/role.ts';
import { User } from '../kinds/user.ts';
import { hashPassword } from './password-hash.ts';
import { hasSeededAdmin, seedAdmin } from './seed-admin.ts';

test('the first administrator is made once, and what people change about him stays', async t => {
  const { client, identity } = await startIdentityRig(t);
  const { users } = identity;
  assert.equal(await hasSeededAdmin(client, {}), false);
  const printed = await hashPassword('the printed password');
  await seedAdmin(client, printed, {});
  const admin = await eventually(() => users.find('admin'));
  const name = admin!.metadata.name!;
  assert.match(name, /^user-[a-z0-9]{5}$/);
  assert.equal(admin!.metadata.labels?.['authz.management.cattle.io/bootstrapping'], 'admin-user');
  const bindings = async () =>
    (await client.list(GlobalRoleBinding)).items.map(({ globalRoleName, userName }) => [globalRoleName, userName]);
  assert.deepEqual(await bindings(), [['admin', name]]);
  assert.equal(await hasSeededAdmin(client, {}), true);

  await users.changePassword(name, { currentPassword: 'the printed password', newPassword: 'chosen by the person' });
  await seedAdmin(client, printed, {});
  await users.signIn('admin', 'chosen by the person');
  assert.deepEqual(await bindings(), [['admin', name]]);

  await client.patch(User, { name }, { type: 'merge', body: { enabled: false } });
  await seedAdmin(client, await hashPassword('printed a second time'), {});
  await eventually(() => users.get(name)?.enabled === true);
  await users.signIn('admin', 'printed a second time');
  assert.equal((await client.list(User)).items.length, 1);
});

test('what was begun when the hub stopped is finished at the next start', async t => {
  const { client, identity } = await startIdentityRig(t);
  const printed = await hashPassword('the printed password');
  for (let writes = 0; ; writes++) {
    let left = writes;
    const failing = new Proxy(client, {
      get(target, name: keyof typeof client) {
        const call = target[name] as (...args: unknown[]) => Promise<unknown>;
        if (!['create', 'apply', 'patch'].includes(String(name))) return call;
        return async (...args: unknown[]) => {
          if (left-- <= 0) throw new Error('the hub stops');
          return call(...args);
        };
      },
    });
    const isDone = await seedAdmin(failing, printed, {}).then(
      () => true,
      () => false,
    );
    if (isDone) break;
  }
  await eventually(() => identity.users.find('admin'));
  await identity.users.signIn('admin', 'the printed password');
  assert.equal((await client.list(User)).items.length, 1);
  assert.equal((await client.list(GlobalRoleBinding)).items.length, 1);
});
