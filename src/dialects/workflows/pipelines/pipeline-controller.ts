import { LRUCache } from 'lru-cache';
import { Namespace } from '../../../api/builtin-kinds.ts';
import { StatusError } from '../../../api/status.ts';
import { createMissing } from '../../../client/create-missing.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
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
import type { Informer } from '../../../runtime/informer.ts';
import { splitKey, type Key } from '../../../runtime/key.ts';
import { jsonEqual } from '../../../util/json.ts';
import { mapBounded } from '../../../util/map-bounded.ts';
import { requestName } from '../approvals/request-approval.ts';
import { ApprovalRequest } from '../kinds/approval-request.ts';
import { Pipeline, PipelineRun } from '../kinds/pipeline.ts';
import { WorkflowRun, type RunState } from '../kinds/workflow-run.ts';
import type { Workflow } from '../kinds/workflow.ts';
import { deliveryAnnotations, deliveryLabels } from '../names.ts';
import type { Herald } from '../notifications/herald.ts';
import { unanswered } from './begin-stage.ts';
import { draftOf, nextPipelineRun } from './next-pipeline-run.ts';
import { pipelineScope } from './pipeline-scope.ts';
import type { PipelineInput, PipelineStatus, PipelineStep } from './pipeline-state.ts';
import { stageRequest, stageRun } from './stage-run.ts';

export interface PipelinesDeps {
  readonly hub: KubeClient;
  readonly pipelines: Informer<Pipeline>;
  readonly pipelineRuns: Informer<PipelineRun>;
  readonly workflows: Informer<Workflow>;
  readonly runs: Informer<WorkflowRun>;
  readonly requests: Informer<ApprovalRequest>;
  readonly herald: Herald;
  readonly signal: AbortSignal;
  now?(): Date;
}

const fieldManager = 'drover-pipelines';
const longestWaitMs = 86_400_000;
const atOnce = 8;
/** What a person must change; everything else passes. */
const refusing = [400, 403, 404, 413, 422];

/** Takes PipelineRuns from stage to stage. */
export function runPipelines(deps: PipelinesDeps): RunningController {
  const { hub, pipelines, pipelineRuns, workflows, runs, requests, herald, signal, now } = deps;
  const refusedRollbacks = new LRUCache<string, true>({ max: 10_000 });
  const ofRun = ({ metadata }: WorkflowRun): Key[] => {
    const owner = metadata.ownerReferences?.find(one => one.kind === PipelineRun.kind);
    return owner && metadata.labels?.[deliveryLabels.pipelineRun] !== undefined ? [`${metadata.namespace}/${owner.name}`] : [];
  };
  const ofRequest = ({ metadata, spec }: ApprovalRequest): Key[] =>
    spec.runRef.kind === PipelineRun.kind ? [`${metadata.namespace}/${spec.runRef.name}`] : [];
  const factsOfRun = ({ metadata, spec, status }: WorkflowRun) => [
    spec.state,
    status?.phase,
    status?.observedGeneration === metadata.generation,
  ];
  return runController(
    { name: 'workflow-pipelines', reconcile },
    {
      triggers: [
        changesOf(pipelineRuns),
        changesOf(runs, ofRun, factsOfRun),
        changesOf(requests, ofRequest),
        knownFirst(pipelines, workflows),
      ],
      signal,
      ...(now && { now }),
    },
  );

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const run = pipelineRuns.get(key);
    if (!run || run.metadata.deletionTimestamp !== undefined) return settled;
    const refusals = await carryOut(run, ctx);
    const input = await gather(run, refusals, ctx);
    const step = nextPipelineRun(input);
    if (step.isExpired) return expire(run, ctx.signal);
    const isNews = !jsonEqual(step.status, run.status);
    if (isNews) await report(run, step, ctx);
    const answers = await mapBounded(step.states, atOnce, ({ name, state }) => setState(run, name, state, ctx.signal));
    if (answers.includes('refused')) return requeue(0);
    if (isNews) return settled;
    return step.wakeAt === undefined ? settled : requeue(Math.min(longestWaitMs, Math.max(0, step.wakeAt.getTime() - ctx.now.getTime())));
  }

  /** Makes what the status says is to be made. What is refused for good is answered with the reason. */
  async function carryOut(run: PipelineRun, ctx: Context): Promise<Map<string, string>> {
    const refusals = new Map<string, string>();
    const { engine } = (run.status ?? {}) as unknown as PipelineStatus;
    const options = { fieldManager, signal: ctx.signal };
    const attempt = async (name: string, make: () => Promise<unknown>) => {
      try {
        await make();
      } catch (error) {
        if (!(error instanceof StatusError) || !refusing.includes(error.code)) throw error;
        refusals.set(name, error.message);
      }
    };
    for (const order of engine?.orders ?? [])
      await attempt(order.name, () => createMissing(hub, WorkflowRun, stageRun(run, order, engine!.context), options));
    if (engine && engine.requests.length > 0) {
      const draft = draftOf(plainInput(run, ctx.now));
      const scope = pipelineScope(draft);
      for (const order of engine.requests) {
        const stage = draft.plan[order.stage]!;
        const workflow = stage.workflowRef && workflows.get(`${run.metadata.namespace}/${stage.workflowRef.name}`);
        const { name = '', uid = '' } = run.metadata;
        await attempt(requestName({ name, uid }, order.place), () =>
          createMissing(
            hub,
            ApprovalRequest,
            stageRequest(run, order, { stage, scope, workflow, names: unanswered(draft, stage) }),
            options,
          ),
        );
      }
    }
    return refusals;
  }

  function plainInput(run: PipelineRun, at: Date): PipelineInput {
    const { namespace = '' } = run.metadata;
    return {
      run,
      pipeline: pipelines.get(`${namespace}/${run.spec.pipelineRef.name}`),
      app: { name: namespace, description: '' },
      refusals: new Map(),
      refusesRollback: name => refusedRollbacks.has(`${run.metadata.uid} ${name}`),
      findRun: name => runs.get(`${namespace}/${name}`),
      findRequest: name => requests.get(`${namespace}/${name}`),
      findWorkflow: name => workflows.get(`${namespace}/${name}`),
      now: at,
    };
  }

  /** What the watches know, and what was made a moment ago. */
  async function gather(run: PipelineRun, refusals: ReadonlyMap<string, string>, ctx: Context): Promise<PipelineInput> {
    const plain = plainInput(run, ctx.now);
    const { namespace = '' } = run.metadata;
    const app = run.status?.snapshot ? plain.app : await readApp(namespace, ctx.signal);
    const stages = run.status?.stages ?? [];
    const missingRuns = stages.flatMap(stage => stage.runs ?? []).filter(name => !plain.findRun(name));
    const missingRequests = stages.flatMap(stage => stage.approvalRequest ?? []).filter(name => !plain.findRequest(name));
    const lateRuns = await mapBounded(missingRuns, atOnce, name => hub.get(WorkflowRun, { namespace, name }, { signal: ctx.signal }));
    const lateRequests = await mapBounded(missingRequests, atOnce, name =>
      hub.get(ApprovalRequest, { namespace, name }, { signal: ctx.signal }),
    );
    return {
      ...plain,
      app,
      refusals,
      findRun: name => plain.findRun(name) ?? lateRuns.find(one => one?.metadata.name === name),
      findRequest: name => plain.findRequest(name) ?? lateRequests.find(one => one?.metadata.name === name),
    };
  }

  async function readApp(namespace: string, stop: AbortSignal): Promise<PipelineInput['app']> {
    const { annotations = {} } = (await hub.get(Namespace, { name: namespace }, { signal: stop }))?.metadata ?? {};
    return { name: annotations[deliveryAnnotations.appName] ?? namespace, description: '' };
  }

  /** With the version that was read: what was decided from an older one is not written. */
  async function report(run: PipelineRun, { status, happenings }: PipelineStep, ctx: Context): Promise<void> {
    const { name: workflow } = run.spec.pipelineRef;
    if (happenings.length > 0) await herald.tell({ run, workflow, notifications: [] }, happenings);
    const isFirst = run.status?.phase === undefined;
    await hub.update(
      PipelineRun,
      { ...run, status: status as unknown as NonNullable<PipelineRun['status']> },
      { subresource: 'status', fieldManager, signal: ctx.signal },
    );
    if (isFirst) await noteLastRun(run, ctx.signal);
  }

  async function noteLastRun({ metadata, spec }: PipelineRun, stop: AbortSignal): Promise<void> {
    const key = { namespace: metadata.namespace, name: spec.pipelineRef.name };
    if (!pipelines.get(`${key.namespace}/${key.name}`)) return;
    const body = { status: { lastRun: metadata.name! } };
    await hub.patch(Pipeline, key, { type: 'merge', body }, { subresource: 'status', fieldManager, signal: stop });
  }

  async function setState({ metadata }: PipelineRun, name: string, state: RunState, stop: AbortSignal): Promise<'set' | 'refused'> {
    const key = { namespace: metadata.namespace, name };
    try {
      await hub.patch(WorkflowRun, key, { type: 'merge', body: { spec: { state } } }, { fieldManager, signal: stop });
      return 'set';
    } catch (error) {
      // It ended in the meantime, or a newer run came after it.
      if (!(error instanceof StatusError) || ![404, 422].includes(error.code)) throw error;
      if (state !== 'Rollback' || refusedRollbacks.has(`${metadata.uid} ${name}`)) return 'set';
      refusedRollbacks.set(`${metadata.uid} ${name}`, true);
      return 'refused';
    }
  }

  async function expire(run: PipelineRun, stop: AbortSignal): Promise<Outcome> {
    const { namespace, name } = splitKey(`${run.metadata.namespace}/${run.metadata.name}`);
    const { uid = '' } = run.metadata;
    await hub.delete(PipelineRun, { namespace, name }, { propagationPolicy: 'Background', preconditions: { uid }, signal: stop });
    return settled;
  }
}
