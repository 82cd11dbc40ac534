import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { checkAuthorities } from '../../agent/hub-trust.ts';
import { authoritiesPath, pingPath } from '../../tunnel/protocol.ts';
import { errorText } from '../../util/error-text.ts';
import { CommandError, usageError } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';
import { isUnreachable, signInDesk, type HubAddress } from './sign-in-desk.ts';

export interface TrustWish {
  readonly caFile?: string | undefined;
  /** SHA-256 in hex of the authorities that the hub publishes. */
  readonly caChecksum?: string | undefined;
}

/** Asks the person at the terminal for a yes or a no; undefined when there is nobody. */
export type AskYes = (question: string) => Promise<boolean | undefined>;

/** `https://hub.example.com` from what people paste: without a path, a query, or a scheme. */
export function parseHubUrl(text: string): string {
  const url = URL.parse(/^[a-z]+:\/\//i.test(text) ? text : `https://${text}`);
  if (url?.protocol !== 'https:' || url.hostname === '')
    throw usageError(`"${text}" is not the address of a hub`, 'for example: drover login https://hub.example.com:7443');
  if (url.username !== '' || url.password !== '')
    throw usageError('an address with a password in it is not taken', 'use --username; the password is asked for');
  return url.origin;
}

/** Whom to believe that the hub is the hub: a file, a checksum, what is known already, the system, or the person. Nothing secret is sent before. */
export async function trustHub(
  { server, ca: knownCa }: HubAddress,
  wish: TrustWish,
  terminal: Pick<Terminal, 'env' | 'signal' | 'err'>,
  askYes: AskYes,
): Promise<HubAddress> {
  const { env, signal } = terminal;
  if (wish.caFile !== undefined) return verified({ server, ca: readAuthorities(wish.caFile) });
  if (wish.caChecksum !== undefined) return verified({ server, ca: compared(await publishedAt(), wish.caChecksum) });
  if (knownCa !== undefined) return verified({ server, ca: knownCa });
  const distrust = await ping({ server }).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (distrust === undefined) return { server };
  if (!isUnreachable(distrust) || !(await answersUnverified())) throw notReached(distrust);
  const pem = await publishedAt();
  const checksum = createHash('sha256').update(pem).digest('hex');
  terminal.err(
    `${server} is not vouched for by an authority that this machine knows.\nThe authorities it shows have the SHA-256 ${checksum}.\n`,
  );
  const answer = await askYes('Is this your hub? Compare with "sha256sum pki/ca.crt" in its data folder. [y/N] ');
  if (answer === true) return verified({ server, ca: pem });
  throw new CommandError(answer === undefined ? `nobody vouches for ${server}` : 'you do not trust it', {
    hint: '--ca-file FILE names its authorities; --ca-checksum SHA256 says which of those that it shows are right',
  });

  async function verified(address: HubAddress): Promise<HubAddress> {
    await ping(address).catch((error: unknown) => {
      throw notReached(error);
    });
    return address;
  }

  async function ping(address: HubAddress): Promise<void> {
    await using desk = signInDesk({ ...address, env, signal });
    const { status } = await desk.ask('GET', pingPath);
    if (status !== 200) throw new CommandError(`${server} is no hub: "${pingPath}" answers ${status}`, { hint: 'is the address right?' });
  }

  async function answersUnverified(): Promise<boolean> {
    await using desk = signInDesk({ server, env, signal, isUnverified: true });
    return await desk.ask('GET', pingPath).then(
      ({ status }) => status === 200,
      () => false,
    );
  }

  async function publishedAt(): Promise<string> {
    await using desk = signInDesk({ server, env, signal, isUnverified: true });
    const { body } = await desk.ask('GET', authoritiesPath).catch((error: unknown) => {
      throw notReached(error);
    });
    const { value } = body;
    if (typeof value !== 'string' || value.trim() === '')
      throw new CommandError(`${server} does not say who vouches for it; is it a hub?`, { hint: '--ca-file FILE names its authorities' });
    return `${value.trimEnd()}\n`;
  }
}

function notReached(error: unknown): unknown {
  if (!isUnreachable(error)) return error;
  return new CommandError('the hub does not answer', { cause: error, hint: 'is the address right, and does the hub run?' });
}

function compared(pem: string, checksum: string): string {
  try {
    return checkAuthorities(pem, checksum);
  } catch (error) {
    throw new CommandError(errorText(error), { hint: 'take the checksum from whoever runs the hub, not from the hub itself' });
  }
}

function readAuthorities(file: string): string {
  try {
    const text = readFileSync(file, 'utf8');
    if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new Error('it holds no certificate');
    return text;
  } catch (cause) {
    throw new CommandError(`cannot read the authorities in "${file}"`, {
      cause,
      hint: 'it must be a PEM file, such as pki/ca.crt of the hub',
    });
  }
}
