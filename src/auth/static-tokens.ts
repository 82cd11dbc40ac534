import { createHash } from 'node:crypto';
import type { UserInfo } from './user.ts';

/** Bearer tokens that an operator gave out. Only their digests are kept: who reads memory or disk finds no token. */
export interface StaticTokens {
  find(digest: string): UserInfo | undefined;
}

/** The form in which a token is stored and looked up. A digest as key also makes the look-up's time say nothing about the token. */
export function tokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export function staticTokens(entries: Iterable<{ digest: string; user: UserInfo }>): StaticTokens {
  const users = new Map<string, UserInfo>();
  for (const { digest, user } of entries) users.set(digest, user);
  return { find: digest => users.get(digest) };
}
