import type { IncomingMessage } from 'node:http';
import { note } from '../../../auth/request-notes.ts';
import { failureLimit, networkOf } from '../../../gateway/failure-limit.ts';
import { pagePath } from '../../../gateway/page/page-route.ts';
import { requestLimit } from '../../../gateway/request-limit.ts';
import type { JsonObject } from '../../../util/json.ts';
import { timestamp } from '../../../util/timestamp.ts';
import { invalidAction, methodNotSupported, mustAuthenticate } from '../v3/norman-error.ts';
import type { NormanAnswer } from '../v3/norman-type.ts';
import { parseLogin, type ProgramLogin } from './program-login.ts';
import type { ProgramLogins } from './program-logins.ts';
import type { IssuedToken, KnownToken } from './token-desk.ts';

export interface ProgramLoginRoutesDeps {
  readonly logins: ProgramLogins;
  /** Undefined when nobody is signed in; throws when another site may have sent the request. */
  signedIn(req: IncomingMessage): KnownToken | undefined;
  base(req: IncomingMessage): string;
  body(req: IncomingMessage): Promise<JsonObject>;
  readonly now?: () => number;
}

export const programLoginsType = 'programlogins';

/** How often a program is to ask. */
const everySeconds = 2;

/**
 * `/v1-public/programLogins`: a program posts what it wants and is given a code and a link; somebody who is signed in looks (`GET …/CODE`) and decides (`?action=allow`,
 * `deny`); the program takes its token (`?action=take`), with the secret whose hash it sent first.
 */
export function programLoginRoutes({ logins, signedIn, base, body, now = Date.now }: ProgramLoginRoutesDeps) {
  const guesses = failureLimit(now);
  const beginnings = requestLimit({ burst: 30, perSecond: 0.2 }, now);
  const questions = requestLimit({ burst: 5, perSecond: 1 }, now);

  return async (req: IncomingMessage, code: string | undefined, action: string): Promise<NormanAnswer> => {
    const { method = '' } = req;
    if (code === undefined) return method === 'POST' ? begin(req) : refuse(method);
    if (method === 'GET') return show(req, code);
    if (method !== 'POST') return refuse(method);
    if (action === 'take') return take(req, code);
    if (action !== 'allow' && action !== 'deny') throw invalidAction(action);
    return decide(req, code, action);
  };

  async function begin(req: IncomingMessage): Promise<NormanAnswer> {
    const { remoteAddress: from = '' } = req.socket;
    beginnings.spend(networkOf(from), 'too many programs asked from your address');
    const login = parseLogin(await body(req), { from, nowMs: now() });
    const code = await logins.begin(login);
    const page = `${base(req)}${pagePath}allow`;
    const answer = { id: code, type: 'programLogin', code, page, link: `${page}?code=${code}`, everySeconds };
    return { status: 201, body: { ...answer, expiresAt: timestamp(new Date(login.endsAtMs)) } };
  }

  async function show(req: IncomingMessage, code: string): Promise<NormanAnswer> {
    somebody(req);
    return { status: 200, body: { id: code.toUpperCase(), ...view(await guesses.guard(req, () => logins.show(code))) } };
  }

  async function decide(req: IncomingMessage, code: string, action: 'allow' | 'deny'): Promise<NormanAnswer> {
    const by = somebody(req);
    const returnTo = await guesses.guard(req, () =>
      action === 'allow' ? logins.allow(code, by) : logins.deny(code).then(() => undefined),
    );
    return { status: 200, body: { type: 'programLogin', ...(returnTo !== undefined && { returnTo }) } };
  }

  async function take(req: IncomingMessage, code: string): Promise<NormanAnswer> {
    questions.spend(code, 'the program asks too often');
    const { verifier, code: pass } = await body(req);
    const issued = await guesses.guard(req, () => logins.take(code, { verifier, pass }));
    if (!issued) return { status: 202, body: { type: 'programLogin', state: 'pending' } };
    note(req, { user: { name: issued.token.userId, groups: [] } });
    return { status: 201, body: given(issued) };
  }

  function somebody(req: IncomingMessage): KnownToken {
    const known = signedIn(req);
    if (!known) throw mustAuthenticate();
    note(req, { user: known.user });
    return known;
  }
}

const view = ({ program, from, askedAtMs, endsAtMs, loopback, verdict }: ProgramLogin): JsonObject => ({
  type: 'programLogin',
  program,
  from,
  askedAt: timestamp(new Date(askedAtMs)),
  expiresAt: timestamp(new Date(endsAtMs)),
  /** Whether it is only for the machine of the browser. */
  isHere: loopback !== undefined,
  isDecided: verdict !== undefined,
});

const given = ({ token, bearer }: IssuedToken): JsonObject => ({
  id: token.metadata.name ?? '',
  type: 'token',
  token: bearer,
  userId: token.userId,
  expiresAt: token.expiresAt ?? '',
});

function refuse(method: string): never {
  throw methodNotSupported(method);
}
