import { test } from 'node:test';
import { isAllowed, person, RancherObjectsInMemory, says, type Fields } from '../../../../test/helpers/rancher-world.ts';
import { everything, may, mayManage } from '../access/builtin-rule.ts';
import { ManagementCluster } from '../kinds/cluster.ts';
import { ClusterRoleTemplateBinding, GlobalRole, GlobalRoleBinding, RoleTemplate } from '../kinds/role.ts';
import { Token, User, UserAttribute } from '../kinds/user.ts';

const admin = person('u-admin');
const manager = person('u-manager');
const clerk = person('u-clerk');

function start(): RancherObjectsInMemory {
  const hub = new RancherObjectsInMemory();
  const roles = {
    'u-admin': everything,
    'u-manager': [mayManage(['*'], 'users')],
    'u-clerk': [mayManage(['get', 'create', 'update', 'delete'], 'users tokens userattributes')],
  };
  for (const [name, rules] of Object.entries(roles)) {
    hub.put(User, { name }, { username: name.slice(2), principalIds: [`local://${name}`] });
    hub.put(GlobalRole, { name: `${name}-role` }, { rules });
    hub.put(GlobalRoleBinding, { name }, { globalRoleName: `${name}-role`, userName: name });
  }
  hub.put(User, { name: 'u-plain' }, { username: 'plain', principalIds: ['local://u-plain'] });
  return hub;
}

const change = (hub: RancherObjectsInMemory, by: typeof admin, name: string, fields: Fields) => {
  const { apiVersion: _a, kind: _k, metadata: _m, ...old } = hub.get(User, { name })!;
  return hub.write(by, User, { name }, { ...old, ...fields });
};

test('nobody deletes or disables himself', async () => {
  const hub = start();
  says(await hub.remove(admin, User, { name: 'u-admin' }), 403, /delete yourself/);
  says(await change(hub, admin, 'u-admin', { enabled: false }), 403, /disable yourself/);
  isAllowed(await change(hub, admin, 'u-admin', { displayName: 'me' }));
  isAllowed(await change(hub, admin, 'u-plain', { enabled: false }));
  isAllowed(await hub.remove(admin, User, { name: 'u-plain' }));
});

test('the name to sign in with is unique and stays', async () => {
  const hub = start();
  says(await hub.write(admin, User, { name: 'u-2' }, { username: 'plain' }), 422, /username: Duplicate value: "plain"/);
  says(await change(hub, admin, 'u-plain', { username: 'other' }), 422, /username: Forbidden/);
  isAllowed(await hub.write(admin, User, { name: 'u-2' }, { username: 'second' }));
});

test('only the powerful, or those who manage users, change somebody', async () => {
  const hub = start();
  isAllowed(await change(hub, clerk, 'u-plain', { displayName: 'x' }));
  says(await change(hub, clerk, 'u-admin', { displayName: 'x' }), 403, /not currently held/);
  says(await hub.remove(clerk, User, { name: 'u-admin' }), 403, /not currently held/);
  isAllowed(await change(hub, manager, 'u-admin', { enabled: false }));
  hub.put(ManagementCluster, { name: 'c-aaaaa' }, { spec: {} });
  hub.put(RoleTemplate, { name: 't' }, { context: 'cluster', rules: [may(['get'], 'pods')] });
  hub.put(
    ClusterRoleTemplateBinding,
    { namespace: 'c-aaaaa', name: 'b' },
    { clusterName: 'c-aaaaa', roleTemplateName: 't', userName: 'u-plain' },
  );
  says(await change(hub, clerk, 'u-plain', { displayName: 'y' }), 403, /pods/);
});

test('managing users is not enough to become one of them', async () => {
  const hub = start();
  // By an update that changes nothing the hub asks whether a password may be set.
  says(await change(hub, manager, 'u-admin', {}), 403, /not currently held/);
  isAllowed(await change(hub, manager, 'u-plain', {}));
  says(await change(hub, manager, 'u-admin', { principalIds: ['local://u-admin', 'genericoidc_user://me'] }), 422, /principalIds/);
  says(await change(hub, manager, 'u-manager', { principalIds: ['genericoidc_user://boss'] }), 422, /principalIds/);
  says(await change(hub, admin, 'u-plain', { principalIds: ['local://u-admin'] }), 422, /another user/);
  isAllowed(await change(hub, admin, 'u-plain', { principalIds: ['local://u-plain', 'genericoidc_user://plain'] }));
});

test('a user whose name has rights already is made only by those who hold them', async () => {
  const hub = start();
  hub.delete(User, { name: 'u-admin' });
  says(await hub.write(clerk, User, { name: 'u-admin' }, { username: 'mine' }), 403, /not currently held/);
  isAllowed(await hub.write(clerk, User, { name: 'u-new' }, { username: 'mine' }));
});

test('groups of people come from providers', async () => {
  const hub = start();
  const groupPrincipals = { genericoidc: { items: [{ metadata: { name: 'genericoidc_group://admins' } }] } };
  says(await hub.write(clerk, UserAttribute, { name: 'u-clerk' }, { groupPrincipals }), 403, /not currently held/);
  isAllowed(await hub.write(admin, UserAttribute, { name: 'u-clerk' }, { groupPrincipals }));
});

test('nobody writes a token of somebody else, and nobody brings a key', async () => {
  const hub = start();
  const key = { name: 'token-1' };
  says(await hub.write(admin, Token, key, { userId: 'u-plain' }), 403, /only by its own user/);
  says(await hub.write(clerk, Token, key, { userId: 'u-clerk', token: '$3:1:a:b' }), 422, /token: Forbidden/);
  const stored = { userId: 'u-clerk', token: 'hash', ttl: 1000, description: 'a', authProvider: 'local' };
  hub.put(Token, key, stored);
  says(await hub.write(admin, Token, key, { ...stored, enabled: false }), 403, /only by its own user/);
  for (const fields of [{ ttl: 0 }, { token: 'mine' }, { authProvider: 'x' }, { clusterName: 'c' }, { lastUsedAt: '2026-01-01T00:00:00Z' }])
    says(await hub.write(clerk, Token, key, { ...stored, ...fields }), 422, /field is immutable/);
  says(await hub.write(clerk, Token, key, { ...stored, userId: 'u-admin' }), 403, /only by its own user/);
  says(await hub.write(clerk, Token, key, stored, { annotations: { 'drover.io/session-password': 'x' } }), 422, /field is immutable/);
  isAllowed(await hub.write(clerk, Token, key, { ...stored, description: 'b', enabled: false }));
});
