import type { KubeObject } from '../api/object.ts';
import type { ClusterApi } from '../apiserver/cluster-api.ts';
import { jsonEqual } from '../util/json.ts';
import { isAlreadyExists, unlessGone } from './controllers/write-errors.ts';
import { sandboxNode } from './nodes/sandbox-node.ts';

const nodes = { group: '', version: 'v1', resource: 'nodes' };
const fieldManager = 'kubelet';

export interface NodePlan {
  readonly count: number;
  /** What differs from the usual capacity. */
  readonly capacity: Readonly<Record<string, number | string>>;
}

export interface NodeChanges {
  readonly resize: readonly number[];
  readonly create: readonly number[];
  readonly remove: readonly number[];
}

/**
 * What to do so that a cluster has the nodes of a plan. Nodes that people added under other names are theirs, and one that they deleted
 * stays away until the plan itself asks for it anew.
 */
export function planNodes(before: NodePlan | undefined, wanted: NodePlan): NodeChanges {
  const from = before?.count ?? 0;
  const numbers = (start: number, end: number) => Array.from({ length: Math.max(0, end - start) }, (_, i) => start + i);
  const isResized = before !== undefined && !jsonEqual(before.capacity, wanted.capacity);
  return {
    resize: isResized ? numbers(0, Math.min(from, wanted.count)) : [],
    create: numbers(from, wanted.count),
    remove: numbers(wanted.count, from),
  };
}

export async function applyNodePlan(api: ClusterApi, before: NodePlan | undefined, wanted: NodePlan): Promise<void> {
  const { resize, create, remove } = planNodes(before, wanted);
  for (const n of resize) {
    const body = { status: { capacity: wanted.capacity, allocatable: wanted.capacity } };
    await unlessGone(api.patch(nodes, keyOf(n), { type: 'merge', body }, { subresource: 'status', fieldManager }));
  }
  for (const n of create) {
    await api.create(nodes, nodeOf(n, wanted), { fieldManager }).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }
  for (const n of remove) await unlessGone(api.delete(nodes, keyOf(n)));
}

const nameOf = (n: number): string => `node-${n + 1}`;
const keyOf = (n: number) => ({ namespace: '', name: nameOf(n) });

function nodeOf(n: number, { capacity }: NodePlan): KubeObject {
  const node = sandboxNode(nameOf(n), n);
  const status = node['status'] as { capacity: object; allocatable: object };
  const sized = { ...status, capacity: { ...status.capacity, ...capacity }, allocatable: { ...status.allocatable, ...capacity } };
  return { ...node, status: sized };
}
