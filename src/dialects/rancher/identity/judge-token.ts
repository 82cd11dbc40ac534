import { User, type AuthConfig, type Token } from '../kinds/user.ts';
import { identityAnnotations, identityLabels, localProvider } from './identity-names.ts';

/** What decides whether a token is of use, besides itself. */
export interface TokenFacts {
  readonly nowMs: number;
  readonly user: User | undefined;
  /** The provider by which its user had signed in. */
  readonly provider: AuthConfig | undefined;
  /** Of the password that the user has now. */
  readonly passwordId: string | undefined;
  /** When it was last used, where that is later than the object says. */
  readonly usedAtMs?: number | undefined;
  /** How long a session may rest; 0 for ever. */
  readonly idleTtlMs: number;
}

export type TokenVerdict = 'valid' | 'disabled' | 'expired' | 'idle' | 'noUser' | 'userDisabled' | 'providerDisabled' | 'passwordChanged';

/** Whether a token that was recognised by its key is of use. */
export function judgeToken(token: Token, facts: TokenFacts): TokenVerdict {
  const { user, nowMs } = facts;
  if (token.enabled === false || token.metadata.deletionTimestamp !== undefined) return 'disabled';
  if (nowMs >= expiryMs(token)) return 'expired';
  if (!user || !isOwner(user, token)) return 'noUser';
  if (user.enabled === false || user.metadata.deletionTimestamp !== undefined) return 'userDisabled';
  if (!isEnabled(token.authProvider ?? localProvider, facts.provider)) return 'providerDisabled';
  if (kindOf(token) !== 'session') return 'valid';
  const began = token.metadata.annotations?.[identityAnnotations.sessionPassword];
  if (began !== undefined && began !== facts.passwordId) return 'passwordChanged';
  return isIdle(token, facts) ? 'idle' : 'valid';
}

export const kindOf = ({ metadata }: Token): string => metadata.labels?.[identityLabels.tokenKind] ?? '';

/** When it ends; Infinity when it does not. A time that cannot be read is over. */
export function expiryMs({ metadata, ttl = 0, expiresAt }: Token): number {
  const createdMs = Date.parse(metadata.creationTimestamp ?? '');
  const byTtl = ttl > 0 ? createdMs + ttl : Infinity;
  const byTime = expiresAt ? Date.parse(expiresAt) : Infinity;
  return Math.min(Number.isNaN(byTtl) ? 0 : byTtl, Number.isNaN(byTime) ? 0 : byTime);
}

/** When a session ends that is not used any more. */
export function idleEndMs(token: Token, { idleTtlMs, usedAtMs = 0 }: Pick<TokenFacts, 'idleTtlMs' | 'usedAtMs'>): number {
  if (idleTtlMs === 0 || kindOf(token) !== 'session') return Infinity;
  const known = [token.metadata.creationTimestamp, token.lastUsedAt].map(time => Date.parse(time ?? '')).filter(Number.isFinite);
  return Math.max(usedAtMs, ...known) + idleTtlMs;
}

const isIdle = (token: Token, facts: TokenFacts) => facts.nowMs >= idleEndMs(token, facts);

function isEnabled(name: string, provider: AuthConfig | undefined): boolean {
  return name === localProvider ? provider?.enabled !== false : provider?.enabled === true;
}

/** A user who was made anew under the name of one that is gone is somebody else. */
function isOwner(user: User, token: Token): boolean {
  const owner = token.metadata.ownerReferences?.find(ref => ref.kind === User.kind);
  return user.metadata.name === token.userId && (!owner || owner.uid === user.metadata.uid);
}
