import type { ExpressionNode } from './expression-node.ts';

/** The paths that an expression names, in the order in which they stand there. */
export function pathsOf(node: ExpressionNode): string[] {
  switch (node.kind) {
    case 'literal':
      return [];
    case 'path':
      return [node.names.join('.')];
    case 'field':
    case 'not':
      return pathsOf(node.of);
    case 'index':
      return [...pathsOf(node.of), ...pathsOf(node.index)];
    case 'method':
      return [...pathsOf(node.of), ...node.args.flatMap(pathsOf)];
    case 'functor':
      return node.args.flatMap(pathsOf);
    case 'binary':
      return [...pathsOf(node.left), ...pathsOf(node.right)];
  }
}
