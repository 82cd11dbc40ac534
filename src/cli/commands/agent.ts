import type { Command } from 'commander';
import { readSettings, type AgentFlags } from '../../agent/agent-settings.ts';
import { serveHealth } from '../../agent/health-server.ts';
import { openMember } from '../../agent/member-access.ts';
import { runAgent } from '../../agent/run-agent.ts';
import { log } from '../../runtime/log.ts';
import { parseCount } from '../option-values.ts';
import { startTracing } from '../start-tracing.ts';
import type { Terminal } from '../terminal.ts';
import { programVersion } from '../version.ts';

export function defineAgent(command: Command, terminal: Terminal): void {
  command
    .option('--server <url>', 'address of the hub (default: $CATTLE_SERVER)')
    .option('--token <token>', 'registration token, needed the first time')
    .option('--token-file <file>', 'file that holds the registration token')
    .option(
      '--ca-checksum <sha256>',
      "checksum of the hub's authorities; those of the system are trusted without it (default: $CATTLE_CA_CHECKSUM)",
    )
    .option('--kubeconfig <file>', 'kubeconfig of the cluster (default: the service account of the pod, else as kubectl)')
    .option('--context <name>', 'context of that kubeconfig (default: the current one)')
    .option('--state <dir>', 'where to keep the identity (default: a Secret in the cluster, or ~/.drover/agents outside of it)')
    .option('--health-port <port>', 'answer /healthz and /readyz on this port (default: on none)', parseCount)
    .addHelpText('after', '\nRuns until it is stopped. "drover import NAME" on the hub prints the token, the address and the checksum.')
    .action((flags: AgentFlags & { healthPort?: number }) => agent(flags, terminal));
}

async function agent({ healthPort, ...flags }: AgentFlags & { healthPort?: number }, terminal: Terminal): Promise<void> {
  const { signal } = terminal;
  const env = { ...terminal.env };
  const settings = readSettings(flags, env);
  // The identity is for this user only.
  process.umask(0o077);
  await using _traces = await startTracing(terminal, 'drover-agent');
  const member = await openMember(flags, env, signal);
  await using _target = member.target;
  await using health = healthPort === undefined ? undefined : await serveHealth(healthPort);
  const onChange = (isConnected: boolean) => {
    if (health) health.isConnected = isConnected;
  };
  const delivery = { member: member.client, blobs: member.blobs };
  const goodbye = await runAgent({ ...settings, ...member, delivery, env, agentVersion: programVersion(), onChange }, signal);
  if (goodbye === undefined) return;
  terminal.out(`The agent stops: ${goodbye}.\n`);
  await member.leave?.().catch((err: unknown) => log.warn('not everything that was imported is taken away', { err }));
}
