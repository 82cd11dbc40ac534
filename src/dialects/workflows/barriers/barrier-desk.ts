import type { Informer } from '../../../runtime/informer.ts';
import type { Key } from '../../../runtime/key.ts';
import { renderText } from '../expressions/render-text.ts';
import type { GateRequest } from '../gates/gate-desk.ts';
import type { Verdict } from '../gates/judge.ts';
import { PipelineRun } from '../kinds/pipeline.ts';
import type { WorkflowRun } from '../kinds/workflow-run.ts';
import type { Workflow } from '../kinds/workflow.ts';
import { withStatus } from '../runs/run-facts.ts';
import { partiesOf } from './barrier-parties.ts';
import { turnsOf, type Turn } from './barrier-standing.ts';
import { judgeBarrier } from './judge-barrier.ts';

export interface BarrierDeps {
  readonly runs: Informer<WorkflowRun>;
  readonly pipelineRuns: Informer<PipelineRun>;
  readonly workflows: Informer<Workflow>;
  readonly signal: AbortSignal;
}

export interface BarrierDesk {
  judge(request: GateRequest): Verdict;
  /** Hears the keys of runs that wait at a barrier to which others may have come. */
  onChange(listener: (run: Key) => void): Disposable;
}

/** Where runs that a pipeline takes along together wait for each other. All that is known of them is in their status, so whoever restarts goes on. */
export function barrierDesk({ runs, pipelineRuns, workflows, signal }: BarrierDeps): BarrierDesk {
  /** Runs that wait, by their PipelineRun. */
  const waiting = new Map<Key, Set<Key>>();
  const listeners = new Set<(run: Key) => void>();
  const tell = (pipelineRun: Key | undefined) => {
    for (const run of waiting.get(pipelineRun ?? '') ?? []) for (const listener of listeners) listener(run);
  };
  const subscriptions = [
    runs.subscribe(({ object }) => tell(pipelineRunOf(object))),
    pipelineRuns.subscribe(({ object: { metadata } }) => tell(`${metadata.namespace}/${metadata.name}`)),
  ];
  signal.addEventListener('abort', () => subscriptions.forEach(one => one[Symbol.dispose]()), { once: true });

  return {
    judge,
    onChange(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };

  function judge({ run: { namespace, name }, gate, scope }: GateRequest): Verdict {
    const key = `${namespace}/${name}`;
    const identifier = renderText(String(gate['identifier'] ?? gate.name), scope as never);
    const run = runs.get(key);
    const pipelineRun = run && pipelineRuns.get(pipelineRunOf(run) ?? '');
    if (!pipelineRun) return judgeBarrier(identifier, []);
    const { leg, position } = gate as unknown as Turn;
    const time = turnsOf(withStatus(run), identifier).findIndex(one => one.leg === leg && one.position === position);
    const finder = {
      findRun: (other: string) => runs.get(`${namespace}/${other}`),
      findWorkflow: (other: string) => workflows.get(`${namespace}/${other}`),
    };
    // What this hub wrote of the run itself may not have been heard yet.
    const verdict: Verdict =
      time < 0 ? { phase: 'Running' } : judgeBarrier(identifier, partiesOf(run, pipelineRun, { identifier, time }, finder));
    note(pipelineRunOf(run)!, key, verdict.phase === 'Running');
    return verdict;
  }

  function note(pipelineRun: Key, run: Key, isWaiting: boolean): void {
    const known = waiting.get(pipelineRun) ?? new Set();
    if (isWaiting) known.add(run);
    else known.delete(run);
    if (known.size > 0) waiting.set(pipelineRun, known);
    else waiting.delete(pipelineRun);
  }
}

function pipelineRunOf({ metadata }: WorkflowRun): Key | undefined {
  const owner = metadata.ownerReferences?.find(one => one.kind === PipelineRun.kind);
  return owner && `${metadata.namespace}/${owner.name}`;
}
