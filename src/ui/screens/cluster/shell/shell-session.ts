import { execWithLine, type ContainerAt } from '../../../data/exec.ts';
import { kinds, pathOf } from '../../../data/kinds.ts';
import { request } from '../../../data/request.ts';
import { containerName, kubeconfigLine, longestSeconds, shellPod, takeKubeconfig, type ShellWish } from './shell-pod.ts';

/** A pod and a token for one shell. Both are made with the rights of whoever is signed in, and both go when it ends. */
export interface ShellSession {
  readonly at: ContainerAt & { readonly namespace: string };
  /** Whether the cluster has taken the pod. */
  readonly begun: Promise<void>;
  /** Makes the token and brings it into the pod, which must run. Once, however often it is called; after a failure it can be tried again. */
  equip(): Promise<void>;
  end(): Promise<void>;
}

export function beginShell({ cluster, clusterId, wish }: { cluster: string; clusterId: string; wish: ShellWish }): ShellSession {
  const { namespace, name } = wish;
  const at = { cluster, namespace, name, container: containerName };
  let isOver = false;
  let tokenId: string | undefined;
  let equipped: Promise<void> | undefined;
  const begun = makePod();
  begun.catch(() => {});
  return { at, begun, equip: () => (equipped ??= equip().catch(startOver)), end };

  async function makePod(): Promise<void> {
    await request(pathOf(kinds.pod, { cluster, namespace }), { method: 'POST', body: shellPod(wish) });
    if (isOver) await removePod();
  }

  async function equip(): Promise<void> {
    const [server, authorities] = await Promise.all([settingOf('server-url'), settingOf('cacerts')]);
    const wanted = { type: 'token', ttl: longestSeconds * 1000, description: `Kubectl shell ${name}`, clusterId };
    const { id, token } = await request<{ id: string; token: string }>('/v3/tokens', { method: 'POST', body: wanted });
    tokenId = id;
    if (isOver) return removeToken();
    const way = { server: server || location.origin, authorities, cluster, clusterId, namespace };
    await execWithLine(at, takeKubeconfig, kubeconfigLine(way, token));
  }

  /** A token that did not arrive is not left behind. */
  async function startOver(failure: unknown): Promise<never> {
    await removeToken();
    equipped = undefined;
    throw failure;
  }

  async function end(): Promise<void> {
    if (isOver) return;
    isOver = true;
    await Promise.all([removeToken(), removePod()]);
  }

  /** What cannot be removed now ends by itself. */
  async function remove(path: string): Promise<void> {
    await request(path, { method: 'DELETE', isLastDeed: true }).catch(() => {});
  }

  async function removeToken(): Promise<void> {
    const id = tokenId;
    tokenId = undefined;
    if (id !== undefined) await remove(`/v3/tokens/${encodeURIComponent(id)}`);
  }

  function removePod(): Promise<void> {
    return remove(pathOf(kinds.pod, at));
  }
}

/** Empty for those who may not read it. */
export async function settingOf(name: string): Promise<string> {
  return request<{ value?: string }>(`/v3/settings/${name}`).then(
    ({ value = '' }) => value,
    () => '',
  );
}
