import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a person says on the command line. */
export interface AgentFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly server?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly caChecksum?: string;
  readonly state?: string;
}

export interface AgentSettings {
  /** Without a slash at its end. */
  readonly server: string;
  readonly token: string | undefined;
  readonly caChecksum: string | undefined;
  readonly acceptsSystemAuthorities: boolean;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Where the import manifest mounts the credentials. */
const credentialsDir = '/cattle-credentials';

/** Flags first, then the environment of Rancher's agent, then the mounted credentials. Throws an Error that says what is missing or wrong. */
export function readSettings(flags: AgentFlags, env: Env, dir = credentialsDir): AgentSettings {
  const server = flags.server ?? (env['CATTLE_SERVER'] || readIfThere(join(dir, 'url')));
  if (server === undefined) throw new Error('the address of the hub is not known: give it with --server');
  const caChecksum = flags.caChecksum ?? (env['CATTLE_CA_CHECKSUM'] || undefined);
  return {
    server: parseServer(server),
    token: parseToken(tokenFrom(flags) ?? (env['CATTLE_TOKEN'] || readIfThere(join(dir, 'token')))),
    caChecksum: parseChecksum(caChecksum),
    acceptsSystemAuthorities: env['STRICT_VERIFY'] === 'false',
  };
}

function tokenFrom({ token, tokenFile }: AgentFlags): string | undefined {
  if (token !== undefined && tokenFile !== undefined) throw new Error('only one of --token and --token-file can be meant');
  if (tokenFile === undefined) return token;
  try {
    return readFileSync(tokenFile, 'utf8');
  } catch (cause) {
    throw new Error(`cannot read the token in "${tokenFile}"`, { cause });
  }
}

function parseServer(text: string): string {
  const url = URL.parse(text.trim());
  if (url?.protocol !== 'https:') throw new Error(`the address of the hub must begin with "https://", not ${JSON.stringify(text)}`);
  if (url.username !== '' || url.search !== '' || url.hash !== '')
    throw new Error('the address of the hub holds more than host, port and path');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function parseToken(text: string | undefined): string | undefined {
  const token = text?.trim();
  if (token === undefined || token === '') return undefined;
  if (!/^[\x21-\x7e]{1,1000}$/.test(token)) throw new Error('the registration token holds characters that no token has');
  return token;
}

function parseChecksum(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const checksum = text.trim().toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(checksum)) throw new Error(`the checksum ${JSON.stringify(text)} is not a SHA-256 in hexadecimal`);
  return checksum;
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw new Error(`cannot read "${file}"`, { cause: error });
  }
}
