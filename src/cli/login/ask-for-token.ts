import { createHash, randomBytes } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../util/json.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';
import { listenOnLoopback, type Loopback } from './loopback.ts';
import { openBrowser } from './open-browser.ts';
import { isUnreachable, refusal, type DeskAnswer, type SignInDesk } from './sign-in-desk.ts';

export interface GivenToken {
  /** `name:key`. */
  readonly token: string;
  /** Empty when it never ends by itself. */
  readonly expiresAt: string;
}

export interface AskOptions {
  readonly ttlMs?: number | undefined;
  readonly timeoutMs: number;
  /** Whether the browser is on this machine; otherwise it may be anywhere. */
  readonly isHere: boolean;
  /** What shows pages on this machine. */
  readonly browser?: string | undefined;
}

const path = '/v1-public/programLogins';
const again = 'start "drover login" again';

/** Asks the hub for a token that somebody allows in a browser, and waits for it. The hub learns our secret only when the token is taken. */
export async function askForToken(desk: SignInDesk, options: AskOptions, terminal: Terminal): Promise<GivenToken> {
  const { isHere, browser, ttlMs, timeoutMs } = options;
  const verifier = randomBytes(32).toString('base64url');
  await using loopback = isHere ? await listenOnLoopback() : undefined;
  const begun = await desk.ask('POST', path, {
    challenge: createHash('sha256').update(verifier).digest('base64url'),
    program: `drover login by ${nameHere()}`,
    ...(ttlMs !== undefined && { ttl: ttlMs }),
    ...(loopback && { port: loopback.port, state: loopback.state }),
  });
  if (begun.status === 404) throw refusal(begun, 'the hub cannot sign in programs', 'it may be older than this program; use --username');
  if (begun.status !== 201) throw refusal(begun, 'the hub does not let programs sign in now', 'try again in a minute, or use --username');
  const { code, link, page, everySeconds } = begun.body as Readonly<Record<string, string>> & { everySeconds: number };
  terminal.err(invitation({ code: code!, link: link!, page: page! }, isHere));
  if (isHere && browser !== undefined) openBrowser(browser, link!);
  const answer = await untilDecided({
    signal: terminal.signal,
    timeoutMs,
    everyMs: Math.max(1, everySeconds) * 1000,
    loopback,
    take: pass => desk.ask('POST', `${path}/${code}?action=take`, { verifier, ...(pass !== undefined && { code: pass }) }),
  });
  return givenToken(answer);
}

function invitation({ code, link, page }: { code: string; link: string; page: string }, isHere: boolean): string {
  if (isHere) return `To sign in, open this address on this machine and allow the code ${code}:\n\n  ${link}\n\n`;
  return `To sign in, open this address in any browser:\n\n  ${page}\n\nand allow the code\n\n  ${code}\n\nWith the code in it: ${link}\n\n`;
}

interface Waiting {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly everyMs: number;
  readonly loopback: Loopback | undefined;
  take(pass: string | undefined): Promise<DeskAnswer>;
}

async function untilDecided({ signal, timeoutMs, everyMs, loopback, take }: Waiting): Promise<DeskAnswer> {
  const endsAt = Date.now() + timeoutMs;
  let pass: string | undefined;
  const brought = loopback?.code.then(code => (pass = code));
  while (Date.now() < endsAt) {
    const pause = sleep(Math.min(everyMs, Math.max(1, endsAt - Date.now())), undefined, { signal });
    await (brought && pass === undefined ? Promise.race([pause, brought]) : pause);
    // A hub that is started anew still knows what was asked.
    const answer = await take(pass).catch((error: unknown) => {
      if (!isUnreachable(error)) throw error;
      return undefined;
    });
    if (answer && answer.status !== 202 && answer.status !== 429 && answer.status < 500) return answer;
  }
  throw new CommandError('nobody has allowed it in time', { exitCode: exitCodes.timedOut, hint: again });
}

export function givenToken(answer: DeskAnswer): GivenToken {
  if (answer.status === 403)
    throw new CommandError('it was refused in the browser', { hint: 'if that was you by mistake, start "drover login" again' });
  if (answer.status !== 201) throw refusal(answer, 'no token was given', again);
  const { token, expiresAt = '' } = answer.body as JsonObject;
  if (typeof token !== 'string' || typeof expiresAt !== 'string') throw new CommandError('the hub gave no token', { hint: again });
  return { token, expiresAt };
}

function nameHere(): string {
  try {
    return `${userInfo().username} on ${hostname()}`.slice(0, 150);
  } catch {
    return hostname().slice(0, 150);
  }
}
