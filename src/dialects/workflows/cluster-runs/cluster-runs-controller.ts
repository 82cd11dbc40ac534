import type { Cluster } from '../../../api/cluster.ts';
import type { Work } from '../../../api/work.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import type { MemberDirectory } from '../../../core/clusters/member-directory.ts';
import {
  changesOf,
  knownFirst,
  requeue,
  runController,
  settled,
  type Context,
  type Outcome,
  type RunningController,
} from '../../../runtime/controller.ts';
import { clockJumps } from '../../../runtime/clock-jumps.ts';
import { failpoint } from '../../../runtime/failpoint.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { keyOf, splitKey, type Key } from '../../../runtime/key.ts';
import type { RunInputs } from '../inputs/run-inputs.ts';
import { ClusterRun } from '../kinds/cluster-run.ts';
import { isTerminal, type WorkflowRun } from '../kinds/workflow-run.ts';
import { hideSecrets, type Hide } from '../logs/hide-secrets.ts';
import type { RunLogs } from '../logs/run-logs.ts';
import { deliveryAnnotations } from '../names.ts';
import type { Herald } from '../notifications/herald.ts';
import { isInFlight } from '../runs/cluster-grant.ts';
import { hideAll, hideInWords } from '../runs/hide-in-status.ts';
import type { RunSecrets } from '../runs/run-secrets.ts';
import { withClusterReadiness } from './cluster-readiness.ts';
import { deliveryOf } from './delivery-of-work.ts';
import { stepExecutor, type Execution } from './execute-step.ts';
import { fieldManager, workNameOf } from './held-work.ts';
import { memberSight } from './member-sight.ts';
import { nextClusterRun, troubled, withPhase, type ClusterRunInput, type ClusterRunStatus } from './next-cluster-run.ts';
import { isDrifted, releasedClusterWatch } from './watch-released.ts';
import { contextOf, type StepContext } from './step-context.ts';
import { StepVoice } from './step-voice.ts';
import { troubleOf } from './step-trouble.ts';
import { halfOf, markOf } from './work-mark.ts';
import type { SteadyState } from '../release/steady-state.ts';
import { unitLog } from '../release/step-log.ts';

export interface ClusterRunsDeps {
  readonly hub: KubeClient;
  readonly runs: Informer<WorkflowRun>;
  /** With `clusterRunIndexes`. */
  readonly clusterRuns: Informer<ClusterRun>;
  readonly works: Informer<Work>;
  /** With `clusterIndexes`. */
  readonly clusters: Informer<Cluster>;
  readonly members: Pick<MemberDirectory, 'client' | 'synced'>;
  readonly inputs: RunInputs;
  readonly logs: RunLogs;
  readonly secrets: RunSecrets;
  readonly herald: Herald;
  readonly signal: AbortSignal;
  now?(): Date;
  /** Milliseconds of a clock that nobody sets. */
  steadyMs?(): number;
}

/** Most of them wait for hub and member to answer. */
const concurrency = 64;
/** How often it is looked whether another run has ended its step. */
const takenMs = 1_000;

/** Executes what runs have granted to clusters. Of a ClusterRun it writes the status and nothing else; members change only by their Works. */
export function runClusterRuns(deps: ClusterRunsDeps): RunningController[] {
  const { hub, runs, clusterRuns, works, clusters, members, inputs, logs, secrets, herald, signal, now = () => new Date() } = deps;
  const hubSince = now();
  const jumps = clockJumps({ now, ...(deps.steadyMs && { steadyMs: deps.steadyMs }) });
  const voice = new StepVoice(logs);
  const sight = memberSight({ clusters, members, signal });
  const executor = stepExecutor({ hub, clusters, sight, inputs, voice, isTaken });
  const watchReleased = releasedClusterWatch({ works, sight, executor, herald, write });
  const byWork = (work: Work): Key[] => {
    const key = work.metadata.annotations?.[deliveryAnnotations.clusterRun];
    return key === undefined ? [] : [key];
  };
  const byRun = (run: WorkflowRun): Key[] => clusterRuns.by('run', keyOf(run)).map(keyOf);
  return [
    runController(
      { name: 'cluster-run', reconcile },
      {
        triggers: [
          changesOf(clusterRuns, undefined, ({ spec, metadata }) => [spec, metadata.deletionTimestamp]),
          changesOf(works, byWork, ({ status, metadata }) => [metadata.annotations, metadata.generation, status]),
          changesOf(runs, byRun, ({ status }) => [status?.snapshot === undefined, soakingWaves(status)]),
          knownFirst(clusters, members),
        ],
        signal,
        concurrency,
        firstDelayMs: 200,
        maxDelayMs: 10_000,
        now,
      },
    ),
  ];

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const known = clusterRuns.get(key);
    if (!known || known.metadata.deletionTimestamp !== undefined) {
      voice.forget(key);
      jumps.forget(key);
      return settled;
    }
    const run = runs.get(`${known.metadata.namespace}/${known.spec.runRef.name}`);
    if (!run || run.metadata.uid !== known.spec.runRef.uid) return settled;
    if (isPast(known, run)) return settled;
    // What this process wrote itself may not have been heard yet.
    const clusterRun = await hub.get(ClusterRun, splitKey(key), { signal: ctx.signal });
    if (!clusterRun || clusterRun.metadata.uid !== known.metadata.uid) return settled;
    const [cluster] = clusters.by('id', clusterRun.spec.cluster.id);
    const context = contextOf(run, clusterRun, cluster);
    if (!context) return settlePhase(clusterRun, ctx);
    return drive(clusterRun, run, context, ctx);
  }

  /** Most of them are of runs that are over, and of clusters that other runs have changed since. */
  function isPast(clusterRun: ClusterRun, run: WorkflowRun): boolean {
    const { spec, status, metadata } = clusterRun;
    const work = { half: undefined, delivery: { state: 'pending' } } as const;
    if (!isTerminal(run.status?.phase) || status?.scaleDownAt !== undefined || status?.soak || isDrifted(clusterRun)) return false;
    if (nextClusterRun({ spec, status, work, now: now() }).move !== 'rest') return false;
    return !works.by('cluster', spec.cluster.id).some(one => byWork(one).includes(`${metadata.namespace}/${metadata.name}`));
  }

  /** Of a cluster to which nothing was granted. */
  async function settlePhase(clusterRun: ClusterRun, ctx: Context): Promise<Outcome> {
    const status = withPhase(clusterRun.spec, clusterRun.status ?? {});
    if (status.phase !== clusterRun.status?.phase) await write(clusterRun, status, ctx);
    return settled;
  }

  async function drive(clusterRun: ClusterRun, run: WorkflowRun, context: StepContext, ctx: Context): Promise<Outcome> {
    const { spec } = clusterRun;
    const { grant, run: of } = context;
    let status = clusterRun.status;
    let work = works.get(`${context.cluster.id}/${workNameOf(context.release)}`);
    let seen: readonly SteadyState[] | undefined;
    /** What was decided and goes with what is written next, if that is at once: each write costs as much as all the rest. */
    let isUnwritten = false;
    for (;;) {
      const at = now();
      const half = halfOf(work, of.uid, grant.id);
      const [cluster] = clusters.by('id', context.cluster.id);
      const delivery = work && half ? deliveryOf(work, cluster) : ({ state: 'pending' } as const);
      const isSoaking = soakingWaves(run.status).includes(spec.wave);
      const facts = { spec, status, work: { half, delivery }, ...(seen && { seen }), isSoaking };
      const move = nextClusterRun({ ...facts, jumps: jumpsOf(context.key, status), hubSince, now: at });
      if (isUnwritten && (move.move === 'rest' || move.move === 'wait')) await (await executionOf(at)).write(status!);
      if (move.move === 'rest') return watchReleased({ ...clusterRun, ...(status && { status }) }, run, context, ctx);
      if (move.move === 'wait') return requeue(Math.max(0, move.until.getTime() - at.getTime()));
      const execution = await executionOf(at);
      if (move.move === 'write') {
        if (move.status.checkpoint?.result !== undefined && work) await executor.conclude(execution, move.status, work);
        else if (half === undefined && move.status.failure) voice.add(context, unbegun(move.status.failure.message));
        status = move.status;
        isUnwritten = true;
      } else if (move.move === 'begin') {
        const begun = await orWriteFirst(execution, () => begin(execution));
        if (begun === 'taken') {
          if (isUnwritten) await execution.write(status!);
          return requeue(takenMs);
        }
        work = begun ?? work;
      } else if (move.move === 'end') work = await orWriteFirst(execution, () => executor.end(execution));
      else {
        if (isUnwritten) await execution.write(status!);
        seen = await executor.look(execution, work!);
      }
    }

    /** What cannot be done now is tried again from what was decided, and time counts from then on. */
    async function orWriteFirst<T>(execution: Execution, deed: () => Promise<T>): Promise<T> {
      try {
        return await deed();
      } catch (error) {
        ctx.signal.throwIfAborted();
        if (isUnwritten) await execution.write(status!);
        throw error;
      }
    }

    /** What keeps a step from beginning is said while it is tried again. */
    async function begin(execution: Execution): ReturnType<typeof executor.begin> {
      try {
        return await executor.begin(execution);
      } catch (error) {
        const trouble = troubleOf(error);
        const { checkpoint } = status ?? {};
        const isNews = trouble && checkpoint && (checkpoint.message !== trouble.message || checkpoint.failureType !== trouble.type);
        if (isNews && !ctx.signal.aborted) await execution.write(troubled(status!, trouble.type, trouble.message));
        throw error;
      }
    }

    async function executionOf(at: Date): Promise<Execution> {
      const values = await secrets.of(run, ctx.signal);
      return {
        context,
        spec,
        status: status ?? {},
        secrets: values,
        now: at,
        signal: ctx.signal,
        async write(next) {
          status = await write(clusterRun, withoutSecrets(next, hideSecrets(values.values())), ctx);
          isUnwritten = false;
        },
      };
    }
  }

  /** Each counts from when it was first seen, so all are asked for as soon as they are there. */
  function jumpsOf(key: Key, status: ClusterRunStatus | undefined): ClusterRunInput['jumps'] {
    const { grant = 0, checkpoint } = status ?? {};
    const end = checkpoint?.result === undefined ? 0 : jumps.sinceMs(key, `end of ${grant}`);
    return { cluster: jumps.sinceMs(key, 'cluster'), step: jumps.sinceMs(key, `step ${grant}`), end };
  }

  /** Runs that do not wait for each other would undo each other's steps again and again. */
  function isTaken(work: Work, runUid: string): boolean {
    const mark = markOf(work);
    const [other] = byWork(work).map(key => clusterRuns.get(key));
    if (!other || !mark || mark.runUid === runUid) return false;
    // Also when the Work holds the end: until that is written down, its run would write it again.
    return other.spec.runRef.uid === mark.runUid && other.spec.grant?.id === mark.grant && isInFlight(other);
  }

  async function write({ metadata, spec }: ClusterRun, decided: ClusterRunStatus, { signal: stop }: Context): Promise<ClusterRunStatus> {
    const status = withClusterReadiness(decided, now());
    const { namespace, name = '', uid, generation } = metadata;
    const observed = generation === undefined ? {} : { observedGeneration: generation };
    const body = { metadata: { namespace: namespace!, name, ...(uid !== undefined && { uid }) }, status: { ...status, ...observed } };
    await hub.apply(ClusterRun, body, { subresource: 'status', fieldManager, signal: stop });
    failpoint('workflows.afterClusterRunStatus', writtenTitle(spec, status));
    return status;
  }
}

const unbegun = (message: string) => unitLog('Initialize').error(message).failed().lines;

const soakingWaves = (status: WorkflowRun['status']): string[] =>
  (status?.waves ?? []).filter(({ phase }) => phase === 'Soaking').map(({ name }) => name);

/** No secret stands in a status, whoever has put it into a message. */
function withoutSecrets({ outputs, ...rest }: ClusterRunStatus, hide: Hide): ClusterRunStatus {
  return { ...hideInWords(rest, hide), ...(outputs && { outputs: hideAll(outputs, hide) as typeof outputs }) };
}

/** How tests call what was written. */
function writtenTitle({ runRef, grant }: ClusterRun['spec'], { phase, checkpoint, step }: ClusterRunStatus): string {
  const { half = '', awaits, result } = checkpoint ?? {};
  const at = checkpoint ? [half, ...(awaits ? ['awaits'] : []), ...(result === undefined ? [] : [result])] : [step?.status ?? phase ?? ''];
  return [runRef.name, ...(grant?.isRollback === true ? ['back'] : []), grant?.type ?? '', ...at].join(' ');
}
