import { createHash } from 'node:crypto';
import { ConfigMap } from '../../../api/builtin-kinds.ts';
import { apiVersionOf } from '../../../api/object.ts';
import type { CallOptions, KubeClient } from '../../../client/kube-client.ts';
import { runController, settled, type RunningController } from '../../../runtime/controller.ts';
import { GlobalRoleBinding } from '../kinds/role.ts';
import { User } from '../kinds/user.ts';
import { identityLabels, passwordNamespace } from './identity-names.ts';
import { newSuffix } from './token-key.ts';
import { applyPassword, ensurePasswordNamespace } from './user-desk.ts';

const adminLabels = { [identityLabels.bootstrapping]: 'admin-user' };
/** Written last: says which password of the first administrator has been put into force. */
const marker = { namespace: passwordNamespace, name: 'admincreated' } as const;
const timeoutMs = 10_000;

/** Makes the first administrator of a hub, once. Each new password puts him back, enabled; nothing else does: what people change stays. */
export async function seedAdmin(hub: KubeClient, passwordHash: string, call: CallOptions): Promise<void> {
  const options = { timeoutMs, ...call };
  const password = createHash('sha256').update(passwordHash).digest('hex').slice(0, 16);
  if ((await hub.get(ConfigMap, marker, options))?.data?.['password'] === password) return;
  await ensurePasswordNamespace(hub);
  const user = await ensureAdminUser(hub, options);
  await applyPassword(hub, user, passwordHash);
  await ensureAdminBinding(hub, user, options);
  await hub.apply(ConfigMap, { metadata: marker, data: { password } }, { ...options, fieldManager: 'drover-admin' });
}

/** Whether a hub has had its first administrator, so that no password is made up for a second one. */
export async function hasSeededAdmin(hub: KubeClient, call: CallOptions): Promise<boolean> {
  return (await hub.get(ConfigMap, marker, { timeoutMs, ...call })) !== undefined;
}

async function ensureAdminUser(hub: KubeClient, call: CallOptions): Promise<User> {
  const labelSelector = Object.entries(adminLabels)
    .map(([key, value]) => `${key}=${value}`)
    .join();
  const [present] = (await hub.list(User, { ...call, labelSelector })).items;
  if (present && present.enabled !== false) return present;
  if (present) return hub.patch(User, { name: present.metadata.name! }, { type: 'merge', body: { enabled: true } }, call);
  const name = `user-${newSuffix()}`;
  const admin: User = {
    apiVersion: apiVersionOf(User),
    kind: User.kind,
    metadata: { name, labels: adminLabels },
    username: 'admin',
    displayName: 'Default Admin',
    enabled: true,
    mustChangePassword: false,
    principalIds: [`local://${name}`],
  };
  return hub.create(User, admin, call);
}

async function ensureAdminBinding(hub: KubeClient, user: User, call: CallOptions): Promise<void> {
  const { name: userName = '', uid = '' } = user.metadata;
  const name = `globalrolebinding-${userName}`;
  if (await hub.get(GlobalRoleBinding, { name }, call)) return;
  const ownerReferences = [{ apiVersion: apiVersionOf(User), kind: User.kind, name: userName, uid }];
  await hub.create(
    GlobalRoleBinding,
    {
      apiVersion: apiVersionOf(GlobalRoleBinding),
      kind: GlobalRoleBinding.kind,
      metadata: { name, labels: adminLabels, ownerReferences },
      globalRoleName: 'admin',
      userName,
    },
    call,
  );
}

/** Tries until it works: the hub answers without it meanwhile. */
export function runAdminSeed(deps: { hub: KubeClient; passwordHash: string; signal: AbortSignal }): RunningController {
  const { hub, passwordHash, signal } = deps;
  const controller = {
    name: 'rancher-admin',
    async reconcile(_key: string, { signal }: { signal: AbortSignal }) {
      await seedAdmin(hub, passwordHash, { signal });
      return settled;
    },
  };
  const running = runController(controller, { triggers: [], signal });
  running.add('admin');
  return running;
}
