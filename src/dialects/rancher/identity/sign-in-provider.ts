import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '../../../util/json.ts';
import type { AuthConfig, User } from '../kinds/user.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { invalidBody } from '../v3/norman-error.ts';
import { localProvider } from './identity-names.ts';
import type { UserDesk } from './user-desk.ts';

export interface SignedInPerson {
  readonly user: User;
  /** The password that was shown, when it was one. The session ends with it. */
  readonly passwordId?: string;
  /** The provider with which the session ends, where it is another. */
  readonly authProvider?: string;
}

/** A way to sign in. */
export interface SignInProvider {
  /** As AuthConfigs, Tokens and paths call it: `local`. */
  readonly name: string;
  /** As bodies and lists call its kind: `localProvider`. */
  readonly type: string;
  isEnabled(): boolean;
  /** Whether it is for programs that know of it, and not for people to choose. */
  readonly isUnlisted?: boolean;
  /** Whether people leave for the provider in a browser to sign in with it. */
  readonly isInBrowser?: boolean;
  /** What everybody may know of it, besides its name and type. */
  view?(base: string): JsonObject;
  /** Whose credentials are guessed with this body, so that guesses can be counted. Nobody's when undefined. */
  claimed?(body: JsonObject): string | undefined;
  /** Whether somebody signs in with this name: what else was typed there may have been a password, and is not written down. */
  isKnown?(claimed: string): boolean;
  /** Whom the body proves to be. Throws StatusErrors: 401 for credentials that are wrong, 403 for people who may not come in. */
  signIn(body: JsonObject, req: IncomingMessage): Promise<SignedInPerson>;
}

/** Passwords that the hub keeps itself. */
export function localSignIn(users: Pick<UserDesk, 'signIn' | 'find'>, providers: Pick<Informer<AuthConfig>, 'get'>): SignInProvider {
  return {
    name: localProvider,
    type: 'localProvider',
    isEnabled: () => providers.get(localProvider)?.enabled !== false,
    claimed: body => (typeof body['username'] === 'string' ? body['username'] : undefined),
    isKnown: username => users.find(username) !== undefined,
    async signIn({ username, password }) {
      if (typeof username !== 'string' || typeof password !== 'string') throw invalidBody('username and password must be texts');
      return users.signIn(username, password);
    },
  };
}
