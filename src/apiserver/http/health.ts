import { sendText } from './answer.ts';
import type { RequestScope } from './request-scope.ts';

/** Named checks; each answers undefined when all is well, or why not. */
export type HealthChecks = Readonly<Record<string, () => string | undefined>>;

export async function serveHealth(scope: RequestScope, segments: readonly string[], checks: HealthChecks): Promise<boolean> {
  const [endpoint = '', only] = segments;
  const { query } = scope.info;
  if (segments.length > 2) return false;
  if (only !== undefined) {
    const check = Object.hasOwn(checks, only) ? checks[only] : undefined;
    if (!check) return false;
    const failure = check();
    await sendText(scope, failure === undefined ? 200 : 500, failure === undefined ? 'ok' : `internal server error: ${failure}\n`);
    return true;
  }
  const excluded = new Set(query.getAll('exclude'));
  const lines: string[] = [];
  let isHealthy = true;
  for (const [name, check] of Object.entries(checks)) {
    if (excluded.has(name)) {
      lines.push(`[+]${name} excluded: ok`);
      continue;
    }
    if (check() === undefined) lines.push(`[+]${name} ok`);
    else {
      isHealthy = false;
      lines.push(`[-]${name} failed: reason withheld`);
    }
  }
  if (!isHealthy) await sendText(scope, 500, `${lines.join('\n')}\n${endpoint} check failed\n`);
  else await sendText(scope, 200, query.has('verbose') ? `${lines.join('\n')}\n${endpoint} check passed\n` : 'ok');
  return true;
}
