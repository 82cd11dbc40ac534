import type { KubeClient } from '../../../client/kube-client.ts';
import { clockJumps } from '../../../runtime/clock-jumps.ts';
import { requeue, runController, settled } from '../../../runtime/controller.ts';
import type { Context, Outcome, RunningController } from '../../../runtime/controller.ts';
import { keyOf, splitKey, type Key } from '../../../runtime/key.ts';
import { ownWrites } from '../../../runtime/own-writes.ts';
import { jsonEqual } from '../../../util/json.ts';
import { mapBounded } from '../../../util/map-bounded.ts';
import type { RunInputs } from '../inputs/run-inputs.ts';
import { ApprovalRequest } from '../kinds/approval-request.ts';
import { ClusterRun } from '../kinds/cluster-run.ts';
import { WorkflowRun } from '../kinds/workflow-run.ts';
import type { RunLogs } from '../logs/run-logs.ts';
import type { Herald } from '../notifications/herald.ts';
import { askInputs } from './ask-inputs.ts';
import { clusterRunIndexes } from './cluster-run-object.ts';
import { gatherInput } from './gather-input.ts';
import { hideFor, hideInStatus } from './hide-in-status.ts';
import { hubRoom } from './hub-room.ts';
import { nextRun } from './next-run.ts';
import { runDesk } from './run-desk.ts';
import { withStatus } from './run-facts.ts';
import { runPlaces } from './run-places.ts';
import type { RunSecrets } from './run-secrets.ts';
import type { RunStatus } from './run-status.ts';
import type { RunInput, RunStep } from './run-step.ts';
import { gatherMs, runTriggers, type RunTriggerDeps } from './run-triggers.ts';

export interface RunControllerDeps extends RunTriggerDeps {
  readonly hub: KubeClient;
  readonly inputs: RunInputs;
  readonly herald: Herald;
  readonly logs: RunLogs;
  readonly secrets: RunSecrets;
  /** How many clusters may be busy at the same time, over all runs. Default 64. */
  readonly maxInFlight?: number | undefined;
  /** Where people find the hub. */
  serverUrl?(): string;
  now?(): Date;
}

const defaultMaxInFlight = 64;
const longestWaitMs = 86_400_000;
/** From the snapshot to the clusters to whatever comes then. */
const maxAnswers = 5;
const maxDeletesAtOnce = 16;

/**
 * Takes WorkflowRuns from step to step. What is decided is written to the status of the run before anybody acts on it, and whoever comes next first does what
 * the status says. Informers of ClusterRuns have `clusterRunIndexes`, those of Clusters and Works the ones of theirs.
 */
export function runWorkflowRuns(deps: RunControllerDeps): RunningController {
  const { hub, requests, inputs, signal, now } = deps;
  const runs = ownWrites(deps.runs, { indexes: {}, signal });
  const clusterRuns = ownWrites(deps.clusterRuns, { indexes: clusterRunIndexes, signal });
  const places = runPlaces();
  const room = hubRoom(deps.maxInFlight ?? defaultMaxInFlight);
  const jumps = clockJumps({ ...(now && { now }) });
  const desk = runDesk({ ...deps, runs, clusterRuns });
  const controller = runController(
    { name: 'workflow-runs', reconcile },
    { triggers: runTriggers(deps), concurrency: 16, signal, ...(now && { now }) },
  );
  // Who goes first is known before anybody goes.
  const known = deps.runs.synced.then(() => deps.runs.list().forEach(run => places.note(withStatus(run))));
  // Nobody waits for it when all is stopped before.
  known.catch(() => {});
  return controller;

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    await known;
    const run = deps.runs.get(key) && runs.get(key);
    await removeStrangers(key, run?.metadata.uid, ctx.signal);
    if (!run) {
      wake(places.forget(key));
      wake(room.note(key, 0, false));
      jumps.forget(key);
      return settled;
    }
    if (run.metadata.deletionTimestamp !== undefined) return settled;
    places.note(withStatus(run));
    await desk.carryOut(run, ctx.signal);
    return goOn(key, run, ctx);
  }

  async function goOn(key: Key, first: WorkflowRun, { now: at, signal: stop }: Context): Promise<Outcome> {
    let run = first;
    let answer: RunInput['answer'];
    for (let answers = 0; ; answers++) {
      const secrets = await deps.secrets.of(run, stop);
      const hide = hideFor(secrets);
      const gathering = { run: withStatus(run), secrets, hubRoom: room.left(key), answer, now: at, jumpMs: jumps.sinceMs(key, 'run') };
      const step = nextRun(gatherInput({ ...deps, clusterRuns, places }, gathering));
      noteStep(key, run, step);
      if (step.isExpired) return expire(run, stop);
      const status = secrets.size > 0 ? hideInStatus(step.status, hide) : step.status;
      const isNews = !jsonEqual(status, run.status);
      if (isNews) {
        await desk.tell(run, step, hide, stop);
        run = await desk.writeStatus(run, status, stop);
        await desk.carryOut(run, stop);
      }
      jumps.startAnew(key, 'run');
      if (step.asksForPause) await desk.askForPause(key, stop);
      if (step.wants === undefined || answers === maxAnswers) return isNews ? requeue(gatherMs(run)) : outcomeOf(step, at);
      answer = await askInputs(inputs, withStatus(run), step.wants, stop);
    }
  }

  /** What other runs go by is known at once. */
  function noteStep(key: Key, run: WorkflowRun, step: RunStep): void {
    const before = placeFacts(withStatus(run).status);
    places.note({ ...withStatus(run), status: step.status });
    wake(room.note(key, step.inFlight, step.waitsForHub));
    if (!jsonEqual(before, placeFacts(step.status))) wake(places.neighbours(key));
  }

  function wake(keys: readonly Key[]): void {
    for (const key of keys) controller.add(key);
  }

  async function expire(run: WorkflowRun, stop: AbortSignal): Promise<Outcome> {
    const { uid = '' } = run.metadata;
    await hub.delete(WorkflowRun, splitKey(keyOf(run)), { propagationPolicy: 'Background', preconditions: { uid }, signal: stop });
    return settled;
  }

  /** What is left of a run that is gone, also where nobody collects garbage, and of one that had the same name. */
  async function removeStrangers(key: Key, uid: string | undefined, stop: AbortSignal): Promise<void> {
    const parts = clusterRuns.by('run', key).filter(one => one.spec.runRef.uid !== uid);
    await mapBounded(parts, maxDeletesAtOnce, one => hub.delete(ClusterRun, splitKey(keyOf(one)), { signal: stop }));
    const { namespace, name } = splitKey(key);
    const isStrange = ({ metadata, spec: { runRef } }: ApprovalRequest) =>
      runRef.kind !== 'PipelineRun' && metadata.namespace === namespace && runRef.name === name && runRef.uid !== uid;
    const asked = requests.list().filter(isStrange);
    await mapBounded(asked, maxDeletesAtOnce, one => hub.delete(ApprovalRequest, splitKey(keyOf(one)), { signal: stop }));
  }
}

const placeFacts = (status: RunStatus | undefined) => [status?.phase, status?.startedAt, status?.snapshot !== undefined];

function outcomeOf({ wakeAt }: RunStep, now: Date): Outcome {
  return wakeAt === undefined ? settled : requeue(Math.min(longestWaitMs, Math.max(0, wakeAt.getTime() - now.getTime())));
}
