import { isSuccessCode } from '../../../core/gates/success-codes.ts';
import { durationMs } from '../../../util/duration.ts';
import { evaluateCondition } from '../expressions/condition.ts';
import { renderText } from '../expressions/render-text.ts';
import type { AskedAddress, HttpAnswer } from './ask-http.ts';
import { dueAfter } from './gate-state.ts';
import type { Judging, Verdict } from './judge.ts';

const defaultIntervalMs = 10_000;

/** Asks an address until so many answers in a row are good. */
export function judgeHttp(judging: Judging, fetch: (asked: AskedAddress, signal: AbortSignal) => Promise<HttpAnswer>): Verdict {
  const { gate, request, state, nowMs, ask } = judging;
  const { scope } = request;
  const asked = numberOf(state['asked']);
  const good = numberOf(state['good']);
  const lastMs = numberOf(state['lastMs']);
  const dueMs = asked === 0 ? 0 : dueAfter(lastMs, durationMs(gate.interval) || defaultIntervalMs, nowMs);
  const waiting = typeof state['message'] === 'string' ? { message: state['message'] } : {};
  const kept = { asked, good, lastMs, ...waiting };
  if (nowMs < dueMs) return { phase: 'Running', ...waiting, state: kept, wakeAt: new Date(dueMs) };
  const answer = ask('http', asked + 1, signal =>
    fetch(
      {
        url: renderText(gate.url ?? '', scope),
        method: (gate.method ?? 'GET').toUpperCase(),
        headers: Object.fromEntries(Object.entries(gate.headers ?? {}).map(([name, value]) => [name, renderText(value, scope)])),
        ...(gate.body !== undefined && { body: renderText(gate.body, scope) }),
      },
      signal,
    ),
  );
  if (!answer) return { phase: 'Running', ...waiting, state: kept };
  const problem = problemOf(judging, answer);
  const inRow = problem === undefined ? good + 1 : 0;
  const outputs = answer instanceof Error ? {} : { outputs: { httpResponseCode: String(answer.code), httpResponseBody: answer.body } };
  if (inRow >= (gate.consecutive ?? 1)) return { phase: 'Successful', ...outputs };
  const next = { asked: asked + 1, good: inRow, lastMs: nowMs, ...(problem !== undefined && { message: problem }) };
  const wakeAt = new Date(nowMs + (durationMs(gate.interval) || defaultIntervalMs));
  return { phase: 'Running', ...(problem !== undefined && { message: problem }), ...outputs, state: next, wakeAt };
}

function problemOf({ gate, request }: Judging, answer: HttpAnswer | Error): string | undefined {
  if (answer instanceof Error) return answer.message;
  if (!isSuccessCode(answer.code, gate.successCodes)) return `The answer was ${answer.code}`;
  if (gate.condition === undefined) return undefined;
  const facts: Readonly<Record<string, unknown>> = { httpResponseCode: String(answer.code), httpResponseBody: answer.body };
  const holds = evaluateCondition(gate.condition, path => facts[path] ?? request.scope(path));
  return holds ? undefined : `The answer does not fulfil ${gate.condition}`;
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);
