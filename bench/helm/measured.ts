/** What one side of the benchmark reports of one chart: milliseconds of processor time per rendering. */
export interface Measured {
  readonly coldMs: number;
  readonly warmMs: number;
  /** How much came out last, to see that both did the same. */
  readonly bytes: number;
}
