import { evaluateCondition } from '../expressions/condition.ts';
import type { Judging, Verdict } from './judge.ts';

const lookEveryMs = 10_000;

/** What the expression names may come to be true: it is asked again until the time is over. */
export function judgeExpression({ gate, request, nowMs }: Judging): Verdict {
  if (evaluateCondition(gate.expr ?? '', request.scope)) return { phase: 'Successful' };
  return { phase: 'Running', message: `Waiting for ${gate.expr}`, wakeAt: new Date(nowMs + lookEveryMs) };
}
