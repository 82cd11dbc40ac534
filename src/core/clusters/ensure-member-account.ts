import { setTimeout as sleep } from 'node:timers/promises';
import { ClusterRole, ClusterRoleBinding, Namespace, Secret, ServiceAccount } from '../../api/builtin-kinds.ts';
import { StatusError } from '../../api/status.ts';
import type { CallOptions, KubeClient } from '../../client/kube-client.ts';
import {
  bindingObject,
  isMadeByDrover,
  memberNamespace,
  memberNamespaceObject,
  roleName,
  roleObject,
  serviceAccountName,
  serviceAccountObject,
  tokenSecretObject,
} from './member-account.ts';

export interface MemberCredential {
  readonly token: string;
  /** The certificates that the member gives its own pods to trust the API server, PEM. */
  readonly ca: string | undefined;
}

const tokenWaitMs = 30_000;
const namespaceWaitMs = 30_000;
const pollMs = 200;

/** Makes the hub's account on a member, or completes one that was left half made, and answers its token. */
export async function ensureMemberAccount(member: KubeClient, id: string, call: CallOptions): Promise<MemberCredential> {
  const namespace = await ensureMemberNamespace(member, call);
  const role = await member.apply(ClusterRole, roleObject(id, namespace), call);
  await member.apply(ClusterRoleBinding, bindingObject(id, role), call);
  await member.apply(ServiceAccount, serviceAccountObject(id, role), call);
  await member.apply(Secret, tokenSecretObject(id, role), call);
  return waitForToken(member, id, call);
}

/** A namespace that is there already may belong to somebody else as well, so it is left as it is. */
async function ensureMemberNamespace(member: KubeClient, call: CallOptions): Promise<Namespace> {
  const key = { name: memberNamespace };
  for (const deadline = Date.now() + namespaceWaitMs; ; await sleep(pollMs, undefined, call.signal && { signal: call.signal })) {
    const present = await member.get(Namespace, key, call);
    if (present && present.metadata.deletionTimestamp === undefined) return present;
    if (!present) return createMemberNamespace(member, call);
    if (Date.now() < deadline) continue;
    throw new Error(`namespace "${memberNamespace}" is still being removed from the cluster; try again when it is gone`);
  }
}

async function createMemberNamespace(member: KubeClient, call: CallOptions): Promise<Namespace> {
  try {
    return await member.create(Namespace, memberNamespaceObject(), call);
  } catch (error) {
    const isThere = error instanceof StatusError && error.code === 409;
    const present = isThere ? await member.get(Namespace, { name: memberNamespace }, call) : undefined;
    if (!present) throw error;
    return present;
  }
}

async function waitForToken(member: KubeClient, id: string, call: CallOptions): Promise<MemberCredential> {
  const key = { namespace: memberNamespace, name: serviceAccountName(id) };
  for (const deadline = Date.now() + tokenWaitMs; Date.now() < deadline;) {
    const { data } = (await member.get(Secret, key, call)) ?? {};
    if (data?.token) return { token: decode(data.token), ca: data['ca.crt'] && decode(data['ca.crt']) };
    await sleep(pollMs, undefined, call.signal && { signal: call.signal });
  }
  throw new Error(
    `the cluster gave no token to service account "${key.namespace}/${key.name}" within ${tokenWaitMs / 1000} s; is its controller manager running?`,
  );
}

const decode = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');

/** Takes the account away with rights of somebody else, which do not end with it. */
export async function removeMemberAccount(member: KubeClient, id: string, call: CallOptions): Promise<void> {
  const isLast = await ownsNamespace(member, id, call);
  const name = serviceAccountName(id);
  await member.delete(Secret, { namespace: memberNamespace, name }, call);
  await member.delete(ServiceAccount, { namespace: memberNamespace, name }, call);
  await member.delete(ClusterRoleBinding, { name: roleName(id) }, call);
  await member.delete(ClusterRole, { name: roleName(id) }, call);
  if (isLast) await member.delete(Namespace, { name: memberNamespace }, call);
}

/** The account takes itself away. Nothing happens where there is none. */
export async function removeOwnAccount(member: KubeClient, id: string, call: CallOptions): Promise<void> {
  const role = await member.get(ClusterRole, { name: roleName(id) }, call);
  if (!role) return;
  const background = { ...call, propagationPolicy: 'Background' } as const;
  if (await ownsNamespace(member, id, call)) await member.delete(Namespace, { name: memberNamespace }, background);
  else await member.delete(ClusterRole, { name: roleName(id) }, background);
}

/** Whether the namespace was made for this account, and nobody else has moved in: another hub's account, or an agent. */
async function ownsNamespace(member: KubeClient, id: string, call: CallOptions): Promise<boolean> {
  const namespace = await member.get(Namespace, { name: memberNamespace }, call);
  if (!namespace || !isMadeByDrover(namespace)) return false;
  const { items } = await member.list(ServiceAccount, { ...call, namespace: memberNamespace });
  return items.every(({ metadata: { name } }) => name === 'default' || name === serviceAccountName(id));
}
