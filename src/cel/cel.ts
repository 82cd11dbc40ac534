import type { CelType } from './cel-type.ts';

/** A compiled CEL expression. Values are plain JSON; evaluation throws CelError when the expression fails or its budget is spent. */
export interface CelProgram {
  evaluate(variables: Readonly<Record<string, unknown>>, budget?: CelBudget): unknown;
  /** The result as CEL holds it (bigint, Timestamp, quantity, …): what a variable of another expression wants. */
  evaluateValue(variables: Readonly<Record<string, unknown>>, budget?: CelBudget): unknown;
  /** Static cost estimates and so on are not kept; the text is. */
  readonly expression: string;
  readonly resultType: CelType;
  /** Names of the variables that the expression uses. */
  readonly references: ReadonlySet<string>;
}

/** Cost units that may still be spent; shared by the rules of one object. */
export interface CelBudget {
  remaining: number;
}

export class CelError extends Error {
  override name = 'CelError';
}

/** The budget is spent. Nothing in an expression can catch this. */
export class CelCostError extends CelError {
  override name = 'CelCostError';
}
