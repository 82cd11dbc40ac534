import { createHash, X509Certificate } from 'node:crypto';
import { getCACertificates } from 'node:tls';
import { parsePem, printPem } from '../pki/pem.ts';
import { authoritiesPath, pingPath } from '../tunnel/protocol.ts';
import { AgentStoppedError, HubAbsentError, refusalOf } from './hub-errors.ts';
import { HubLink } from './hub-link.ts';

export interface TrustOptions {
  readonly server: string;
  /** SHA-256 in hex of the authorities that vouch for the hub. The system's own decide when absent. */
  readonly caChecksum?: string | undefined;
  /** Whether the system's authorities may vouch for the hub as well. */
  readonly acceptsSystemAuthorities?: boolean;
  readonly env: NodeJS.ProcessEnv;
}

export interface HubTrust {
  /** The authorities to verify the hub with, PEM; undefined stands for those of the system. */
  readonly pem: string | undefined;
  /** Whether those that the hub has published vouch for it alone. */
  readonly isStrict: boolean;
}

/** Whom to believe that the hub is the hub. Throws AgentStoppedError on a wrong checksum. */
export async function fetchAuthorities(options: TrustOptions, signal: AbortSignal): Promise<HubTrust> {
  const { server, caChecksum, env } = options;
  if (caChecksum === undefined) return { pem: undefined, isStrict: false };
  using link = new HubLink({ server, env, isUnverified: true });
  const ping = await link.request({ method: 'GET', path: pingPath }, signal);
  if (ping.status !== 200) throw refusalOf(ping);
  const answer = await link.request({ method: 'GET', path: authoritiesPath }, signal);
  if (answer.status !== 200) throw refusalOf(answer);
  const pem = checkAuthorities(valueOf(answer.text), caChecksum);
  if (!options.acceptsSystemAuthorities) return { pem, isStrict: true };
  const all = [pem, ...getCACertificates('default'), ...getCACertificates('system')].join('\n');
  return { pem: all, isStrict: await isTrustedBy(pem, options, signal) };
}

async function isTrustedBy(pem: string, { server, env }: TrustOptions, signal: AbortSignal): Promise<boolean> {
  using link = new HubLink({ server, env, ca: pem });
  try {
    return (await link.request({ method: 'GET', path: pingPath }, signal)).status === 200;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof HubAbsentError && error.isDistrust) return false;
    throw error;
  }
}

/** The PEM when it has the checksum. Throws AgentStoppedError that names both otherwise. */
export function checkAuthorities(value: string, expected: string): string {
  const pem = `${value.trimEnd()}\n`;
  const actual = createHash('sha256').update(pem).digest('hex');
  const wanted = expected.trim().toLowerCase();
  if (value.trim() === '')
    throw new AgentStoppedError(`the hub has published no authorities, but ${wanted} was expected as their checksum`);
  if (actual !== wanted) {
    throw new AgentStoppedError(
      `the authorities of the hub have the checksum ${actual}, but ${wanted} was expected; is this the right hub, and nobody in between?`,
    );
  }
  const certificates = parsePem(pem).filter(block => block.type === 'CERTIFICATE');
  try {
    for (const { type, bytes } of certificates) new X509Certificate(printPem(type, bytes));
  } catch (cause) {
    throw new AgentStoppedError('the authorities of the hub cannot be read', { cause });
  }
  if (certificates.length === 0) throw new AgentStoppedError('the authorities of the hub hold no certificate');
  return pem;
}

function valueOf(text: string): string {
  try {
    const { value } = JSON.parse(text) as { value?: unknown };
    if (typeof value === 'string') return value;
  } catch {
    // Said below, with what was there instead.
  }
  throw new AgentStoppedError(`"${authoritiesPath}" did not answer with authorities; is this the address of a hub?`);
}
