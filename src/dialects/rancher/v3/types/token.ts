import type { JsonObject } from '../../../../util/json.ts';
import { noSessionCookie } from '../../identity/cookies.ts';
import { expiryMs } from '../../identity/judge-token.ts';
import type { TokenDesk } from '../../identity/token-desk.ts';
import type { UserDesk } from '../../identity/user-desk.ts';
import type { Token } from '../../kinds/user.ts';
import { currentToken } from '../current-token.ts';
import { once } from '../kind-type.ts';
import type { NormanContext } from '../norman-context.ts';
import { NormanError, notFound } from '../norman-error.ts';
import type { Entry, NormanAnswer, NormanType } from '../norman-type.ts';
import { tokenOwner } from '../rancher-user.ts';
import { commonFields, flatten } from '../resource-shape.ts';

export interface TokenTypeDeps {
  readonly tokens: TokenDesk;
  readonly users: UserDesk;
}

const fields = {
  ...commonFields,
  labels: { type: 'map[string]' },
  annotations: { type: 'map[string]' },
  name: { type: 'string', at: 'metadata.name' },
  userId: { type: 'reference[user]' },
  userPrincipal: { type: 'json' },
  groupPrincipals: { type: 'array[json]' },
  providerInfo: { type: 'json' },
  authProvider: { type: 'string' },
  ttl: { type: 'int', ...once, default: 0 },
  expired: { type: 'boolean', default: false },
  expiresAt: { type: 'date' },
  lastUsedAt: { type: 'date' },
  isDerived: { type: 'boolean', default: false },
  current: { type: 'boolean', default: false },
  description: { type: 'string', ...once, nullable: true, default: '' },
  clusterId: { type: 'reference[cluster]', ...once, at: 'clusterName' },
  enabled: { type: 'boolean', default: true },
  token: { type: 'password' },
} as const;

/** `/v3/tokens`: everybody's own, and nobody else's. They are made and taken back by the hub, for a Token that anybody could write would sign in as anybody. */
export function tokenType({ tokens, users }: TokenTypeDeps): NormanType {
  return {
    id: 'token',
    plural: 'tokens',
    fields,
    collectionMethods: ['GET', 'POST'],
    resourceMethods: ['GET', 'DELETE'],
    collectionActions: { logout: { run: logout } },
    store: {
      list: async ctx => tokens.listOf(ctx.caller.name).map(token => entry(ctx, token)),
      async get(ctx, id) {
        const token = own(ctx, id);
        return token && entry(ctx, token);
      },
      async create(ctx, { ttl, description, clusterId }) {
        const { token, bearer } = await tokens.issue({
          ...tokenOwner({ tokens, users }, ctx.caller),
          kind: 'api',
          ttlMs: typeof ttl === 'number' ? ttl : undefined,
          description: typeof description === 'string' ? description : undefined,
          clusterId: typeof clusterId === 'string' && clusterId !== '' ? clusterId : undefined,
          isDerived: true,
        });
        const made = entry(ctx, token);
        return { ...made, fields: () => ({ ...made.fields(), token: bearer }) };
      },
      async remove(ctx, id) {
        if (!own(ctx, id)) throw notFound();
        if (id === currentToken(ctx.caller))
          throw new NormanError(400, 'BadRequest', 'Cannot delete token for current session. Use logout instead');
        await tokens.revoke(id);
        return undefined;
      },
      mayCreate: async ctx => users.get(ctx.caller.name) !== undefined,
    },
  };

  function own(ctx: NormanContext, id: string): Token | undefined {
    return tokens.listOf(ctx.caller.name).find(({ metadata }) => metadata.name === id);
  }

  async function logout(ctx: NormanContext): Promise<NormanAnswer> {
    const name = currentToken(ctx.caller);
    if (name !== undefined) await tokens.revoke(name);
    return { status: 200, headers: { 'Set-Cookie': noSessionCookie } };
  }
}

function entry(ctx: NormanContext, token: Token): Entry {
  const id = token.metadata.name!;
  return {
    id,
    fields: () => shownToken(token, id === currentToken(ctx.caller)),
    grants: async () => ({ mayUpdate: false, mayRemove: true, actions: [] }),
  };
}

function shownToken(token: Token, current: boolean): JsonObject {
  const now = new Date();
  const endMs = expiryMs(token);
  const expiresAt = Number.isFinite(endMs) ? { expiresAt: new Date(endMs).toISOString(), expiresAtTS: endMs } : { expiresAt: '' };
  const shown = flatten(token, { fields, isFlat: true, isStateful: false }, now);
  return { ...shown, ...expiresAt, expired: endMs <= now.getTime(), current };
}
