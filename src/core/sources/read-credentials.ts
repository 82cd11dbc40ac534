import { Secret } from '../../api/builtin-kinds.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import type { SourceCredentials } from '../../sources/credentials.ts';
import { SourceError } from '../../sources/source-error.ts';

/** What a Secret says about how to get at a source. Its keys are those of the Secrets that others use for this. */
export async function readCredentials(
  hub: KubeClient,
  { namespace, secretName, repository }: { namespace: string; secretName: string | undefined; repository: string },
  signal: AbortSignal,
): Promise<SourceCredentials> {
  if (secretName === undefined || secretName === '') return {};
  const secret = await hub.get(Secret, { namespace, name: secretName }, { signal });
  if (!secret) throw new SourceError(`there is no Secret "${secretName}" in namespace "${namespace}"`, { isFinal: true });
  const text = (key: string): string | undefined => {
    const value = secret.data?.[key];
    return value === undefined ? undefined : Buffer.from(value, 'base64').toString();
  };
  const login = text('.dockerconfigjson');
  const [username, password] =
    login === undefined ? [text('username') ?? text('accesskey'), text('password') ?? text('secretkey')] : loginFor(repository, login);
  return {
    username,
    password,
    tls: { ca: text('ca.crt'), certificate: text('tls.crt'), key: text('tls.key') },
    sshKey: text('ssh-privatekey') ?? text('identity'),
    knownHosts: text('known_hosts'),
  };
}

/** From the file that container engines keep: user and password for the host of the registry. */
function loginFor(repository: string, text: string): [string | undefined, string | undefined] {
  const [, host] = /^[a-z+]+:\/\/([^/]+)/.exec(repository) ?? [];
  let auths: Record<string, { username?: unknown; password?: unknown; auth?: unknown } | null> | undefined;
  try {
    ({ auths } = JSON.parse(text) as { auths?: typeof auths });
  } catch {
    throw new SourceError('the Secret has a ".dockerconfigjson" that cannot be read', { isFinal: true });
  }
  const entry = Object.entries(auths ?? {}).find(([place]) => place.replace(/^https?:\/\//, '').split('/', 1)[0] === host)?.[1];
  if (!entry) return [undefined, undefined];
  if (typeof entry.auth === 'string' && entry.auth !== '') {
    const [user, ...rest] = Buffer.from(entry.auth, 'base64').toString().split(':');
    return [user, rest.join(':')];
  }
  return [typeof entry.username === 'string' ? entry.username : undefined, typeof entry.password === 'string' ? entry.password : undefined];
}
