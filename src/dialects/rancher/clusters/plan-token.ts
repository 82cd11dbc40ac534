import { shortHash } from '../../../core/clusters/cluster-id.ts';
import { timestamp } from '../../../util/timestamp.ts';
import type { ClusterRegistrationToken } from '../kinds/cluster.ts';

type TokenStatus = NonNullable<ClusterRegistrationToken['status']>;

export interface TokenPlan {
  /** The token and its times as the status should tell them. */
  readonly status: Pick<TokenStatus, 'token' | 'previousToken' | 'expiresAt' | 'gracePeriodExpiresAt'>;
  /** The tokens that can be used, and until when. */
  readonly accepted: readonly { readonly token: string; readonly expiresAt: Date }[];
  /** When time alone changes something. */
  readonly nextAt: Date | undefined;
}

export interface TokenRules {
  readonly defaultTtlMinutes: number;
  readonly defaultGraceMinutes: number;
  makeToken(): string;
}

const minTtlMinutes = 30;
const minGraceMinutes = 10;
const maxJitterMs = 86_400_000;
/** A token without an end. */
export const endOfTime = new Date('9999-12-31T23:59:59Z');

/**
 * Which tokens hold now. Without a time to live there is one, for good. With one it is replaced when its time is over, a little later for some than for
 * others, and the one before it can be used for a while yet.
 */
export function planToken({ metadata, spec, status = {} }: ClusterRegistrationToken, now: Date, rules: TokenRules): TokenPlan {
  const ttlMs = ttlOf(spec.ttl, rules);
  if (status.token && ttlMs === undefined)
    return { status: { token: status.token }, accepted: [{ token: status.token, expiresAt: endOfTime }], nextAt: undefined };

  const expiresAt = parseTime(status.expiresAt);
  const isDue = !status.token || (ttlMs !== undefined && expiresAt !== undefined && expiresAt <= now);
  const token = isDue ? rules.makeToken() : status.token!;
  if (ttlMs === undefined) return { status: { token }, accepted: [{ token, expiresAt: endOfTime }], nextAt: undefined };

  const graceMs = graceOf(spec.gracePeriod, ttlMs, rules);
  const end = isDue || expiresAt === undefined ? new Date(now.getTime() + ttlMs + jitter(metadata.uid ?? '', ttlMs)) : expiresAt;
  const previous = isDue ? status.token : status.previousToken;
  const graceEnd = isDue ? new Date(now.getTime() + graceMs) : parseTime(status.gracePeriodExpiresAt);
  const isPreviousGood = previous !== undefined && graceEnd !== undefined && graceEnd > now;
  return {
    status: {
      token,
      expiresAt: timestamp(end),
      ...(isPreviousGood && { previousToken: previous, gracePeriodExpiresAt: timestamp(graceEnd) }),
    },
    accepted: [
      // It is replaced at its end, and goes on for the grace that follows.
      { token, expiresAt: new Date(end.getTime() + graceMs) },
      ...(isPreviousGood ? [{ token: previous, expiresAt: graceEnd }] : []),
    ],
    nextAt: isPreviousGood && graceEnd < end ? graceEnd : end,
  };
}

function ttlOf(minutes: number | undefined, { defaultTtlMinutes }: TokenRules): number | undefined {
  if (minutes === undefined) return undefined;
  return Math.max(minTtlMinutes, minutes || defaultTtlMinutes) * 60_000;
}

function graceOf(minutes: number | undefined, ttlMs: number, { defaultGraceMinutes }: TokenRules): number {
  const wanted = Math.max(minGraceMinutes, minutes || defaultGraceMinutes) * 60_000;
  return wanted < ttlMs ? wanted : Math.floor(ttlMs * 0.8);
}

/** Up to a tenth of the time, by the object: tokens that were made together are not replaced together. */
function jitter(uid: string, ttlMs: number): number {
  const share = parseInt(shortHash(uid, 6), 36) / 36 ** 6;
  return Math.floor(Math.min(ttlMs / 10, maxJitterMs) * share);
}

function parseTime(text: string | undefined): Date | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : new Date(time);
}
