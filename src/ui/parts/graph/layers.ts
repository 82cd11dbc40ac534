/** Something that others need, or that needs others. */
export interface GraphNode {
  readonly id: string;
  /** The ids of those that come before it. */
  readonly after: readonly string[];
}

export interface Placed<N extends GraphNode> {
  readonly node: N;
  /** From the left: one more than the last of those it comes after. */
  readonly column: number;
  /** From the top of its column. */
  readonly row: number;
}

/** Puts every node right of all that it comes after. Those in a circle stand where the circle was entered; who comes after nobody knows stands first. */
export function placeNodes<N extends GraphNode>(nodes: readonly N[]): readonly Placed<N>[] {
  const byId = new Map(nodes.map(node => [node.id, node]));
  const columns = new Map<string, number>();
  for (const node of nodes) columnOf(node, new Set());
  const filled: number[] = [];
  const order = nodes.toSorted((a, b) => columns.get(a.id)! - columns.get(b.id)!);
  const rows = new Map<string, number>();
  const middle = ({ after }: GraphNode) => {
    const known = after.flatMap(id => rows.get(id) ?? []);
    return known.length === 0 ? Infinity : known.reduce((a, b) => a + b, 0) / known.length;
  };
  const placed: Placed<N>[] = [];
  for (let column = 0; placed.length < nodes.length; column++) {
    const here = order.filter(({ id }) => columns.get(id) === column).toSorted((a, b) => middle(a) - middle(b) || 0);
    for (const node of here) {
      const row = (filled[column] = (filled[column] ?? -1) + 1);
      rows.set(node.id, row);
      placed.push({ node, column, row });
    }
  }
  return placed;

  function columnOf(node: N, path: Set<string>): number {
    const known = columns.get(node.id);
    if (known !== undefined) return known;
    if (path.has(node.id)) return 0;
    path.add(node.id);
    const before = node.after.flatMap(id => byId.get(id) ?? []);
    const column = Math.max(-1, ...before.map(one => columnOf(one, path))) + 1;
    path.delete(node.id);
    columns.set(node.id, column);
    return column;
  }
}
