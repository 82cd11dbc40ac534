import { withoutPods, type NodeView, type PlacedPod } from './cluster-view.ts';
import { nodeFilter, type Refusal } from './filter-nodes.ts';
import type { PodRequest } from './pod-request.ts';

export interface Preemption {
  readonly node: string;
  readonly victims: readonly PlacedPod[];
}

/** How many more pods each disruption budget can spare, and which pods it covers. */
export interface BudgetView {
  covers(pod: PlacedPod): boolean;
  readonly allowed: number;
}

interface Candidate extends Preemption {
  readonly violations: number;
}

/** Whether pods of lower priority may be taken away for the request, and why not. */
export function preemptionBar({ spec }: PodRequest): string | undefined {
  return spec.preemptionPolicy === 'Never' ? 'not eligible due to preemptionPolicy=Never.' : undefined;
}

/** Where taking away the least important pods makes room, and which; undefined where nothing helps. */
export function choosePreemption(
  request: PodRequest,
  nodes: readonly NodeView[],
  refusals: ReadonlyMap<string, Refusal>,
  budgets: readonly BudgetView[],
): Preemption | undefined {
  const candidates = nodes
    .filter(node => !refusals.get(node.name)?.isFinal)
    .map(node => candidateOn(request, node, nodes, budgets))
    .filter(candidate => candidate !== undefined);
  return candidates.sort(byHarm)[0];
}

/** All pods of lower priority go, then as many as possible are let stay, the most important first. */
function candidateOn(
  request: PodRequest,
  node: NodeView,
  nodes: readonly NodeView[],
  budgets: readonly BudgetView[],
): Candidate | undefined {
  const lower = [...node.pods.values()].filter(pod => pod.priority < request.priority);
  if (lower.length === 0) return undefined;
  const fitsWithout = (victims: readonly PlacedPod[]) => {
    const reduced = withoutPods(node, new Set(victims.map(({ key }) => key)));
    const view = nodes.map(other => (other === node ? reduced : other));
    return nodeFilter(request, view)(reduced) === undefined;
  };
  if (!fitsWithout(lower)) return undefined;

  const violating = violatingPods(lower, budgets);
  const order = lower.toSorted(
    (a, b) => Number(violating.has(b)) - Number(violating.has(a)) || b.priority - a.priority || a.startedAt - b.startedAt,
  );
  let victims = lower;
  for (const pod of order) {
    const fewer = victims.filter(victim => victim !== pod);
    if (fitsWithout(fewer)) victims = fewer;
  }
  return {
    node: node.name,
    victims: victims.toSorted((a, b) => b.priority - a.priority),
    violations: victims.filter(v => violating.has(v)).length,
  };
}

function violatingPods(pods: readonly PlacedPod[], budgets: readonly BudgetView[]): Set<PlacedPod> {
  const left = new Map(budgets.map(budget => [budget, budget.allowed]));
  const violating = new Set<PlacedPod>();
  for (const pod of pods.toSorted((a, b) => b.priority - a.priority))
    for (const budget of budgets) {
      if (!budget.covers(pod)) continue;
      left.set(budget, left.get(budget)! - 1);
      if (left.get(budget)! < 0) violating.add(pod);
    }
  return violating;
}

function byHarm(a: Candidate, b: Candidate): number {
  const highest = ({ victims }: Candidate) => victims[0]?.priority ?? Number.MIN_SAFE_INTEGER;
  const sum = ({ victims }: Candidate) => victims.reduce((total, { priority }) => total + priority, 0);
  const youngest = ({ victims }: Candidate) => Math.min(...victims.filter(v => v.priority === victims[0]?.priority).map(v => v.startedAt));
  return (
    a.violations - b.violations ||
    highest(a) - highest(b) ||
    sum(a) - sum(b) ||
    a.victims.length - b.victims.length ||
    youngest(b) - youngest(a) ||
    (a.node < b.node ? -1 : 1)
  );
}
