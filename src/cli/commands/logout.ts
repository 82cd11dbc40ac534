import type { Command } from 'commander';
import { keptLogins } from '../login/kept-logins.ts';
import { notSignedIn, theOnlyLogin } from '../login/sign-in-state.ts';
import { signInDesk } from '../login/sign-in-desk.ts';
import { parseHubUrl } from '../login/trust-hub.ts';
import { errorText } from '../../util/error-text.ts';
import type { Terminal } from '../terminal.ts';

export function defineLogout(command: Command, terminal: Terminal): void {
  command
    .argument('[url]', 'address of the hub (default: the only one where you are signed in)')
    .addHelpText(
      'after',
      '\nTakes back the token that "drover login" got, and forgets it. The kubeconfig stays, and is good again after the next login.',
    )
    .action((url: string | undefined) => logout(url, terminal));
}

async function logout(url: string | undefined, terminal: Terminal): Promise<void> {
  const { env, signal } = terminal;
  const logins = keptLogins(env);
  const login = url === undefined ? theOnlyLogin(logins) : logins.get(parseHubUrl(url));
  if (!login) throw notSignedIn(url);
  const { server, ca, token, expiresAt } = login;
  await using desk = signInDesk({ server, ca, env, signal });
  const answer = await desk.ask('POST', '/v3/tokens?action=logout', {}, token).catch((error: unknown) => errorText(error));
  logins.forget(server);
  const until = expiresAt === '' ? '' : ` until ${expiresAt}`;
  // A token that the hub does not take is of no use to anybody.
  if (typeof answer === 'string' || (answer.status !== 200 && answer.status !== 401))
    terminal.err(
      `Warning: the hub did not take the token back (${typeof answer === 'string' ? answer : answer.status}); it is good${until}\n`,
    );
  terminal.out(`signed out at ${server}\n`);
}
