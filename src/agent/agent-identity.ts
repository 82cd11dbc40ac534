import { createHash, createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { signProof } from '../tunnel/agent-proof.ts';
import { agentHeaders, agentUser } from '../tunnel/protocol.ts';

/** What an agent is known by at one hub. Everything is text, since it is kept in a Secret or a file. */
export interface AgentIdentity {
  readonly server: string;
  readonly clusterId: string;
  readonly audience: string;
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
  /** Digest of the token it was registered with: another token asks for another identity. */
  readonly tokenDigest: string;
}

export type IdentityFields = Readonly<Record<string, string | undefined>>;

export const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Undefined when the fields are no identity: whoever wrote them was cut short, or somebody has changed them. */
export function parseIdentity(fields: IdentityFields): AgentIdentity | undefined {
  const { server, clusterId, audience, certificate, key, tokenDigest } = fields;
  if (!server || !clusterId || !audience || !certificate || !key || tokenDigest === undefined) return undefined;
  try {
    if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) return undefined;
  } catch {
    return undefined;
  }
  return { server, clusterId, audience, certificate, key, tokenDigest };
}

/** Whether an identity that was kept is still the one that is asked for. */
export function isFor(identity: AgentIdentity, { server, token }: { server: string; token: string | undefined }): boolean {
  if (identity.server !== server) return false;
  return token === undefined || identity.tokenDigest === digestOf(token);
}

/** At two thirds of its life. */
export function renewalTime({ certificate }: AgentIdentity): Date {
  const { validFromDate, validToDate } = new X509Certificate(certificate);
  const [from, to] = [validFromDate.getTime(), validToDate.getTime()];
  return new Date(from + ((to - from) * 2) / 3);
}

/** The headers by which the hub knows the agent. `now` is the time of the hub. */
export function identityHeaders(identity: AgentIdentity, now: Date): Record<string, string> {
  const key: KeyObject = createPrivateKey(identity.key);
  const proof = signProof(key, { user: agentUser(identity.clusterId), audience: identity.audience, now });
  return {
    authorization: `Bearer ${proof}`,
    [agentHeaders.certificate]: new X509Certificate(identity.certificate).raw.toString('base64'),
  };
}
