import { apiVersionOf } from '../../../api/object.ts';
import { StatusError } from '../../../api/status.ts';
import type { UserInfo } from '../../../auth/user.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { newToken } from '../../../core/registration/registration-token.ts';
import { timestamp } from '../../../util/timestamp.ts';
import type { Settings } from '../clusters/settings.ts';
import { Token, User } from '../kinds/user.ts';
import { passwordKey, tokensByUser, type IdentityObjects } from './identity-objects.ts';
import { identityAnnotations, identityLabels, localProvider } from './identity-names.ts';
import { judgeToken, kindOf } from './judge-token.ts';
import type { LastUse } from './last-use.ts';
import { keptPasswordId } from './password-secret.ts';
import { signedInUser } from './signed-in-user.ts';
import { hashKey, isKeyOf, newSuffix, parseBearer } from './token-key.ts';
import { tokenTtlMs } from './token-ttl.ts';
import { untilKnown } from './until-known.ts';

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
  /** The password with which a session ends. Default: the one that the user has now, for those who signed in with one. */
  readonly passwordId?: string | undefined;
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
  /** Makes a session outlast the change of the password by which it began. */
  keepSession(name: string): Promise<void>;
  /** Those of one user that are still of use, oldest first. */
  listOf(userId: string): Token[];
}

export interface TokenDeskDeps {
  /** As the hub itself. */
  readonly hub: KubeClient;
  readonly objects: IdentityObjects;
  readonly settings: Pick<Settings, 'number'>;
  readonly lastUse: LastUse;
  readonly now?: () => Date;
}

const timeoutMs = 10_000;
const minuteMs = 60_000;
/** Clients that ask for a kubeconfig every time would pile them up. */
const maxKubeconfigTokens = 10;
const maxNameTries = 5;

export function tokenDesk({ hub, objects, settings, lastUse, now = () => new Date() }: TokenDeskDeps): TokenDesk {
  const { tokens, users, attributes, providers, passwords } = objects;
  return { issue, verify, revoke, keepSession, listOf };

  async function issue(wish: TokenWish): Promise<IssuedToken> {
    const key = newToken();
    const token = await create(wish, hashKey(key));
    const name = token.metadata.name!;
    await untilKnown(users, token.userId, Boolean);
    await untilKnown(tokens, name, Boolean);
    if (wish.kind === 'kubeconfig') await revokeOldest(token);
    return { token, bearer: `${name}:${key}` };
  }

  async function create(wish: TokenWish, hash: string): Promise<Token> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await hub.create(Token, newTokenObject(wish, hash), { timeoutMs });
      } catch (error) {
        const isTaken = error instanceof StatusError && error.reason === 'AlreadyExists';
        if (!isTaken || attempt === maxNameTries) throw error;
      }
    }
  }

  function newTokenObject(wish: TokenWish, hash: string): Token {
    const { user, kind, description = '', clusterId, authProvider = localProvider, isDerived = false } = wish;
    const { name: userId = '', uid = '' } = user.metadata;
    const ttl = tokenTtlMs(kind, wish.ttlMs, settings);
    const isByPassword = kind === 'session' && authProvider === localProvider;
    const passwordId = isByPassword ? (wish.passwordId ?? keptPasswordId(passwords.get(passwordKey(userId)))) : undefined;
    return {
      apiVersion: apiVersionOf(Token),
      kind: Token.kind,
      metadata: {
        name: kind === 'kubeconfig' ? `kubeconfig-${userId}${newSuffix()}` : `token-${newSuffix()}`,
        labels: { [identityLabels.tokenUser]: userId, ...(kind !== 'api' && { [identityLabels.tokenKind]: kind }) },
        annotations: {
          [identityAnnotations.tokenHashed]: 'true',
          ...(passwordId !== undefined && { [identityAnnotations.sessionPassword]: passwordId }),
        },
        ownerReferences: [{ apiVersion: apiVersionOf(User), kind: User.kind, name: userId, uid }],
      },
      token: hash,
      userId,
      authProvider,
      description,
      ttl,
      ...(ttl > 0 && { expiresAt: timestamp(new Date(now().getTime() + ttl)) }),
      isDerived,
      ...(clusterId !== undefined && { clusterName: clusterId }),
      enabled: true,
    };
  }

  function verify(bearer: string): KnownToken | undefined {
    const shown = parseBearer(bearer);
    const token = shown && tokens.get(shown.name);
    if (!token || !isKeyOf(token.token ?? '', shown.key) || !isOfUse(token)) return undefined;
    const user = users.get(token.userId)!;
    lastUse.note(token, now());
    return { token, user: signedInUser({ user, token, attributes: attributes.get(token.userId), isProviderEnabled }) };
  }

  function isOfUse(token: Token): boolean {
    const verdict = judgeToken(token, {
      nowMs: now().getTime(),
      user: users.get(token.userId),
      provider: providers.get(token.authProvider ?? localProvider),
      passwordId: keptPasswordId(passwords.get(passwordKey(token.userId))),
      usedAtMs: lastUse.usedAtMs(token),
      idleTtlMs: settings.number('auth-user-session-idle-ttl-minutes') * minuteMs,
    });
    return verdict === 'valid';
  }

  function isProviderEnabled(name: string): boolean {
    return name === localProvider || providers.get(name)?.enabled === true;
  }

  async function revoke(name: string): Promise<boolean> {
    const wasThere = await hub.delete(Token, { name }, { timeoutMs });
    await untilKnown(tokens, name, token => !token || token.metadata.deletionTimestamp !== undefined);
    return wasThere;
  }

  async function keepSession(name: string): Promise<void> {
    const token = tokens.get(name);
    const passwordId = token && keptPasswordId(passwords.get(passwordKey(token.userId)));
    if (passwordId === undefined || kindOf(token!) !== 'session') return;
    const annotations = { [identityAnnotations.sessionPassword]: passwordId };
    await hub.patch(Token, { name }, { type: 'merge', body: { metadata: { annotations } } }, { timeoutMs });
    await untilKnown(tokens, name, one => one?.metadata.annotations?.[identityAnnotations.sessionPassword] === passwordId);
  }

  function listOf(userId: string): Token[] {
    return tokens.by(tokensByUser, userId).filter(isOfUse).sort(byAge);
  }

  async function revokeOldest({ metadata, userId, clusterName = '' }: Token): Promise<void> {
    const others = listOf(userId).filter(
      one => kindOf(one) === 'kubeconfig' && (one.clusterName ?? '') === clusterName && one.metadata.name !== metadata.name,
    );
    const surplus = others.slice(0, Math.max(0, others.length - maxKubeconfigTokens + 1));
    for (const one of surplus) await revoke(one.metadata.name!);
  }
}

function byAge(a: Token, b: Token): number {
  const keys = [a, b].map(({ metadata }) => `${metadata.creationTimestamp ?? ''} ${metadata.name ?? ''}`) as [string, string];
  return keys[0] < keys[1] ? -1 : 1;
}
