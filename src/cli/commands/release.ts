import type { Command } from 'commander';
import { clusterConditions, Cluster } from '../../api/cluster.ts';
import { findCondition } from '../../api/conditions.ts';
import { Work, workAnnotations } from '../../api/work.ts';
import { dryRunMark, dryRunOption, type DryRun } from '../dry-run.ts';
import { CommandError, usageError } from '../exit-codes.ts';
import { connectToHub } from '../hub-client.ts';
import type { Terminal } from '../terminal.ts';
import { findWork } from '../works/find-work.ts';
import { addWorkOptions, parseOnlyWork, type WorkOptions } from '../works/work-argument.ts';

interface ReleaseOptions extends WorkOptions {
  dryRun: DryRun;
  force?: boolean;
}

const fieldManager = 'drover-release';

export function defineRelease(command: Command, terminal: Terminal): void {
  command
    .usage('[options] work/NAME --force')
    .argument('<work...>', 'which Work')
    .option('--force', 'leave on the member what the Work delivered, for one that is lost')
    .addOption(dryRunOption());
  addWorkOptions(command)
    .addHelpText(
      'after',
      '\nDeletes a Work without taking anything off its member: a Work whose member is lost\n' +
        'would wait for ever otherwise. What it delivered stays there, and nobody looks after\n' +
        'it any more. "drover unjoin --force" does the same with a whole cluster.',
    )
    .action((words: string[], options: ReleaseOptions) => release(words, options, terminal));
}

async function release(words: string[], options: ReleaseOptions, terminal: Terminal): Promise<void> {
  const name = parseOnlyWork(words);
  const { dryRun, force = false } = options;
  const { signal } = terminal;
  await using hub = await connectToHub(options, terminal);
  const { work, namespace, cluster } = await findWork(hub, { name, cluster: options.cluster, namespace: options.namespace }, terminal);
  const place = cluster === undefined ? 'its member' : `cluster ${JSON.stringify(cluster)}`;
  refuseIfWanted(work);
  if (!force)
    throw usageError(
      `what work ${JSON.stringify(name)} delivered would stay on ${place}, and nobody would look after it`,
      `"kubectl delete works -n ${namespace} ${name}" takes it off first; when the member is lost for good, say --force`,
    );
  const member = cluster === undefined ? undefined : await hub.client.get(Cluster, { name: cluster }, { signal });
  const count = work.status?.objects?.length ?? 0;
  terminal.err(
    `warning: ${count === 1 ? 'one object stays' : `${count} objects stay`} on ${place}, and nobody looks after them any more\n`,
  );
  if (findCondition(member, clusterConditions.connected)?.status === 'True')
    terminal.err(`${place} can be reached: "kubectl delete works -n ${namespace} ${name}" would have taken them off\n`);
  if (dryRun !== 'client') {
    const { uid } = work.metadata;
    const call = { signal, dryRun: dryRun === 'server' };
    const body = { metadata: { ...(uid !== undefined && { uid }), annotations: { [workAnnotations.forceRemoval]: 'true' } } };
    await hub.client.patch(Work, { namespace, name }, { type: 'merge', body }, { ...call, fieldManager });
    await hub.client.delete(Work, { namespace, name }, { ...call, ...(uid !== undefined && { preconditions: { uid } }) });
  }
  terminal.out(`work.drover.io/${name} released${dryRunMark(dryRun)}\n`);
}

/** Whoever made it would make it again. One that is going already is wanted by nobody. */
function refuseIfWanted({ metadata }: Work): void {
  const owner = metadata.annotations?.[workAnnotations.owner];
  if (owner === undefined || metadata.deletionTimestamp !== undefined) return;
  throw new CommandError(`work ${JSON.stringify(metadata.name)} belongs to ${owner}, which would make it again`, {
    hint: `delete that one, or "drover unjoin CLUSTER --force" for a cluster that is lost`,
  });
}
