import { createHash } from 'node:crypto';
import type { Invitation } from '../../core/registration/import-cluster.ts';
import { agentNamespace } from '../../core/registration/agent-names.ts';
import { timestamp } from '../../util/timestamp.ts';

/** What a person needs to make a cluster a member. */
export interface InvitationWords {
  readonly name: string;
  readonly id: string;
  readonly url: string;
  readonly command: string;
  readonly insecureCommand: string;
  /** For an agent outside of the cluster. */
  readonly agentCommand: string;
  readonly token: string;
  readonly expiresAt: string;
}

export function invitationWords({ cluster, id, token, expiresAt }: Invitation, server: string, authorities: string): InvitationWords {
  const url = `${server}/v3/import/${token}_${id}.yaml`;
  const checksum = createHash('sha256').update(`${authorities.trimEnd()}\n`).digest('hex');
  return {
    name: cluster.metadata.name ?? '',
    id,
    url,
    command: `kubectl apply -f ${url}`,
    insecureCommand: `curl --insecure -sfL ${url} | kubectl apply -f -`,
    agentCommand: `drover agent --server ${server} --ca-checksum ${checksum} --token ${token}`,
    token,
    expiresAt: timestamp(expiresAt),
  };
}

export function invitationText({ name, id, command, insecureCommand, agentCommand, expiresAt }: InvitationWords): string {
  return [
    `Cluster "${name}" (${id}) waits for its agent. On the cluster, run:`,
    '',
    `  ${command}`,
    '',
    "or, where the hub's certificate is not known to kubectl and the network can be trusted:",
    '',
    `  ${insecureCommand}`,
    '',
    'or, outside of it and with a kubeconfig of the cluster:',
    '',
    `  ${agentCommand}`,
    '',
    `This works for one cluster, until ${expiresAt}. If it stays without an agent, look there: kubectl -n ${agentNamespace} get pods`,
    '',
  ].join('\n');
}
