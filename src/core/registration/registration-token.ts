import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { Secret } from '../../api/builtin-kinds.ts';
import { apiVersionOf } from '../../api/object.ts';
import { timestamp } from '../../util/timestamp.ts';

/*
 * A registration token is how an agent introduces itself the first time. The hub keeps its hash in a Secret of the cluster's namespace; whoever
 * reads the hub's data learns no token. The first member that uses a token is the only one that ever can.
 */

export const registrationTokenType = 'drover.io/registration-token';
/** On the Secret of a token: the first 16 hex digits of its hash, by which it is found. */
const tokenIdLabel = 'drover.io/token-id';

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const tokenLength = 54;
export const tokenPattern = new RegExp(`^[${alphabet}]{${tokenLength}}$`);

export function newToken(): string {
  return Array.from({ length: tokenLength }, () => alphabet[randomInt(alphabet.length)]).join('');
}

const tokenHash = (token: string): string => createHash('sha256').update(token).digest('hex');

export const tokenSelector = (token: string): string => `${tokenIdLabel}=${tokenId(token)}`;

const tokenId = (token: string) => tokenHash(token).slice(0, 16);

export function tokenSecret(token: string, { namespace, expiresAt }: { namespace: string; expiresAt: Date }): Secret {
  return {
    apiVersion: apiVersionOf(Secret),
    kind: Secret.kind,
    metadata: {
      name: `registration-${tokenId(token)}`,
      namespace,
      labels: { [tokenIdLabel]: tokenId(token), 'app.kubernetes.io/managed-by': 'drover' },
    },
    type: registrationTokenType,
    data: { hash: encode(tokenHash(token)), expiresAt: encode(timestamp(expiresAt)) },
  };
}

/** The Secret among those found that stands for this very token. */
export function secretOf(token: string, found: readonly Secret[]): Secret | undefined {
  const hash = Buffer.from(tokenHash(token));
  return found.find(secret => {
    const kept = Buffer.from(decode(secret, 'hash'));
    return secret.type === registrationTokenType && kept.length === hash.length && timingSafeEqual(kept, hash);
  });
}

export type TokenVerdict = 'valid' | 'unbound' | 'expired' | 'foreign';

/** Whether a token is still good, for the member with this uid where it is known. A time that cannot be read is over. */
export function judgeToken(secret: Secret, { now, clusterUid }: { now: Date; clusterUid?: string }): TokenVerdict {
  if (!(Date.parse(decode(secret, 'expiresAt')) > now.getTime())) return 'expired';
  const bound = decode(secret, 'clusterUid');
  if (bound === '') return 'unbound';
  return clusterUid === undefined || bound === clusterUid ? 'valid' : 'foreign';
}

export function boundTo(secret: Secret, clusterUid: string): Secret {
  return { ...secret, data: { ...secret.data, clusterUid: encode(clusterUid) } };
}

const encode = (text: string) => Buffer.from(text).toString('base64');
const decode = ({ data }: Secret, key: string) => Buffer.from(data?.[key] ?? '', 'base64').toString('utf8');
