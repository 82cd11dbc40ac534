import type { NodeView } from './cluster-view.ts';
import { nodeFilter, type Refusal } from './filter-nodes.ts';
import type { PodRequest } from './pod-request.ts';
import { choosePreemption, preemptionBar, type BudgetView, type Preemption } from './preemption.ts';
import { bestNode } from './score-nodes.ts';

/** A node for a pod, or why there is none and who would have to go. */
export type Choice = { readonly node: string } | { readonly node: undefined; readonly message: string; readonly preemption?: Preemption };

export interface ClusterState {
  readonly nodes: readonly NodeView[];
  readonly budgets: readonly BudgetView[];
  /** A node where room is being made for the pod. */
  readonly nominatedNode?: string | undefined;
}

/** Decides where a pod goes. Pure: the same cluster gives the same answer. */
export function chooseNode(request: PodRequest, { nodes, budgets, nominatedNode }: ClusterState): Choice {
  if (nodes.length === 0) return { node: undefined, message: 'no nodes available to schedule pods' };
  const { problem } = request.volumes;
  // The real scheduler gives up before it looks at nodes, and then finds nothing to say about preemption.
  if (problem !== undefined) return { node: undefined, message: failureMessage(nodes.length, [problem], ' not found') };
  const filter = nodeFilter(request, nodes);
  const refusals = new Map<string, Refusal>();
  const fitting: NodeView[] = [];
  for (const node of nodes) {
    const refusal = filter(node);
    if (refusal) refusals.set(node.name, refusal);
    else fitting.push(node);
  }
  const best = fitting.find(({ name }) => name === nominatedNode) ?? bestNode(request, fitting, nodes);
  if (best) return { node: best.name };
  return refuse(request, nodes, refusals, budgets);
}

function refuse(
  request: PodRequest,
  nodes: readonly NodeView[],
  refusals: ReadonlyMap<string, Refusal>,
  budgets: readonly BudgetView[],
): Choice {
  const counted = countReasons([...refusals.values()].flatMap(({ reasons }) => reasons));
  const bar = preemptionBar(request);
  const preemption = bar === undefined ? choosePreemption(request, nodes, refusals, budgets) : undefined;
  const unhelpful = [...refusals.values()].filter(({ isFinal }) => isFinal).length;
  const outlook = new Map([
    ['Preemption is not helpful for scheduling', unhelpful],
    ['No preemption victims found for incoming pod', refusals.size - unhelpful],
  ]);
  const note = preemption ? '' : bar === undefined ? preemptionNote(nodes.length, outlook) : `${claimsNote} preemption: ${bar}`;
  return { node: undefined, message: failureMessage(nodes.length, counted, note), ...(preemption && { preemption }) };
}

/** What the real scheduler says first of every pod that has no claims on devices. */
const claimsNote = ' no new claims to deallocate,';

function countReasons(reasons: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
}

const failureMessage = (total: number, reasons: readonly string[], note: string) =>
  `0/${total} nodes are available: ${reasons.join(', ')}.${note}`;

function preemptionNote(total: number, outlook: ReadonlyMap<string, number>): string {
  const parts = [...outlook].filter(([, count]) => count > 0).map(([reason, count]) => `${count} ${reason}`);
  return `${claimsNote} preemption: 0/${total} nodes are available: ${parts.sort().join(', ')}.`;
}
