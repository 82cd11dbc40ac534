import type { Node } from '../../api/builtin-kinds.ts';
import { addQuantities, parseQuantity, printQuantity, QuantityError, type Quantity } from '../../api/quantity.ts';

export interface NodeSummary {
  readonly nodes: { total: number; ready: number };
  readonly capacity: Record<string, string>;
  readonly allocatable: Record<string, string>;
  /** Where they are, in order; empty when they do not say. */
  readonly regions: string[];
}

export function summarizeNodes(nodes: readonly Node[]): NodeSummary {
  return {
    nodes: { total: nodes.length, ready: nodes.filter(isReady).length },
    capacity: addUp(nodes.map(node => node.status?.capacity)),
    allocatable: addUp(nodes.map(node => node.status?.allocatable)),
    regions: [...new Set(nodes.flatMap(node => regionOf(node) ?? []))].sort().slice(0, mostRegions),
  };
}

export const regionLabel = 'topology.kubernetes.io/region';
const mostRegions = 10;

export const regionOf = ({ metadata }: Pick<Node, 'metadata'>): string | undefined => metadata.labels?.[regionLabel] || undefined;

function isReady(node: Node): boolean {
  return node.status?.conditions?.some(one => one.type === 'Ready' && one.status === 'True') === true;
}

function addUp(parts: readonly (Record<string, string | number> | undefined)[]): Record<string, string> {
  const sums = new Map<string, Quantity>();
  for (const part of parts)
    for (const [name, text] of Object.entries(part ?? {})) {
      const amount = readQuantity(text);
      if (!amount) continue;
      const sum = sums.get(name);
      sums.set(name, sum ? addQuantities(sum, amount) : amount);
    }
  return Object.fromEntries([...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, sum]) => [name, printQuantity(sum)]));
}

/** Amounts come from members, whose API server has checked them; one that cannot be read must not hide the rest. */
function readQuantity(text: string | number): Quantity | undefined {
  try {
    return parseQuantity(String(text));
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}
