import { isGateOver } from '../../../core/gates/gate-phase.ts';
import { durationMs } from '../../../util/duration.ts';
import type { FailureAction, FailureStrategy } from '../kinds/step.ts';
import { actionAfter, chooseStrategy, retryInterval, withinScope } from './choose-strategy.ts';
import { abortRun, failRun } from './end-run.ts';
import { beginRollback } from './begin-rollback.ts';
import { failureTypesOf, hasFailed, whyFailed } from './run-budgets.ts';
import { allClusters, clusterOf, stand, tell, titleOf, waveOf, type Draft } from './run-step.ts';
import type { PlacedStep } from './run-plan.ts';
import type { Failure, GateRecord, StepRecord } from './run-status.ts';
import { endRecord, retryRecord, say } from './step-records.ts';

interface Case {
  readonly strategy: FailureStrategy;
  readonly failure: Failure;
  readonly placed: PlacedStep | undefined;
  readonly record: StepRecord | undefined;
}

/** Does what the failure strategies say about a step, a gate or a wave that failed. Nothing is under way any more. */
export function failedStep(
  draft: Draft,
  placed: PlacedStep | undefined,
  record: StepRecord | undefined,
  types: readonly string[] | undefined,
): void {
  const failed = allClusters(draft).filter(id => hasFailed(draft, id));
  tellOfClusters(draft, failed, record);
  const failureTypes = types ?? (failed.length > 0 ? failureTypesOf(draft, failed) : [draft.engine.breach?.type ?? 'ApplicationError']);
  const strategy = chooseStrategy(failureTypes, placed, draft.spec.failureStrategies);
  const failure: Failure = draft.engine.breach ?? {
    type: failureTypes[0] ?? 'ApplicationError',
    reason: 'StepFailed',
    message: record?.message ?? `Step ${record?.name ?? ''} failed`,
  };
  if (record) record.failureType = failure.type;
  // A gate has no attempts.
  act(draft, actionAfter(strategy, record?.attempt ?? Infinity), { strategy, failure, placed, record });
}

/** Failures that the budget allows: what can be done about single clusters is done. True when the step is not over because of that. */
export function failedWithin(draft: Draft, placed: PlacedStep, record: StepRecord, failed: readonly string[]): boolean {
  tellOfClusters(draft, failed, record);
  const strategy = chooseStrategy(failureTypesOf(draft, failed), placed, draft.spec.failureStrategies);
  const action = actionAfter(strategy, record.attempt);
  if (action !== 'Retry' && action !== 'RollbackCluster' && action !== 'Ignore') return false;
  const failure: Failure = { type: failureTypesOf(draft, failed)[0]!, reason: 'StepFailed', message: `${failed.length} failed` };
  if (action === 'RollbackCluster') {
    beginRollback(draft, { failure, clusters: [...failed], ends: 'Running' });
    return true;
  }
  act(draft, action, { strategy, failure, placed, record });
  return action === 'Retry';
}

/** Takes one action, whoever chose it. */
export function act(draft: Draft, action: FailureAction, { strategy, failure, placed, record }: Case): void {
  const { engine } = draft;
  switch (action) {
    case 'Retry':
      return retry(draft, record, durationMs(retryInterval(strategy, record?.attempt ?? 1)));
    case 'Ignore':
      return ignore(draft, record);
    case 'Pause':
      engine.pause = { reason: failure.reason, message: failure.message, isKnown: false };
      return;
    case 'Abort':
      return abortRun(draft, failure);
    case 'ManualIntervention':
      return intervene(draft, strategy, record, failure);
    case 'RollbackPhase':
      return beginRollback(draft, { failure, ...(placed && { phases: [placed.phase.name] }), ends: 'Failed' });
    case 'RollbackWave':
      return beginRollback(draft, { failure, wave: presentWave(draft), ends: 'Failed' });
    case 'RollbackCluster':
      return beginRollback(draft, { failure, clusters: allClusters(draft).filter(id => hasFailed(draft, id)), ends: 'Failed' });
    case 'EndExecution':
      return beginRollback(draft, { failure, ends: 'Failed' });
    case 'RollbackWorkflow':
      return beginRollback(draft, { failure, ends: 'RolledBack' });
  }
}

const presentWave = ({ engine, status }: Draft): number => engine.leg % Math.max(1, status.waves?.length ?? 1);

/** The same step once more, on the clusters where it failed; without a step, the gates that were not passed. */
export function retry(draft: Draft, record: StepRecord | undefined, afterMs: number): void {
  delete draft.engine.breach;
  if (record) return retryRecord(draft, record, afterMs);
  if (gatesNow(draft).some(isBad)) return askAgain(draft);
  failRun(draft, { type: 'ApplicationError', reason: 'WaveFailed', message: 'there is no step that could be tried again' });
}

/** The step counts as done, also where it failed. */
export function ignore(draft: Draft, record: StepRecord | undefined): void {
  delete draft.engine.breach;
  for (const id of allClusters(draft)) {
    if (!hasFailed(draft, id)) continue;
    const isDone = clusterOf(draft, id).spec.grant?.isLast === true;
    stand(draft, id, { state: isDone ? 'Succeeded' : 'Pending', reason: 'FailureIgnored' });
  }
  if (!record) return passGates(draft);
  say(draft, record, [{ unit: 'Execute', level: 'WARN', message: `Step ${record.name} failed, which is ignored` }]);
  endRecord(draft, record, 'Succeeded', 'Failures are ignored');
}

const gatesNow = (draft: Draft): GateRecord[] => draft.status.waves?.[presentWave(draft)]?.gates ?? [];
const isBad = ({ phase }: GateRecord): boolean => isGateOver(phase) && phase !== 'Successful';

/** Gates of the present wave that failed count as passed. */
function passGates(draft: Draft): void {
  for (const gate of gatesNow(draft).filter(isBad))
    Object.assign(gate, { phase: 'Successful', message: `Ignored: ${gate.message ?? gate.phase}` });
}

/** Gates that were not passed are asked anew. */
export function askAgain({ engine, status }: Draft): void {
  engine.gateRound = (engine.gateRound ?? 0) + 1;
  for (const wave of status.waves ?? []) {
    if (!wave.gates?.some(isBad)) continue;
    wave.gates = wave.gates.filter(one => !isBad(one));
    if (wave.phase === 'Failed') wave.phase = 'Pending';
  }
}

const fourteenDays = '14d';

function intervene({ engine }: Draft, strategy: FailureStrategy, record: StepRecord | undefined, failure: Failure): void {
  const { manual = {} } = strategy;
  engine.breach ??= failure;
  // What was decided of one gate is not decided of the next.
  if (!record) engine.interventions = (engine.interventions ?? 0) + 1;
  engine.intervention = {
    place: record ? `manual/${record.id}` : `manual/wave/${engine.interventions}`,
    name: record?.name ?? 'wave',
    timeout: manual.timeout ?? fourteenDays,
    then: withinScope(strategy, manual.then ?? 'RollbackWorkflow'),
    ...(manual.groups && { groups: manual.groups }),
    ...(manual.users && { users: manual.users }),
  };
}

function tellOfClusters(draft: Draft, ids: readonly string[], record: StepRecord | undefined): void {
  for (const id of ids) {
    const name = titleOf(draft, id);
    const wave = waveOf(draft, id)?.name;
    tell(draft, {
      event: 'ClusterFailed',
      message: `Cluster ${name} failed: ${whyFailed(draft, id)}`,
      cluster: name,
      ...(wave !== undefined && { wave }),
      nonce: String(record?.id ?? 0),
    });
  }
}
