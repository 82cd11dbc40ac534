import type { Command } from 'commander';
import { resolve } from 'node:path';
import { kubeconfigPaths, readKubeconfigFile } from '../../client/kubeconfig/kubeconfig-file.ts';
import { CommandError, usageError } from '../exit-codes.ts';
import { connectToHub } from '../hub-client.ts';
import { mergeKubeconfig } from '../kubeconfig/member-kubeconfig-document.ts';
import { writeKubeconfig } from '../kubeconfig/write-kubeconfig.ts';
import { askForToken, givenToken, type GivenToken } from '../login/ask-for-token.ts';
import { askSecret, askYes, readStandardInput } from '../login/ask-person.ts';
import { keptLogins } from '../login/kept-logins.ts';
import { contextName, hubBesideMembers, loginKubeconfig, ownCommand } from '../login/login-kubeconfig.ts';
import { browserProgram } from '../login/open-browser.ts';
import { refusal, signInDesk, type HubAddress, type SignInDesk } from '../login/sign-in-desk.ts';
import { parseHubUrl, trustHub } from '../login/trust-hub.ts';
import { parseSeconds } from '../option-values.ts';
import type { Terminal } from '../terminal.ts';

interface LoginOptions {
  device?: boolean;
  browser?: boolean;
  username?: string;
  passwordStdin?: boolean;
  token?: string;
  caFile?: string;
  caChecksum?: string;
  ttl?: number;
  timeout: number;
  output?: string;
}

export function defineLogin(command: Command, terminal: Terminal): void {
  command
    .argument(
      '[url]',
      'address of the hub, such as https://hub.example.com:7443 (default: where you are signed in, or the hub of your kubeconfig)',
    )
    .option('--browser', 'sign in with a browser on this machine (the default where there is one)')
    .option('--device', 'sign in with a browser anywhere: a code is shown, and allowed there')
    .option('--username <name>', 'sign in with a name and a password of the hub; the password is asked for')
    .option('--password-stdin', 'read the password from standard input')
    .option('--token <token>', 'keep a token that you have; "-" reads it from standard input, where others cannot see it')
    .option('--ca-file <file>', 'authorities that vouch for the hub, PEM')
    .option('--ca-checksum <sha256>', 'which of the authorities that the hub shows are right')
    .option('--ttl <time>', 'how long the token is to be good, as far as the hub allows (default: what the hub says)', parseSeconds)
    .option('--timeout <time>', 'how long to wait for the browser', parseSeconds, 600_000)
    .option('-o, --output <file>', 'kubeconfig to write to (default: the one that kubectl uses)')
    .addHelpText(
      'after',
      '\nThe kubeconfig holds no secret: kubectl asks "drover token", which reads the token from ~/.drover/logins. "drover logout" takes it back.',
    )
    .action((url: string | undefined, options: LoginOptions) => login(url, options, terminal));
}

async function login(url: string | undefined, options: LoginOptions, terminal: Terminal): Promise<void> {
  refuseContradictions(options);
  const logins = keptLogins(terminal.env);
  const asked = url === undefined ? await knownHub(terminal) : { server: parseHubUrl(url) };
  const ca = logins.get(asked.server)?.ca;
  const hub = await trustHub({ ca, ...asked }, options, terminal, question => askYes(question, terminal));
  await using desk = signInDesk({ ...hub, env: terminal.env, signal: terminal.signal });
  const given = await obtainToken(desk, options, terminal);
  const username = await whoIs(desk, given.token);
  const old = logins.get(hub.server);
  logins.keep({ ...hub, ...given, username });
  // What nobody can use any more should not be good any more.
  if (old && old.token !== given.token) await desk.ask('POST', '/v3/tokens?action=logout', {}, old.token).catch(() => undefined);
  const file = resolve(options.output ?? kubeconfigPaths(terminal.env)[0]!);
  const document = loginKubeconfig(hub, await apiOf(desk, hub.server, given.token), ownCommand(terminal.env));
  const present = readKubeconfigFile(file)?.content;
  const current = { 'current-context': contextName(hub.server) };
  writeKubeconfig(file, present ? { ...mergeKubeconfig(present, document), ...current } : document);
  const until = given.expiresAt === '' ? '' : ` until ${given.expiresAt}`;
  terminal.out(`signed in at ${hub.server} as ${username}${until}\n`);
  terminal.out(`context "${contextName(hub.server)}" written to ${file}, and chosen there\n`);
}

function refuseContradictions({ device, browser, username, token, passwordStdin, ttl }: LoginOptions): void {
  const ways = [device && '--device', browser && '--browser', username !== undefined && '--username', token !== undefined && '--token'];
  const chosen = ways.filter(Boolean);
  if (chosen.length > 1) throw usageError(`${chosen.join(' and ')} are different ways to sign in`, 'choose one of them');
  if (passwordStdin && username === undefined) throw usageError('--password-stdin needs --username');
  if (ttl !== undefined && token !== undefined) throw usageError('--ttl is for new tokens; this one is as long good as it is');
}

/** The hub that the caller means without naming it. */
async function knownHub(terminal: Terminal): Promise<HubAddress> {
  const kept = keptLogins(terminal.env).list();
  if (kept.length === 1) return { server: kept[0]!.server, ca: kept[0]!.ca };
  if (kept.length > 1)
    throw usageError('you have signed in at several hubs; which one?', `drover login ${kept.map(({ server }) => server).join(' | ')}`);
  try {
    await using hub = await connectToHub({}, terminal);
    const { server, authorities } = await hub.gateway();
    return { server: parseHubUrl(server), ca: authorities ?? hub.chosen.context.connection.ca };
  } catch (cause) {
    throw new CommandError('the address of the hub is not known', { cause, hint: 'name it: drover login https://hub.example.com:7443' });
  }
}

async function obtainToken(desk: SignInDesk, options: LoginOptions, terminal: Terminal): Promise<GivenToken> {
  const { username, token, ttl: ttlMs, timeout: timeoutMs } = options;
  if (token !== undefined) return checked(desk, token === '-' ? await readStandardInput() : token);
  if (username !== undefined) {
    const password = options.passwordStdin ? await readStandardInput() : await askSecret(`Password of ${username}: `, terminal);
    const wish = { responseType: 'kubeconfig', description: 'drover login', ...(ttlMs !== undefined && { ttl: ttlMs }) };
    const answer = await desk.ask('POST', '/v3-public/localProviders/local?action=login', { username, password, ...wish });
    if (answer.status !== 201)
      throw refusal(
        answer,
        `"${username}" could not sign in`,
        'look at the name and the password; people of another provider sign in with --browser or --device',
      );
    return givenToken(answer);
  }
  const browser = browserProgram(terminal.env);
  return askForToken(desk, { ttlMs, timeoutMs, browser, isHere: options.browser ?? (!options.device && browser !== undefined) }, terminal);
}

/** A token that somebody brought, with its end. */
async function checked(desk: SignInDesk, token: string): Promise<GivenToken> {
  const [name = ''] = token.split(':', 1);
  const answer = await desk.ask('GET', `/v3/tokens/${encodeURIComponent(name.replace(/^ext\//, ''))}`, undefined, token);
  if (answer.status === 401) throw refusal(answer, 'the hub does not take this token', 'it may have expired or belong to another hub');
  const { expiresAt } = answer.body;
  return { token, expiresAt: typeof expiresAt === 'string' ? expiresAt : '' };
}

async function whoIs(desk: SignInDesk, token: string): Promise<string> {
  const answer = await desk.ask('GET', '/v3/users?me=true', undefined, token);
  if (answer.status !== 200) throw refusal(answer, 'the hub does not take the token', 'start "drover login" again');
  const { data } = answer.body as { data?: { username?: string; id?: string }[] };
  return data?.[0]?.username || data?.[0]?.id || 'somebody';
}

/** At the address itself when the hub has an API of its own, where everybody finds what they may see of it. */
async function apiOf(desk: SignInDesk, server: string, token: string): Promise<string> {
  const { status } = await desk.ask('GET', '/apis/drover.io', undefined, token);
  return status === 200 ? server : hubBesideMembers(server);
}
