import type { Job as JobFields } from '../../../api/kubernetes.ts';
import type { KindRef } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import { Work } from '../../../api/work.ts';
import { createMissing } from '../../../client/create-missing.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import type { MemberDirectory } from '../../../core/clusters/member-directory.ts';
import type { Informer } from '../../../runtime/informer.ts';
import type { Key } from '../../../runtime/key.ts';
import type { Egress } from '../../../sources/egress.ts';
import { durationMs } from '../../../util/duration.ts';
import { errorText } from '../../../util/error-text.ts';
import type { BarrierDesk } from '../barriers/barrier-desk.ts';
import { judgeBarrier } from '../barriers/judge-barrier.ts';
import { ExpressionError } from '../expressions/expression-error.ts';
import { ApprovalRequest } from '../kinds/approval-request.ts';
import type { Gate, GateTemplate } from '../kinds/gate.ts';
import { deliveryAnnotations } from '../names.ts';
import { askHttp } from './ask-http.ts';
import type { GateAnswer, GateDesk, GateRequest, GateType } from './gate-desk.ts';
import { openState, startedMs } from './gate-state.ts';
import type { Judging, Verdict } from './judge.ts';
import { judgeAnalysis } from './judge-analysis.ts';
import { judgeApproval } from './judge-approval.ts';
import { judgeExpression } from './judge-expression.ts';
import { judgeHttp } from './judge-http.ts';
import { judgeJob } from './judge-job.ts';
import { judgeWait } from './judge-wait.ts';
import { judgeWindow } from './judge-window.ts';
import { measurer } from './measure.ts';
import { probes } from './probes.ts';

export interface GateDeskDeps {
  readonly hub: KubeClient;
  readonly requests: Informer<ApprovalRequest>;
  readonly templates: Informer<GateTemplate>;
  readonly works: Informer<Work>;
  readonly members: Pick<MemberDirectory, 'client'>;
  readonly egress: Egress;
  /** Without it no run waits for another. */
  readonly barriers?: BarrierDesk;
  readonly signal: AbortSignal;
}

type Job = KubeObject & Pick<JobFields, 'spec' | 'status'>;
const Job: KindRef<Job> = { group: 'batch', version: 'v1', kind: 'Job', resource: 'jobs', scope: 'Namespaced' };
const fieldManager = 'drover-gates';
const defaultTimeout = '1h';
const writeTimeoutMs = 10_000;

export function runGateDesk(deps: GateDeskDeps): GateDesk {
  const { hub, requests, templates, works, members, egress, barriers, signal } = deps;
  const asked = probes(signal);
  const listeners = new Set<(run: Key) => void>();
  const tell = (run: Key | undefined) => {
    if (run !== undefined) for (const listener of listeners) listener(run);
  };
  const write = (stop: AbortSignal) => ({ fieldManager, signal: stop, timeoutMs: writeTimeoutMs });
  const measure = measurer({ hub, members, egress });
  const judges: Readonly<Record<GateType, (judging: Judging) => Verdict>> = {
    Approval: judging =>
      judgeApproval(judging, {
        find: key => requests.get(key),
        create: (request, stop) => createMissing(hub, ApprovalRequest, request, write(stop)),
      }),
    Wait: judgeWait,
    Window: judgeWindow,
    HTTP: judging => judgeHttp(judging, (address, stop) => askHttp(egress, address, stop)),
    Analysis: judging => judgeAnalysis(judging, templates.get(`${judging.request.run.namespace}/${judging.gate.templateRef}`), measure),
    Job: judging =>
      judgeJob(judging, {
        findWork: key => works.get(key),
        ensureWork: (work, stop) => createMissing(hub, Work, work, write(stop)),
        ensureJob: (job, stop) => createMissing(hub, Job, job as Job, write(stop)),
      }),
    Expression: judgeExpression,
    Barrier: ({ request, gate }) => barriers?.judge(request) ?? judgeBarrier(gate.name, []),
  };
  const subscriptions = [
    requests.subscribe(({ object: { metadata, spec } }) => {
      if (spec.runRef.kind !== 'PipelineRun') tell(`${metadata.namespace}/${spec.runRef.name}`);
    }),
    works.subscribe(({ object }) => tell(object.metadata.annotations?.[deliveryAnnotations.run])),
    ...(barriers ? [barriers.onChange(tell)] : []),
  ];
  signal.addEventListener('abort', () => subscriptions.forEach(one => one[Symbol.dispose]()), { once: true });

  return {
    look,
    onChange(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };

  function look(request: GateRequest): GateAnswer {
    const { now, run, place } = request;
    const state = openState(request.state, now);
    const { startedAt } = state;
    const judging: Judging = {
      request,
      gate: request.gate as unknown as Gate,
      state,
      nowMs: now.getTime(),
      ask: (about, number, probe) => asked.ask(`${run.uid} ${place} ${about}`, number, probe, () => tell(`${run.namespace}/${run.name}`)),
    };
    const { state: kept, isTimedOut: _, ...verdict } = inTime(judging, judged(judging));
    return { ...verdict, state: { ...kept, startedAt } };
  }

  function judged(judging: Judging): Verdict {
    const judge = judges[judging.request.gate.type];
    try {
      return judge(judging);
    } catch (error) {
      // Expressions and schedules that cannot be read, or name what is not there.
      const isUnresolved = error instanceof ExpressionError;
      return { phase: 'Error', message: errorText(error), failureType: 'ApplicationError', ...(isUnresolved && { isUnresolved }) };
    }
  }
}

/** A gate that takes too long is what `onTimeout` says. */
export function inTime({ gate, state, nowMs }: Judging, verdict: Verdict): Verdict {
  const { phase, isTimedOut } = verdict;
  if (phase === 'Failed' || phase === 'Error') return { failureType: 'Verification', ...verdict };
  if (phase !== 'Running' && phase !== 'Pending') return verdict;
  if (gate.type === 'Wait' && gate.timeout === undefined) return verdict;
  const endMs = startedMs(state) + durationMs(gate.timeout ?? defaultTimeout);
  const isOver = gate.type === 'Approval' && verdict.approvalRequest !== undefined ? isTimedOut === true : nowMs >= endMs;
  if (!isOver) return { ...verdict, wakeAt: verdict.wakeAt && verdict.wakeAt.getTime() < endMs ? verdict.wakeAt : new Date(endMs) };
  const message = `Timed out${verdict.message === undefined ? '' : `: ${verdict.message}`}`;
  if (gate.onTimeout === 'Pass') return { ...verdict, phase: 'Successful', message };
  if (gate.onTimeout === 'Pause') return { ...verdict, phase: 'Inconclusive', message, failureType: 'Timeout' };
  return { ...verdict, phase: 'Failed', message, failureType: 'Timeout' };
}
