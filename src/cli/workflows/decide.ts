import { StatusError } from '../../api/status.ts';
import { ApprovalRequest, type Decision, type DecisionWord } from '../../dialects/workflows/kinds/approval-request.ts';
import type { JsonObject } from '../../util/json.ts';
import { dryRunMark, type DryRun } from '../dry-run.ts';
import { CommandError } from '../exit-codes.ts';
import { connectToHub, type HubConnection } from '../hub-client.ts';
import type { Terminal } from '../terminal.ts';
import { parseApproval, titleOf, type ChangeOptions } from './delivery-argument.ts';
import { findRun } from './find-run.ts';

export interface DecideOptions extends ChangeOptions {
  readonly comment?: string;
  readonly var?: Readonly<Record<string, string>>;
}

/** Not as the hub calls itself: where people have its credential, admission tells them apart by this. */
const fieldManager = 'cli-drover-approve';
const maxTries = 5;
const whatWaits = '"drover get approvalrequests -A" lists what waits for somebody';

/** Adds a decision to a request. Who decided and when is filled in by the hub. */
export async function decide(words: readonly string[], word: DecisionWord, options: DecideOptions, terminal: Terminal): Promise<void> {
  const named = parseApproval(words);
  const { signal } = terminal;
  await using hub = await connectToHub(options, terminal);
  const namespace = options.namespace ?? hub.namespace;
  const name =
    'request' in named ? named.request : await pendingOf(hub, (await findRun(hub, named.run, options, signal)).run.metadata, signal);
  const { comment, var: variables = {}, dryRun } = options;
  const decision: Decision = {
    decision: word,
    ...(comment !== undefined && { comment }),
    ...(Object.keys(variables).length > 0 && { variables }),
  };
  const { spec } = await append(hub, { namespace, name }, decision, { dryRun, signal });
  const needed = spec.minApprovals ?? 1;
  const given = new Set(spec.decisions?.filter(one => one.decision === 'Approve').map(one => one.user)).size;
  const note = word === 'Approve' && needed > 1 ? ` (${given} of ${needed})` : '';
  terminal.out(`${titleOf(ApprovalRequest, name)} ${doneWords[word] ?? 'decided'}${note}${dryRunMark(dryRun)}\n`);
}

const doneWords: Partial<Record<DecisionWord, string>> = { Approve: 'approved', Reject: 'rejected', RejectAndRollback: 'rejected' };

/** The one request that a run waits for. */
async function pendingOf(
  hub: HubConnection,
  run: { uid?: string; namespace?: string; name?: string },
  signal: AbortSignal,
): Promise<string> {
  const { items } = await hub.client.list(ApprovalRequest, { namespace: run.namespace!, signal });
  const pending = items.filter(one => one.spec.runRef.uid === run.uid && (one.status?.phase ?? 'Pending') === 'Pending');
  const names = pending.map(one => one.metadata.name!);
  if (names.length === 1) return names[0]!;
  if (names.length === 0) throw new CommandError(`run ${JSON.stringify(run.name)} waits for nobody`, { hint: whatWaits });
  throw new CommandError(`run ${JSON.stringify(run.name)} waits for ${names.length} decisions`, {
    hint: `name one of them: ${names.join(', ')}`,
  });
}

async function append(
  hub: HubConnection,
  key: { readonly namespace: string; readonly name: string },
  decision: Decision,
  { dryRun, signal }: { readonly dryRun: DryRun; readonly signal: AbortSignal },
): Promise<ApprovalRequest> {
  for (let tries = 1; ; tries++) {
    const request = await hub.client.get(ApprovalRequest, key, { signal });
    if (!request)
      throw new CommandError(`there is no request ${JSON.stringify(key.name)} in namespace ${JSON.stringify(key.namespace)}`, {
        hint: '"drover get approvalrequests" lists those there are',
      });
    checkOpen(request, decision);
    if (dryRun === 'client') return { ...request, spec: { ...request.spec, decisions: [...(request.spec.decisions ?? []), decision] } };
    try {
      const body = patchTo(request, decision);
      return await hub.client.patch(ApprovalRequest, key, { type: 'json', body }, { fieldManager, signal, dryRun: dryRun === 'server' });
    } catch (error) {
      if (tries >= maxTries || !(error instanceof StatusError) || error.code !== 409) throw error;
    }
  }
}

function checkOpen({ spec, status, metadata }: ApprovalRequest, { decision }: Decision): void {
  const phase = status?.phase ?? 'Pending';
  const name = JSON.stringify(metadata.name);
  if (phase !== 'Pending') throw new CommandError(`request ${name} is ${phase} already`, { hint: whatWaits });
  const choices = spec.choices ?? ['Approve', 'Reject', 'RejectAndRollback'];
  if (!choices.includes(decision))
    throw new CommandError(`request ${name} cannot be answered with ${decision}`, {
      hint: `choose with --decision: ${choices.join(', ')}`,
    });
}

/** Others may decide at the same time: theirs must not be lost. */
function patchTo({ metadata, spec }: ApprovalRequest, decision: Decision): JsonObject[] {
  const value = decision as unknown as JsonObject;
  return [
    { op: 'replace', path: '/metadata/resourceVersion', value: metadata.resourceVersion ?? '' },
    spec.decisions ? { op: 'add', path: '/spec/decisions/-', value } : { op: 'add', path: '/spec/decisions', value: [value] },
  ];
}
