import { isJsonObject, type JsonObject } from '../../util/json.ts';
import { CommandError } from '../exit-codes.ts';
import { TabWriter } from '../output/tab-writer.ts';
import { visibleLine } from '../output/visible-text.ts';
import type { Terminal } from '../terminal.ts';
import { keptLogins } from './kept-logins.ts';
import { refusal, signInDesk, type DeskAnswer } from './sign-in-desk.ts';
import { notSignedIn, refuseExpired, theOnlyLogin } from './sign-in-state.ts';
import { parseHubUrl } from './trust-hub.ts';

/** At which hub. */
export interface OwnTokenOptions {
  server?: string;
}

export interface CreateTokenOptions extends OwnTokenOptions {
  description?: string;
  cluster?: string;
  ttl?: number;
}

type Ask = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: JsonObject) => Promise<DeskAnswer>;

/** Asks a hub as whoever signed in there. */
async function withLogin<T>({ server: url }: OwnTokenOptions, { env, signal }: Terminal, deed: (ask: Ask) => Promise<T>): Promise<T> {
  const logins = keptLogins(env);
  const login = url === undefined ? theOnlyLogin(logins) : logins.get(parseHubUrl(url));
  if (!login) throw notSignedIn(url);
  refuseExpired(login, Date.now());
  const { server, ca, token } = login;
  await using desk = signInDesk({ server, ca, env, signal });
  return await deed(async (method, path, body) => {
    const answer = await desk.ask(method, path, body, token);
    if (answer.status < 300) return answer;
    if (answer.status === 404) throw new CommandError('you have no such token', { hint: '"drover token list" shows those you have' });
    throw refusal(answer, 'the hub refused', answer.status === 401 ? `sign in again: drover login ${server}` : 'drover token --help');
  });
}

const rowsOf = ({ body }: DeskAnswer): JsonObject[] => (Array.isArray(body['data']) ? body['data'].filter(isJsonObject) : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export async function listOwnTokens(options: OwnTokenOptions, terminal: Terminal): Promise<void> {
  const { tokens, clusters } = await withLogin(options, terminal, async ask => ({
    tokens: rowsOf(await ask('GET', '/v3/tokens')),
    clusters: rowsOf(await ask('GET', '/v3/clusters?limit=-1')),
  }));
  const names = new Map(clusters.map(one => [textOf(one['id']), textOf(one['name'])]));
  const table = new TabWriter();
  table.line('NAME\tCLUSTER\tLAST USED\tEXPIRES\tDESCRIPTION');
  for (const one of tokens) {
    const cluster = textOf(one['clusterId']);
    const cells = [
      `${textOf(one['id'])}${one['current'] === true ? ' *' : ''}`,
      names.get(cluster) ?? (cluster || '<all>'),
      textOf(one['lastUsedAt']) || '<never>',
      textOf(one['expiresAt']) || '<never>',
      textOf(one['description']) || '<none>',
    ];
    table.line(cells.map(cell => visibleLine(cell)).join('\t'));
  }
  terminal.out(table.flush());
}

/** Prints the token and nothing else, for whoever keeps it. */
export async function createOwnToken(
  { description = '', cluster, ttl, ...options }: CreateTokenOptions,
  terminal: Terminal,
): Promise<void> {
  const { body } = await withLogin(options, terminal, async ask => {
    const clusterId = cluster === undefined ? undefined : await idOf(cluster, ask);
    return ask('POST', '/v3/tokens', { description, ...(ttl !== undefined && { ttl }), ...(clusterId !== undefined && { clusterId }) });
  });
  const end = textOf(body['expiresAt']);
  terminal.err(`${textOf(body['id'])} created${end === '' ? '' : `, good until ${end}`}; it is not shown again\n`);
  terminal.out(`${textOf(body['token'])}\n`);
}

async function idOf(cluster: string, ask: Ask): Promise<string> {
  const found = rowsOf(await ask('GET', `/v3/clusters?name=${encodeURIComponent(cluster)}`))[0];
  if (!found)
    throw new CommandError(`there is no cluster "${cluster}", or none that you may see`, { hint: 'see them: drover get clusters' });
  return textOf(found['id']);
}

export async function revokeOwnToken(name: string, options: OwnTokenOptions, terminal: Terminal): Promise<void> {
  await withLogin(options, terminal, ask => ask('DELETE', `/v3/tokens/${encodeURIComponent(name)}`));
  terminal.out(`token/${visibleLine(name)} revoked\n`);
}
