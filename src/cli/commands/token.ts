import type { Command } from 'commander';
import { isJsonObject } from '../../util/json.ts';
import { keptLogins } from '../login/kept-logins.ts';
import { notSignedIn, refuseExpired, theOnlyLogin } from '../login/sign-in-state.ts';
import { parseHubUrl } from '../login/trust-hub.ts';
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
