import type { Settings } from '../clusters/settings.ts';
import type { TokenDesk } from '../identity/token-desk.ts';
import type { UserDesk } from '../identity/user-desk.ts';
import { writeYaml } from '../../../yaml/write-yaml.ts';
import type { JsonObject } from '../../../util/json.ts';
import { rancherUser, tokenOwner } from './rancher-user.ts';
import type { NormanContext } from './norman-context.ts';
import type { Entry, NormanAnswer } from './norman-type.ts';

export interface KubeconfigDeps {
  readonly settings: Settings;
  readonly tokens: TokenDesk;
  readonly users: UserDesk;
}

/** What `generateKubeconfig` gives: a way to the cluster through the hub, with a token of the caller that is good for this cluster alone. */
export async function generateKubeconfig(
  { settings, tokens, users }: KubeconfigDeps,
  ctx: NormanContext,
  cluster: Entry,
): Promise<NormanAnswer> {
  const user = rancherUser(users, ctx.caller);
  const name = String(cluster.fields()['name']);
  const way = { name, clusterId: cluster.id, base: ctx.base, authorities: settings.value('cacerts') };
  const credential =
    settings.value('kubeconfig-generate-token') === 'false'
      ? execCredential(ctx.base, user.username ?? user.metadata.name ?? '')
      : { token: await newToken() };
  const type = 'generateKubeConfigOutput';
  return { status: 200, body: { type, baseType: type, config: printRancherKubeconfig(way, credential) } };

  async function newToken(): Promise<string> {
    const owner = tokenOwner({ tokens, users }, ctx.caller);
    const wish = { ...owner, kind: 'kubeconfig', description: 'Kubeconfig token', clusterId: cluster.id, isDerived: true } as const;
    return (await tokens.issue(wish)).bearer;
  }
}

export interface ClusterWay {
  readonly name: string;
  readonly clusterId: string;
  readonly base: string;
  /** PEM; the system's when empty. */
  readonly authorities: string;
}

/** One cluster, one user: clients of Rancher take the first of each. */
export function printRancherKubeconfig({ name, clusterId, base, authorities }: ClusterWay, credential: JsonObject): string {
  const trust = authorities === '' ? {} : { 'certificate-authority-data': Buffer.from(authorities).toString('base64') };
  return writeYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: `${base}/k8s/clusters/${clusterId}`, ...trust } }],
    users: [{ name, user: credential }],
    contexts: [{ name, context: { user: name, cluster: name } }],
    'current-context': name,
  });
}

/** The `rancher` program asks for a token when kubectl needs one. */
function execCredential(base: string, username: string): JsonObject {
  return {
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      command: 'rancher',
      args: ['token', `--server=${new URL(base).host}`, `--user=${username}`],
    },
  };
}
