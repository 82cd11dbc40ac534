import type { RunSnapshot } from '../inputs/run-snapshot.ts';
import { isTerminal, type WorkflowRun } from '../kinds/workflow-run.ts';
import { isGood, newestFirst } from './artifact-facts.ts';

/** How it stands with the release of a workflow on an infrastructure. */
export interface ReleaseFacts {
  /** The newest that succeeded, of those that were for all of its clusters. */
  readonly release: WorkflowRun | undefined;
  /** Another one for all of its clusters is on its way: what is newest will be known when it ends. */
  readonly isUnderWay: boolean;
  /** The clusters that have the newest one, or are about to. */
  readonly served: ReadonlySet<string>;
}

export function releaseFacts(runs: readonly WorkflowRun[], workflow: string, infrastructure: string | undefined): ReleaseFacts {
  const own = runs.filter(run => isOf(run, workflow, infrastructure));
  const release = newestFirst(own.filter(run => isWhole(run) && isGood(run)))[0];
  const since = Date.parse(release?.status?.finishedAt ?? '');
  const later = own.filter(run => !isWhole(run) && Date.parse(run.metadata.creationTimestamp ?? '') + createdWithinMs >= since);
  return {
    release,
    isUnderWay: own.some(run => isWhole(run) && !isTerminal(run.status?.phase)),
    served: new Set([
      ...(release?.status?.resolvedClusters ?? []).map(one => one.id),
      ...later.filter(run => isGood(run) || !isTerminal(run.status?.phase)).flatMap(run => run.spec.clusters?.only ?? []),
    ]),
  };
}

/** Objects tell the second in which they were made. */
const createdWithinMs = 1000;

const isWhole = ({ spec }: WorkflowRun): boolean => (spec.clusters?.only ?? []).length === 0;

/** Where a run goes is known once it has begun. */
function isOf({ spec, status }: WorkflowRun, workflow: string, infrastructure: string | undefined): boolean {
  if (spec.workflowRef.name !== workflow || spec.mode === 'Preview') return false;
  const place = (status?.snapshot as unknown as RunSnapshot | undefined)?.infrastructure.name ?? spec.infrastructureRef;
  return infrastructure === undefined || place === undefined || place === infrastructure;
}
