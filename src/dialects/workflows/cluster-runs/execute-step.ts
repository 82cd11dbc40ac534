import type { Cluster } from '../../../api/cluster.ts';
import { Work } from '../../../api/work.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { UnreachableError } from '../../../client/transport.ts';
import type { Member } from '../../../core/delivery/member.ts';
import type { ObjectRef } from '../../../core/delivery/object-ref.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { durationMs } from '../../../util/duration.ts';
import { timestamp } from '../../../util/timestamp.ts';
import type { JsonObject } from '../../../util/json.ts';
import { runScope } from '../inputs/run-scope.ts';
import type { ClusterRun } from '../kinds/cluster-run.ts';
import type { RunInputs } from '../inputs/run-inputs.ts';
import type { LogLine } from '../logs/run-logs.ts';
import { scaleDownOld } from '../release/scale.ts';
import { endStep } from '../release/steps.ts';
import { unitLog } from '../release/step-log.ts';
import type { NextWork, StepState } from '../release/step.ts';
import type { SteadyState } from '../release/steady-state.ts';
import { computeBegin } from './begin-step.ts';
import { objectsOf, workNameOf, writeWork } from './held-work.ts';
import { lookAtWorkloads, readEvents, withDenials } from './look-at-workloads.ts';
import type { MemberSight } from './member-sight.ts';
import { overStatus, type ClusterRunStatus } from './next-cluster-run.ts';
import { explainTimeout, jobWords } from './pod-words.ts';
import { sayPreviewDrift } from './preview-drift.ts';
import { previewStep } from './preview-step.ts';
import { renderWith } from './render-with.ts';
import type { StepContext } from './step-context.ts';
import { readStepInput } from './step-input.ts';
import { releasePods } from './release-pods.ts';
import { deploys, failedUnit, hasApplyUnit, memberStepOf } from './step-types.ts';
import type { StepVoice } from './step-voice.ts';
import { halfOf, markOf } from './work-mark.ts';

export interface StepDeps {
  readonly hub: KubeClient;
  /** With `clusterIndexes`. */
  readonly clusters: Informer<Cluster>;
  readonly sight: MemberSight;
  readonly inputs: RunInputs;
  readonly voice: StepVoice;
  /** Whether what a Work holds is a step of another run that is not over. */
  isTaken(work: Work, runUid: string): boolean;
}

/** A step while it is executed. */
export interface Execution {
  readonly context: StepContext;
  readonly spec: ClusterRun['spec'];
  readonly status: ClusterRunStatus;
  /** By the expression that gives them. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly now: Date;
  readonly signal: AbortSignal;
  /** Must be done before anything that depends on it. */
  write(status: ClusterRunStatus): Promise<void>;
}

export function stepExecutor({ hub, clusters, sight, inputs, voice, isTaken }: StepDeps) {
  return { begin, look, conclude, end, scaleDown };

  /** The first half. Answers the Work when there is one to follow; 'taken' when another run must end its step first. */
  async function begin(execution: Execution): Promise<Work | undefined | 'taken'> {
    const { context, spec, status, secrets, now, signal } = execution;
    const work = await freshWork(context, signal);
    if (halfOf(work, context.run.uid, context.grant.id)) return work;
    if (work && context.grant.type !== 'Preview' && isTaken(work, context.run.uid)) return 'taken';
    const member = openMember(context, work);
    const sources = { hub, member, work, signal, inputs };
    if (context.grant.type === 'Preview') {
      const { lines, ...preview } = await previewStep(context, secrets, sources);
      voice.begin(context, lines);
      await execution.write({ ...overStatus({ spec, status, now }, { status: 'Succeeded' }), preview });
      return undefined;
    }
    const isFirst = deploys.has(context.grant.type) && status.releaseNumber === undefined;
    if (isFirst && member) voice.begin(context, await sayPreviewDrift(hub, member, context, signal));
    const begun = await computeBegin(context, stateOf(status), secrets, sources);
    voice.begin(context, begun.lines);
    if (begun.outcome === 'failed') {
      const { failureType, message } = begun;
      await execution.write(overStatus({ spec, status, now }, { status: 'Failed', failureType, message }));
      return undefined;
    }
    if (begun.outcome === 'over') {
      const over = overStatus(
        { spec, status, now },
        { status: begun.status, ...(begun.message !== undefined && { message: begun.message }) },
      );
      await execution.write(withEffects(over, { status: begun.state, outputs: begun.outputs }));
      return undefined;
    }
    const { next, awaits } = begun;
    const checkpoint = { grant: context.grant.id, half: 'begin' as const, at: timestamp(now), awaits: awaits.map(ref => ({ ...ref })) };
    await execution.write({ ...withEffects(status, next), checkpoint });
    return writeWork(hub, work, { ...next, half: 'begin', sync: 'Continuous', checkFirst: member === undefined }, context, { signal });
  }

  /** How what the step waits for is. */
  async function look({ context, status, now, signal }: Execution, work: Work): Promise<SteadyState[]> {
    const refs = awaitsOf(status);
    await sayApplied(context, work, signal);
    const { labelPrefix } = context.settings;
    const from = { work, labelPrefix, manager: context.spec.apply?.fieldManager, signal };
    let member: Member | undefined;
    let seen: SteadyState[];
    try {
      member = sight.open(context.cluster.id);
      seen = await lookAtWorkloads(refs, { ...from, member });
    } catch {
      // A member that does not answer is as its Work reports it, also when the time of the step is over.
      signal.throwIfAborted();
      member = undefined;
      seen = await lookAtWorkloads(refs, { ...from, member });
    }
    const since = new Date(status.step?.startedAt ?? now);
    const events = member ? await readEvents(member, refs, since, signal).catch(() => []) : [];
    seen = withDenials(refs, seen, events);
    voice.progress(context, seen, events);
    if (member && refs.some(({ kind }) => kind === 'Job')) voice.add(context, await sayJobs(context, refs, signal));
    return seen;
  }

  /** Says what the wait has come to, before that is written. */
  async function conclude({ context, status, signal }: Execution, next: ClusterRunStatus, work: Work): Promise<void> {
    const { result, message = '' } = next.checkpoint!;
    const refs = awaitsOf(status);
    const log = unitLog('Wait for Steady State');
    if (result === 'Succeeded') {
      if (refs.length === 0) return sayApplied(context, work, signal);
      return voice.add(context, [...(await sayJobs(context, refs, signal)), ...log.done().lines]);
    }
    if (refs.length === 0) return voice.add(context, failedUnit(context.grant.type, message));
    voice.add(context, [
      ...(await sayJobs(context, refs, signal)),
      ...(result === 'TimedOut' ? await ifAnswered(context, signal, member => explainTimeout(member, refs, signal)) : []),
      ...log.error(message).failed().lines,
    ]);
  }

  function sayJobs(context: StepContext, refs: readonly ObjectRef[], signal: AbortSignal): Promise<readonly LogLine[]> {
    return ifAnswered(context, signal, member => jobWords(member, refs, signal, voice.heard(context)));
  }

  /** Words that only add to what is known. */
  async function ifAnswered(
    { cluster }: StepContext,
    signal: AbortSignal,
    ask: (member: Member) => Promise<readonly LogLine[]>,
  ): Promise<readonly LogLine[]> {
    try {
      return await ask(sight.open(cluster.id));
    } catch {
      signal.throwIfAborted();
      return [];
    }
  }

  async function sayApplied(context: StepContext, work: Work, signal: AbortSignal): Promise<void> {
    if (hasApplyUnit.has(context.grant.type)) voice.applied(context, await objectsOf(hub, work, signal));
  }

  /** The second half. */
  async function end(execution: Execution): Promise<Work> {
    const { context, status, secrets, now, signal } = execution;
    const { grant, run, snapshot } = context;
    const work = await freshWork(context, signal);
    if (!work) throw new Error(`the Work of release "${context.release.name}" is gone`);
    if (halfOf(work, run.uid, grant.id) === 'end') return work;
    const type = memberStepOf(grant.type)!;
    const isSteady = status.checkpoint?.result === 'Succeeded';
    const given = renderWith(
      (grant.with ?? {}) as JsonObject,
      runScope(snapshot, { ...context.facts, cluster: context.cluster, secrets: secrets }),
    );
    const compute = async (member: Member | undefined): Promise<NextWork> => {
      const input = await readStepInput(type, context, { with: given, objects: [] }, stateOf(status), { hub, member, work, signal });
      const pods = isSteady && member && deploys.has(type) ? { pods: await releasePods(member, context, status, signal) } : {};
      return endStep(type, { ...input, ...pods }, isSteady ? 'steady' : 'failed');
    };
    const next = await withMember(context, compute);
    voice.add(context, next.lines);
    await execution.write({ ...withEffects(status, next), ...scaleDownTime(context, given, now) });
    const sync = isSteady && grant.isLast === true ? syncOf(context) : 'Continuous';
    return writeWork(hub, work, { ...next, half: 'end', sync, checkFirst: false }, context, { signal });
  }

  /** Sends the pods to sleep that production has left. */
  async function scaleDown({ context, status, signal }: Pick<Execution, 'context' | 'status' | 'signal'>): Promise<void> {
    const work = await freshWork(context, signal);
    // Whatever came after the swap has other plans.
    if (!work || markOf(work)?.runUid !== context.run.uid) return;
    const rendered = { with: {}, objects: [] };
    const input = await readStepInput('SwapServices', context, rendered, stateOf(status), { hub, member: undefined, work, signal });
    const next = scaleDownOld(input);
    voice.add(context, next.lines);
    await writeWork(hub, work, { ...next, half: 'end', sync: work.spec.sync ?? 'Continuous', checkFirst: false }, context, { signal });
  }

  /** What a member would add at the end is not worth waiting for one that cannot be asked. */
  async function withMember<T>(context: StepContext, deed: (member: Member | undefined) => Promise<T>): Promise<T> {
    try {
      return await deed(sight.open(context.cluster.id));
    } catch (error) {
      if (error instanceof UnreachableError) return deed(undefined);
      throw error;
    }
  }

  function freshWork({ cluster, release }: StepContext, signal: AbortSignal): Promise<Work | undefined> {
    return hub.get(Work, { namespace: cluster.id, name: workNameOf(release) }, { signal });
  }

  /** Members that only pull tell by their Work what they have; all others are asked. */
  function openMember({ cluster }: StepContext, work: Work | undefined): Member | undefined {
    try {
      return sight.open(cluster.id);
    } catch (error) {
      const [known] = clusters.by('id', cluster.id);
      if (error instanceof UnreachableError && work && known?.spec.connection.mode === 'Tunnel') return undefined;
      throw error;
    }
  }
}

const awaitsOf = ({ checkpoint }: ClusterRunStatus): ObjectRef[] => (checkpoint?.awaits ?? []) as unknown as ObjectRef[];

export const stateOf = ({ releaseNumber, previousRelease, canary, blueGreen, exchange, outputs }: ClusterRunStatus): StepState => ({
  ...(releaseNumber !== undefined && { releaseNumber }),
  ...(previousRelease !== undefined && { previousRelease }),
  ...(canary && { canary }),
  ...(blueGreen && { blueGreen }),
  ...(exchange && { exchange }),
  ...(outputs && { outputs }),
});

const withEffects = (status: ClusterRunStatus, { status: state, outputs }: Pick<NextWork, 'status' | 'outputs'>): ClusterRunStatus => ({
  ...status,
  ...(state as Partial<ClusterRunStatus>),
  ...((status.outputs ?? Object.keys(outputs).length > 0) && { outputs: { ...status.outputs, ...outputs } }),
});

/** When the color that production has left is not needed any more. Whoever goes back needs it. */
function scaleDownTime({ grant }: StepContext, given: JsonObject, now: Date): Pick<ClusterRunStatus, 'scaleDownAt'> {
  if (grant.type !== 'SwapServices') return {};
  const { scaleDownOld } = given as { scaleDownOld?: { after?: string } };
  if (grant.isRollback === true || !scaleDownOld) return {};
  return { scaleDownAt: timestamp(new Date(now.getTime() + durationMs(scaleDownOld.after ?? '10m'))) };
}

function syncOf({ spec }: StepContext): NonNullable<Work['spec']['sync']> {
  if (spec.drift?.mode === 'Detect') return 'DetectDrift';
  return spec.drift?.mode === 'Correct' ? 'CorrectDrift' : 'Continuous';
}
