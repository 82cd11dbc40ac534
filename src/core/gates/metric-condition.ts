import { LRUCache } from 'lru-cache';
import type { CelProgram } from '../../cel/cel.ts';
import { celTypes } from '../../cel/cel-type.ts';
import { compileCel } from '../../cel/compile-cel.ts';

const compiled = new LRUCache<string, CelProgram>({ max: 500 });

/** Whether a condition over `result`, such as `result[0] >= 0.95`, holds. Throws when it cannot be read, fails, or is neither true nor false. */
export function conditionHolds(condition: string, result: unknown): boolean {
  let program = compiled.get(condition);
  if (!program) compiled.set(condition, (program = compileCel(condition, { variables: { result: celTypes.dyn } })));
  const verdict = program.evaluate({ result });
  if (typeof verdict !== 'boolean') throw new Error(`the condition "${condition}" is neither true nor false`);
  return verdict;
}
