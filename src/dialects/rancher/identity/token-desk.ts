import type { UserInfo } from '../../../auth/user.ts';
import type { Token, User } from '../kinds/user.ts';

export const tokenKinds = ['session', 'api', 'kubeconfig'] as const;
export type TokenKind = (typeof tokenKinds)[number];

export interface TokenWish {
  readonly user: User;
  readonly kind: TokenKind;
  /** How long it should live; settings say how long it may, and what absence means. 0 is for ever, as far as settings allow it. */
  readonly ttlMs?: number | undefined;
  readonly description?: string | undefined;
  /** The id of the only cluster it is for. */
  readonly clusterId?: string | undefined;
  /** Default `local`. */
  readonly authProvider?: string;
  /** Whether another token was used to ask for it. */
  readonly isDerived?: boolean;
}

export interface IssuedToken {
  readonly token: Token;
  /** `name:key`, as a client shows it. It is nowhere kept. */
  readonly bearer: string;
}

export interface KnownToken {
  readonly user: UserInfo;
  readonly token: Token;
}

/** Where credentials of people are made, recognised and taken back. */
export interface TokenDesk {
  /** What it gives can be used at once. */
  issue(wish: TokenWish): Promise<IssuedToken>;
  /**
   * Who shows this, `name:key` or `ext/name:key`; undefined when it stands for nobody: unknown, expired, disabled, or of somebody who may not act any more. A token that is
   * bound to a cluster is recognised too: whoever asks must look at `token.clusterName`.
   */
  verify(bearer: string): KnownToken | undefined;
  /** It is of no use any more when this resolves. False when there was none. */
  revoke(name: string): Promise<boolean>;
  /** Those of one user that are still of use, oldest first. */
  listOf(userId: string): Token[];
}
