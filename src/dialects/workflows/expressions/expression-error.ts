/** An expression cannot be read, or its parts do not fit each other. */
export class ExpressionError extends Error {
  override name = 'ExpressionError';
  /** Where in the text, counted from 0. */
  readonly position: number;

  constructor(message: string, position: number, options?: ErrorOptions) {
    super(message, options);
    this.position = position;
  }
}

/** Something that an expression names is not there. */
export class UnresolvedExpression extends ExpressionError {
  override name = 'UnresolvedExpression';
  /** As it was written, without `${` and `}`. */
  readonly expression: string;

  constructor(expression: string, position: number) {
    super(`cannot resolve \${${expression}}`, position);
    this.expression = expression;
  }
}
