/** A compiled CEL expression. Values are plain JSON; evaluation throws CelError when the expression fails or its budget is spent. */
export interface CelProgram {
  evaluate(variables: Readonly<Record<string, unknown>>, budget?: CelBudget): unknown;
  /** Static cost estimates and so on are not kept; the text is. */
  readonly expression: string;
}

/** Cost units that may still be spent; shared by the rules of one object. */
export interface CelBudget {
  remaining: number;
}

export class CelError extends Error {
  override name = 'CelError';
}
