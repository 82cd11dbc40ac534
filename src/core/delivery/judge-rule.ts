import { LRUCache } from 'lru-cache';
import type { KubeObject } from '../../api/object.ts';
import type { HealthRule } from '../../api/work.ts';
import { CelError, type CelProgram } from '../../cel/cel.ts';
import { celTypes, printType } from '../../cel/cel-type.ts';
import { compileCel } from '../../cel/compile-cel.ts';
import { deletionTimeOf } from './observed-fields.ts';

export interface CompiledRule {
  /** Why an object does not fulfil the rule; undefined when it does. */
  judge(obj: KubeObject): string | undefined;
}

const variables = { obj: celTypes.dyn };
const compiled = new LRUCache<string, CompiledRule>({ max: 500 });

/** Throws, in the words of the compiler of CEL, when an expression is wrong. */
export function compileRule({ healthy, message }: Pick<HealthRule, 'healthy' | 'message'>): CompiledRule {
  const key = JSON.stringify([healthy, message]);
  const known = compiled.get(key);
  if (known) return known;
  const isHealthy = compileAs(healthy, 'bool', 'healthy');
  const words = message === undefined ? undefined : compileAs(message, 'string', 'message');
  const rule = { judge: (obj: KubeObject) => judge(obj, isHealthy, words) };
  compiled.set(key, rule);
  return rule;
}

function compileAs(expression: string, type: 'bool' | 'string', field: string): CelProgram {
  const program = compileCel(expression, { variables });
  const found = printType(program.resultType);
  if (found !== type && found !== 'dyn') throw new Error(`${field} must give a ${type}, not a ${found}`);
  return program;
}

function judge(obj: KubeObject, isHealthy: CelProgram, words: CelProgram | undefined): string | undefined {
  // What goes is nobody's trouble.
  if (deletionTimeOf(obj) !== '') return undefined;
  try {
    const verdict = isHealthy.evaluate({ obj });
    if (verdict === true) return undefined;
    if (verdict !== false) return 'the rule gives no boolean';
    return words === undefined ? 'unhealthy' : String(words.evaluate({ obj }));
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return error.message;
  }
}
