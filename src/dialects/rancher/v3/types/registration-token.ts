import { ClusterRegistrationToken } from '../../kinds/cluster.ts';
import { kindType, once } from '../kind-type.ts';
import type { NormanContext } from '../norman-context.ts';
import { notFound } from '../norman-error.ts';
import type { Entry, NormanType } from '../norman-type.ts';
import type { ClusterType } from './cluster.ts';

/** So long a new token is waited for until the hub has filled it in. */
const fillMs = 5_000;
const mostWaitedFor = 10;
const command = { type: 'string', default: '' } as const;

/** `/v3/clusterregistrationtokens`. */
export function registrationTokenType(clusters: ClusterType): NormanType {
  const type = kindType<ClusterRegistrationToken>({
    id: 'clusterRegistrationToken',
    plural: 'clusterRegistrationTokens',
    kind: ClusterRegistrationToken,
    prefix: 'crt-',
    isStateful: true,
    resourceMethods: ['GET', 'DELETE'],
    fields: {
      name: { type: 'string', at: 'metadata.name' },
      clusterId: { type: 'reference[cluster]', ...once, required: true, at: 'spec.clusterName' },
      ttl: { type: 'int', ...once, nullable: true },
      gracePeriod: { type: 'int', ...once, nullable: true },
      token: command,
      previousToken: { type: 'password' },
      manifestUrl: command,
      command,
      insecureCommand: command,
      nodeCommand: command,
      insecureNodeCommand: command,
      windowsNodeCommand: command,
      insecureWindowsNodeCommand: command,
      expiresAt: { type: 'date' },
      gracePeriodExpiresAt: { type: 'date' },
    },
    namespaces: clusters.visibleIds,
    namespaceOfList: scope => scope.equals('clusterId'),
    namespaceOf: fields => String(fields['clusterId']),
  });
  const { store } = type;
  return {
    ...type,
    store: {
      ...store,
      /** Of one cluster: whoever has just made it wants the command, and finds a token that was made a moment ago. */
      async list(ctx, scope) {
        const entries = await store.list(ctx, scope);
        if (scope.equals('clusterId') === undefined || entries.length > mostWaitedFor) return entries;
        return Promise.all(entries.map(entry => (isFilledIn(entry.fields()) ? entry : whenFilledIn(ctx, entry.id))));
      },
      create: async (ctx, fields) => whenFilledIn(ctx, (await store.create!(ctx, fields)).id),
    },
  };

  async function whenFilledIn(ctx: NormanContext, id: string): Promise<Entry> {
    const [namespace = '', name = ''] = id.split(':');
    return store.entry(ctx, await filledIn(ctx, { namespace, name }));
  }
}

/** Whether the hub has looked at it: it has given it a token, or said why it has none. */
const isFilledIn = ({ token = '', conditions = [] }: { token?: unknown; conditions?: unknown }): boolean =>
  token !== '' || (Array.isArray(conditions) && conditions.length > 0);

/** The token once its commands are known, or as it is when that takes too long. */
async function filledIn(ctx: NormanContext, { namespace, name }: { namespace: string; name: string }): Promise<ClusterRegistrationToken> {
  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(fillMs)]);
  let seen: ClusterRegistrationToken | undefined;
  // The hub itself looks on: whoever may create a token may have no right to watch them.
  const watch = ctx.system.watch(ClusterRegistrationToken, { namespace, fieldSelector: `metadata.name=${name}`, signal });
  for await (const event of watch) {
    if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
    seen = event.object;
    if (isFilledIn(seen.status ?? {})) return seen;
  }
  const present = seen ?? (await ctx.hub.get(ClusterRegistrationToken, { namespace, name }));
  if (!present) throw notFound();
  return present;
}
