import type { JsonObject } from '../../../../util/json.ts';
import type { UserDesk } from '../../identity/user-desk.ts';
import { User } from '../../kinds/user.ts';
import { currentToken } from '../current-token.ts';
import { always, kindType, once } from '../kind-type.ts';
import type { NormanContext } from '../norman-context.ts';
import { invalidField, notFound } from '../norman-error.ts';
import type { NormanAnswer, NormanType } from '../norman-type.ts';
import { rancherUser } from '../rancher-user.ts';

/** `/v3/users`. */
export function userType(users: UserDesk): NormanType {
  const type = kindType<User>({
    id: 'user',
    plural: 'users',
    kind: User,
    prefix: 'u-',
    isFlat: true,
    isStateful: true,
    resourceMethods: ['GET', 'PUT', 'DELETE'],
    fields: {
      name: { type: 'string', ...always, nullable: true, at: 'displayName' },
      username: { type: 'string', ...once, required: true },
      password: { type: 'password', ...once, required: true },
      description: { type: 'string', ...always, nullable: true },
      enabled: { type: 'boolean', ...always, default: true },
      mustChangePassword: { type: 'boolean', ...always, default: false },
      principalIds: { type: 'array[string]' },
      me: { type: 'boolean', default: false },
    },
    complete: (fields, user, ctx) => ({ ...fields, me: user.metadata.name === ctx.caller.name }),
    actions: (_ctx, _user, mayUpdate) => (mayUpdate ? ['setpassword'] : []),
    resourceActions: { setpassword: { input: 'setPasswordInput', output: 'user', run: setPassword } },
    collectionActions: { changepassword: { input: 'changePasswordInput', run: changePassword } },
  });
  const { store } = type;
  return {
    ...type,
    store: {
      ...store,
      /** Everybody sees himself. */
      async list(ctx, scope) {
        const self = users.get(ctx.caller.name);
        if (scope.equals('me') === 'true') return self ? [store.entry(ctx, self)] : [];
        const others = await store.list(ctx, scope);
        return !self || others.some(({ id }) => id === self.metadata.name) ? others : [...others, store.entry(ctx, self)];
      },
      async get(ctx, id) {
        const self = id === ctx.caller.name ? users.get(id) : undefined;
        return (await store.get(ctx, id)) ?? (self && store.entry(ctx, self));
      },
      async create(ctx, fields) {
        const { username, password, name, description, enabled, mustChangePassword } = fields;
        const user = await users.create(
          {
            username: String(username),
            password: String(password),
            displayName: optionalText(name),
            description: optionalText(description),
            enabled: optionalFlag(enabled),
            mustChangePassword: optionalFlag(mustChangePassword),
          },
          { as: ctx.hub, signal: ctx.signal },
        );
        return store.entry(ctx, user);
      },
    },
  };

  async function setPassword(ctx: NormanContext, id: string): Promise<NormanAnswer> {
    if (!(await store.get(ctx, id))) throw notFound();
    await users.setPassword(id, textOf(await ctx.body(), 'newPassword'), { as: ctx.hub, signal: ctx.signal });
    const entry = await store.get(ctx, id);
    return { status: 200, body: { ...entry?.fields(), id, type: 'user', baseType: 'user', links: {}, actions: {} } };
  }

  async function changePassword(ctx: NormanContext): Promise<NormanAnswer> {
    const body = await ctx.body();
    const passwords = { currentPassword: textOf(body, 'currentPassword'), newPassword: textOf(body, 'newPassword') };
    await users.changePassword(rancherUser(users, ctx.caller).metadata.name!, passwords, currentToken(ctx.caller));
    return { status: 200 };
  }
}

const optionalText = (value: unknown) => (typeof value === 'string' ? value : undefined);
const optionalFlag = (value: unknown) => (typeof value === 'boolean' ? value : undefined);

function textOf(body: JsonObject, field: string): string {
  const value = body[field];
  if (typeof value !== 'string' || value === '') throw invalidField('MissingRequired', field, `${field} is required`);
  return value;
}
