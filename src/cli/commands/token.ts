import type { Command } from 'commander';
import { isJsonObject } from '../../util/json.ts';
import { keptLogins } from '../login/kept-logins.ts';
import { notSignedIn, refuseExpired, theOnlyLogin } from '../login/sign-in-state.ts';
import { createOwnToken, listOwnTokens, revokeOwnToken, type CreateTokenOptions, type OwnTokenOptions } from '../login/own-tokens.ts';
import { parseHubUrl } from '../login/trust-hub.ts';
import { parseSeconds } from '../option-values.ts';
import { jsonText } from '../output/json-text.ts';
import type { Terminal } from '../terminal.ts';

const apiVersions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'] as const;

export function defineToken(command: Command, terminal: Terminal): void {
  command
    .argument('[url]', 'address of the hub (default: the only one where you are signed in)')
    .addHelpText(
      'after',
      '\nPrints an ExecCredential with the token that "drover login" got, as kubectl and all clients of Kubernetes ask for it.',
    )
    .action((url: string | undefined) => token(url, terminal));
  const part = (name: string, description: string) =>
    command
      .command(name)
      .description(description)
      .option('--server <url>', 'address of the hub (default: the only one where you are signed in)');
  part('list', 'show the tokens that you have; * marks the one of this login').action((options: OwnTokenOptions) =>
    listOwnTokens(options, terminal),
  );
  part('create', 'make a token for a program of yours, and print it once')
    .option('--description <text>', 'what it is for')
    .option('--cluster <name>', 'the only cluster that it is good for (default: everything that you may do)')
    .option('--ttl <time>', 'how long it is to be good, such as 720h, as far as the hub allows (default: what the hub says)', parseSeconds)
    .action((options: CreateTokenOptions) => createOwnToken(options, terminal));
  part('revoke', 'take one of your tokens back')
    .argument('<name>', 'as the list has it')
    .action((name: string, options: OwnTokenOptions) => revokeOwnToken(name, options, terminal));
}

function token(url: string | undefined, terminal: Terminal): void {
  const logins = keptLogins(terminal.env);
  const login = url === undefined ? theOnlyLogin(logins) : logins.get(parseHubUrl(url));
  if (!login) throw notSignedIn(url);
  refuseExpired(login, Date.now());
  const { token: bearer, expiresAt } = login;
  const status = { token: bearer, ...(expiresAt !== '' && { expirationTimestamp: expiresAt }) };
  terminal.out(jsonText({ apiVersion: askedVersion(terminal.env), kind: 'ExecCredential', status }));
}

/** Programs say in which version they want the answer. */
function askedVersion({ KUBERNETES_EXEC_INFO: info = '' }: Terminal['env']): string {
  try {
    const asked: unknown = JSON.parse(info);
    return apiVersions.find(one => isJsonObject(asked) && asked['apiVersion'] === one) ?? apiVersions[0];
  } catch {
    return apiVersions[0];
  }
}
