import { bearer, type CredentialSource } from '../../client/credential.ts';
import { isJsonObject } from '../../util/json.ts';
import { keptLogins } from '../login/kept-logins.ts';
import { notSignedIn, refuseExpired } from '../login/sign-in-state.ts';
import type { Terminal } from '../terminal.ts';
import { flatEntries } from './flat-entries.ts';
import type { ChosenHub } from './choose-hub.ts';

/**
 * The same hub. Where its kubeconfig says to ask `drover token`, we ask ourselves: that is quicker, and says better what to do when there is no token. Undefined when
 * "drover login" did not write it.
 */
export function withOwnLogin({ context, files }: ChosenHub, env: Terminal['env']): ChosenHub | undefined {
  const server = ownServer(flatEntries(files, context.name).user['exec']);
  if (server === undefined || !`${context.connection.server}/`.startsWith(`${server}/`)) return undefined;
  const credentials: CredentialSource = {
    current() {
      const login = keptLogins(env).get(server);
      if (!login) throw notSignedIn(server);
      refuseExpired(login, Date.now());
      return bearer(login.token);
    },
  };
  return { files, context: { ...context, connection: { ...context.connection, credentials } } };
}

/** The hub whose token a plugin prints, if the plugin is this program. */
function ownServer(exec: unknown): string | undefined {
  if (!isJsonObject(exec)) return undefined;
  const { command, args } = exec;
  if (typeof command !== 'string' || !Array.isArray(args)) return undefined;
  const [verb, server] = args.slice(-2);
  const program = args.length > 2 ? args[0] : command;
  const isOurs = typeof program === 'string' && /(?:^|[/\\])(?:kubectl-)?drover(?:\.js)?$/.test(program) && verb === 'token';
  return isOurs && typeof server === 'string' ? server : undefined;
}
