export const operators = ['||', '&&', '==', '!=', '<=', '>=', '<', '>'] as const;
export type Operator = (typeof operators)[number];

/** Methods of texts, and how many arguments they take at least and at most. */
export const methods = {
  get: [1, 1],
  getSHA: [0, 0],
  split: [1, 1],
  replace: [2, 2],
  toLowerCase: [0, 0],
  toUpperCase: [0, 0],
  trim: [0, 0],
  substring: [1, 2],
  contains: [1, 1],
  startsWith: [1, 1],
  endsWith: [1, 1],
  concat: [1, 1],
} as const;
export type Method = keyof typeof methods;

export const functors = { 'regex.extract': 2, 'regex.replace': 3, 'json.select': 2 } as const;
export type Functor = keyof typeof functors;

/** What an expression says. `at` is where in the text. */
export type ExpressionNode =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null; readonly at: number }
  | { readonly kind: 'path'; readonly names: readonly string[]; readonly at: number }
  | { readonly kind: 'field'; readonly of: ExpressionNode; readonly name: string; readonly at: number }
  | { readonly kind: 'index'; readonly of: ExpressionNode; readonly index: ExpressionNode; readonly at: number }
  | {
      readonly kind: 'method';
      readonly of: ExpressionNode;
      readonly method: Method;
      readonly args: readonly ExpressionNode[];
      readonly at: number;
    }
  | { readonly kind: 'functor'; readonly functor: Functor; readonly args: readonly ExpressionNode[]; readonly at: number }
  | { readonly kind: 'not'; readonly of: ExpressionNode; readonly at: number }
  | {
      readonly kind: 'binary';
      readonly operator: Operator;
      readonly left: ExpressionNode;
      readonly right: ExpressionNode;
      readonly at: number;
    };
