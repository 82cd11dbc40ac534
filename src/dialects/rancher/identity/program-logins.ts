import { Namespace, Secret } from '../../../api/builtin-kinds.ts';
import { withType } from '../../../api/define-kind.ts';
import { StatusError, tooManyRequests, unauthorized } from '../../../api/status.ts';
import { createMissing } from '../../../client/create-missing.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { localProvider, passwordNamespace as namespace } from './identity-names.ts';
import type { IdentityObjects } from './identity-objects.ts';
import {
  contentOf,
  hashOf,
  knows,
  loginLabel,
  loginSecret,
  newCode,
  newPass,
  readCode,
  readLogin,
  returnAddress,
  secretName,
  wishOf,
  type ProgramLogin,
} from './program-login.ts';
import type { IssuedToken, KnownToken, TokenDesk } from './token-desk.ts';

export interface ProgramLoginsDeps {
  /** As the hub itself. */
  readonly hub: KubeClient;
  readonly users: IdentityObjects['users'];
  readonly tokens: Pick<TokenDesk, 'issue'>;
  readonly now?: () => number;
}

/**
 * How a program in a terminal gets a token without ever seeing a password: it asks, somebody who is signed in compares the code and decides, it takes what it was given.
 * What was asked lies in the hub's API, so that any replica knows of it; the token is made when it is taken, and kept nowhere. Every call throws StatusErrors: 404 for
 * codes that are unknown, too old, used, or somebody else's.
 */
export interface ProgramLogins {
  /** The code by which people know it. Throws 429 when too many wait. */
  begin(login: ProgramLogin): Promise<string>;
  /** What somebody decides about. */
  show(code: string): Promise<ProgramLogin>;
  /** The address on their own machine to which whoever allowed it brings what the program needs, if it listens there. Throws 409 when it was decided already. */
  allow(code: string, by: KnownToken): Promise<string | undefined>;
  deny(code: string): Promise<void>;
  /** Undefined until somebody has decided. Throws 403 when they decided against it. */
  take(code: string, proof: { readonly verifier: unknown; readonly pass: unknown }): Promise<IssuedToken | undefined>;
}

const mostAtOnce = 500;
const timeoutMs = 10_000;
const maxTries = 5;

export function programLogins({ hub, users, tokens, now = Date.now }: ProgramLoginsDeps): ProgramLogins {
  return { begin, show: async code => (await find(code)).login, allow, deny, take };

  async function begin(login: ProgramLogin): Promise<string> {
    await createMissing(hub, Namespace, withType(Namespace, { metadata: { name: namespace } }), { timeoutMs });
    if ((await countAfterPurge()) >= mostAtOnce) throw tooManyRequests('too many programs wait to be allowed', 60);
    for (let attempt = 1; ; attempt++) {
      const code = newCode();
      try {
        await hub.create(Secret, loginSecret(code, login), { timeoutMs });
        return code;
      } catch (error) {
        const isTaken = error instanceof StatusError && error.reason === 'AlreadyExists';
        if (!isTaken || attempt === maxTries) throw error;
      }
    }
  }

  /** Those that are too old go when the next one comes. */
  async function countAfterPurge(): Promise<number> {
    const { items } = await hub.list(Secret, { namespace, labelSelector: loginLabel, timeoutMs });
    const old = items.filter(secret => !isAlive(readLogin(secret)));
    for (const { metadata } of old) await hub.delete(Secret, { namespace, name: metadata.name! }, { timeoutMs });
    return items.length - old.length;
  }

  function isAlive(login: ProgramLogin | undefined): login is ProgramLogin {
    return login !== undefined && login.endsAtMs > now();
  }

  async function find(text: string) {
    const code = readCode(text);
    const secret = code && (await hub.get(Secret, { namespace, name: secretName(code) }, { timeoutMs }));
    const login = secret ? readLogin(secret) : undefined;
    if (!secret || !isAlive(login)) throw noSuchCode();
    return { secret, login };
  }

  async function allow(code: string, { token: by }: KnownToken): Promise<string | undefined> {
    const { secret, login } = await find(code);
    const { loopback } = login;
    const pass = loopback && newPass();
    const { userId, authProvider = localProvider } = by;
    await decide(secret, { ...login, verdict: { isAllowed: true, userId, authProvider, passHash: pass && hashOf(pass) } });
    return loopback && returnAddress(loopback, pass!);
  }

  async function deny(code: string): Promise<void> {
    const { secret, login } = await find(code);
    await decide(secret, { ...login, verdict: { isAllowed: false } });
  }

  async function decide(secret: Secret, login: ProgramLogin): Promise<void> {
    if (readLogin(secret)?.verdict) throw alreadyDecided();
    try {
      await hub.update(Secret, { ...secret, data: contentOf(login) }, { timeoutMs });
    } catch (error) {
      throw error instanceof StatusError && error.reason === 'Conflict' ? alreadyDecided() : error;
    }
  }

  async function take(code: string, { verifier, pass }: { verifier: unknown; pass: unknown }): Promise<IssuedToken | undefined> {
    const { secret, login } = await find(code);
    const { verdict, loopback } = login;
    if (!knows(verifier, login.challenge)) throw noSuchCode();
    // Only the browser on the same machine can bring the pass: whoever allowed the login of somebody elsewhere has given them nothing.
    if (!verdict || (verdict.isAllowed && loopback && pass === undefined)) return undefined;
    if (verdict.isAllowed && loopback && !knows(pass, verdict.passHash ?? '')) throw noSuchCode();
    if (!(await remove(secret))) throw noSuchCode();
    if (!verdict.isAllowed) throw new StatusError(403, 'Forbidden', 'it was not allowed');
    const user = users.get(verdict.userId);
    if (!user || user.enabled === false) throw unauthorized();
    const { isCookie: _isCookie, ...wish } = wishOf(login.program, login.ttlMs);
    return tokens.issue({ ...wish, user, authProvider: verdict.authProvider, isDerived: true });
  }

  /** Of all who come at the same time, one gets it. */
  async function remove({ metadata: { name = '', uid = '', resourceVersion = '' } }: Secret): Promise<boolean> {
    try {
      return await hub.delete(Secret, { namespace, name }, { preconditions: { uid, resourceVersion }, timeoutMs });
    } catch (error) {
      if (error instanceof StatusError && error.code === 409) return false;
      throw error;
    }
  }
}

const noSuchCode = () => new StatusError(404, 'NotFound', 'the code is not known, has been used, or is too old');
const alreadyDecided = () => new StatusError(409, 'Conflict', 'this was decided already');
