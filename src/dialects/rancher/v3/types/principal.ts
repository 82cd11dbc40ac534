import type { JsonObject } from '../../../../util/json.ts';
import type { IdentityObjects } from '../../identity/identity-objects.ts';
import { localProvider } from '../../identity/identity-names.ts';
import type { User } from '../../kinds/user.ts';
import { pageOf, parseListQuery } from '../list-query.ts';
import type { NormanContext } from '../norman-context.ts';
import { noGrants, typeTable, type Entry, type NormanAnswer, type NormanType } from '../norman-type.ts';
import { printCollection } from '../print-collection.ts';

export type PrincipalObjects = Pick<IdentityObjects, 'users' | 'providers'>;

/** So many are found at the most. */
const maxFound = 100;

/** `/v3/principals`: users and groups, as those who give roles to them look for them. */
export function principalType({ users, providers }: PrincipalObjects): NormanType {
  const type: NormanType = {
    id: 'principal',
    plural: 'principals',
    fields: {
      name: { type: 'string' },
      loginName: { type: 'string' },
      principalType: { type: 'enum', options: ['user', 'group'] },
      provider: { type: 'string' },
      me: { type: 'boolean', default: false },
      memberOf: { type: 'boolean', default: false },
    },
    collectionMethods: ['GET'],
    resourceMethods: ['GET'],
    collectionActions: { search: { input: 'searchPrincipalsInput', output: 'collection', run: search } },
    store: {
      list: async ctx => own(ctx),
      get: async (ctx, id) => own(ctx).find(entry => entry.id === id) ?? named(ctx, id),
    },
  };
  return type;

  /** Those of the caller. */
  function own(ctx: NormanContext): Entry[] {
    const user = users.get(ctx.caller.name);
    return [...(user ? [ofUser(ctx, user)] : []), ...groupsOf(ctx).map(group => ofGroup(group, true))];
  }

  function named(ctx: NormanContext, id: string): Entry | undefined {
    const [provider = '', name = ''] = id.split('://', 2);
    const user =
      users.list().find(({ principalIds = [] }) => principalIds.includes(id)) ?? (provider === localProvider ? users.get(name) : undefined);
    if (user) return ofUser(ctx, user);
    const [, external, kind] = /^([a-z0-9]+)_(user|group)$/.exec(provider) ?? [];
    if (external === undefined || name === '' || providers.get(external)?.enabled !== true) return undefined;
    return kind === 'group'
      ? ofGroup(id, groupsOf(ctx).includes(id))
      : principal(id, { name, loginName: name, principalType: 'user', provider: external });
  }

  async function search(ctx: NormanContext): Promise<NormanAnswer> {
    const { name, principalType } = await ctx.body();
    const found = typeof name === 'string' && name !== '' ? find(ctx, name) : [];
    const wanted = found.filter(
      entry => typeof principalType !== 'string' || principalType === '' || entry.fields()['principalType'] === principalType,
    );
    const query = parseListQuery(new URLSearchParams(), type);
    const page = pageOf(wanted.slice(0, maxFound), query, type.fields);
    return { status: 200, body: await printCollection(ctx, typeTable([type]), type, { query, page }) };
  }

  /** Local users whose names begin so; of other providers whoever is called exactly so, for they cannot be asked. */
  function find(ctx: NormanContext, name: string): Entry[] {
    const start = name.toLowerCase();
    const isMeant = ({ username = '', displayName = '' }: User) =>
      username.toLowerCase().startsWith(start) || displayName.toLowerCase().startsWith(start);
    const external = providers
      .list()
      .filter(({ metadata, enabled }) => enabled === true && metadata.name !== localProvider)
      .flatMap(({ metadata }) => [`${metadata.name}_user://${name}`, `${metadata.name}_group://${name}`]);
    return [
      ...users
        .list()
        .filter(isMeant)
        .map(user => ofUser(ctx, user)),
      ...external.flatMap(id => named(ctx, id) ?? []),
    ];
  }

  function ofUser(ctx: NormanContext, user: User): Entry {
    const id =
      user.principalIds?.find(one => one.startsWith(`${localProvider}://`)) ??
      user.principalIds?.[0] ??
      `${localProvider}://${user.metadata.name}`;
    const loginName = user.username ?? user.metadata.name!;
    const provider = /^([a-z0-9]+)(?:_user)?:\/\//.exec(id)?.[1] ?? localProvider;
    const name = user.displayName || loginName;
    return principal(id, { name, loginName, principalType: 'user', provider, me: user.metadata.name === ctx.caller.name });
  }
}

/** Groups of providers; those of Kubernetes itself are none. */
const groupsOf = ({ caller }: NormanContext) => caller.groups.filter(group => /^[a-z0-9]+_group:\/\/./.test(group));

function ofGroup(id: string, memberOf: boolean): Entry {
  const [provider = '', name = ''] = id.split('://', 2);
  return principal(id, { name, loginName: name, principalType: 'group', provider: provider.replace(/_group$/, ''), memberOf });
}

function principal(id: string, fields: JsonObject): Entry {
  return { id, fields: () => ({ me: false, memberOf: false, ...fields }), grants: async () => noGrants };
}
