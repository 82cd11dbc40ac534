import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { newToken, tokenSecret } from '../../src/core/registration/registration-token.ts';
import { eventually } from './eventually.ts';
import type { Hub } from './hub.ts';
import { Program } from './program.ts';
import { repositoryRoot } from './rig.ts';

interface ClusterObject {
  readonly status?: {
    readonly id?: string;
    readonly conditions?: readonly { type: string; status: string; reason: string; message: string }[];
  };
}

export const clustersPath = '/apis/drover.io/v1alpha1/clusters';

/** Makes a Cluster that waits for its agent. Answers its id and a registration token. */
export async function addTunnelCluster(hub: Pick<Hub, 'request'>, name: string): Promise<{ id: string; token: string }> {
  const body = { apiVersion: 'drover.io/v1alpha1', kind: 'Cluster', metadata: { name }, spec: { connection: { mode: 'Tunnel' } } };
  await eventually(
    () => hub.request('POST', clustersPath, body),
    answer => answer.code === 201 || answer.code === 409,
    { timeoutMs: 60_000, what: 'new cluster' },
  );
  const id = await eventually(async () => (await readCluster(hub, name)).status?.id, Boolean, {
    timeoutMs: 60_000,
    what: 'id of the cluster',
  });
  await eventually(async () => (await hub.request('GET', `/api/v1/namespaces/${id}`)).code === 200, Boolean, { timeoutMs: 60_000 });
  const token = newToken();
  const secret = tokenSecret(token, { namespace: id!, expiresAt: new Date(Date.now() + 3_600_000) });
  const answer = await hub.request('POST', `/api/v1/namespaces/${id}/secrets`, secret);
  if (answer.code !== 201) throw new Error(`cannot make a registration token: ${answer.text}`);
  return { id: id!, token };
}

export async function readCluster(hub: Pick<Hub, 'request'>, name: string): Promise<ClusterObject> {
  return (await hub.request('GET', `${clustersPath}/${name}`)).json<ClusterObject>();
}

/** The condition's status and reason, such as "True Connected". */
export async function readCondition(hub: Hub, name: string, type: string): Promise<string> {
  const condition = (await readCluster(hub, name)).status?.conditions?.find(one => one.type === type);
  return condition ? `${condition.status} ${condition.reason}` : 'none';
}

/** What agents compare: SHA-256 of the hub's authority. */
export function authorityChecksum(hub: Hub): string {
  const pem = readFileSync(path.join(hub.dir, 'pki', 'ca.crt'), 'utf8');
  return createHash('sha256').update(`${pem.trimEnd()}\n`).digest('hex');
}

export interface AgentProgramOptions {
  readonly server: string;
  readonly checksum: string;
  /** Of the member. */
  readonly kubeconfig: string;
  readonly token: string;
  /** For its identity and its log. */
  readonly dir: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** `drover agent` as a process of its own. */
export function startAgentProgram({ server, checksum, kubeconfig, token, dir, env = {} }: AgentProgramOptions): Program {
  return new Program({
    name: 'drover agent',
    command: path.join(repositoryRoot, 'node_modules/.bin/node'),
    args: [
      path.join(repositoryRoot, 'bin/drover.js'),
      'agent',
      ...['--server', server, '--ca-checksum', checksum, '--kubeconfig', kubeconfig, '--token', token, '--state', path.join(dir, 'state')],
    ],
    logFile: path.join(dir, 'agent.log'),
    env,
    cwd: repositoryRoot,
  });
}
