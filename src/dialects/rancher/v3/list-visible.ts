import type { KindRef } from '../../../api/define-kind.ts';
import { isDns1123Label, isPathSegmentName } from '../../../api/names.ts';
import type { KubeObject } from '../../../api/object.ts';
import { StatusError } from '../../../api/status.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { mapBounded } from '../../../util/map-bounded.ts';
import type { NormanContext } from './norman-context.ts';
import type { ListScope } from './norman-type.ts';

export interface VisibleOptions<T extends KubeObject> {
  readonly kind: KindRef<T>;
  /** Has all of them in memory; asked instead of the hub where there are many. */
  readonly source?: Informer<T>;
  /** The namespaces an object can be in as far as the caller is concerned, for kinds in namespaces. */
  namespaces?(ctx: NormanContext): Promise<readonly string[]>;
  /** The namespace that everything asked for is in, when the query says so much. */
  namespaceOfList?(scope: ListScope): string | undefined;
}

const atATime = 16;
const timeoutMs = 30_000;

/** The objects of a kind that the caller may see. Who may not list them all sees those of namespaces he may list, and those he may get by name. */
export async function listVisible<T extends KubeObject>(ctx: NormanContext, options: VisibleOptions<T>, scope: ListScope): Promise<T[]> {
  const { kind } = options;
  const source = options.source?.hasSynced ? options.source : undefined;
  const namespace = options.namespaceOfList?.(scope);
  if (namespace !== undefined && isDns1123Label(namespace).length > 0) return [];
  const everywhere = await ctx.rights.reach('list', kind, '');
  if (everywhere.isEverything) return source ? sourceList(source, namespace) : listed(ctx, kind, namespace);
  if (kind.scope === 'Cluster') {
    const names = new Set([...everywhere.names, ...(await namesToGet(ctx, kind, ''))]);
    return source ? [...names].map(name => source.get(name)).filter(obj => obj !== undefined) : getEach(ctx, kind, '', names);
  }
  const namespaces = namespace === undefined ? ((await options.namespaces?.(ctx)) ?? []) : [namespace];
  return (await mapBounded(namespaces, atATime, one => listIn(ctx, kind, one))).flat();
}

function sourceList<T extends KubeObject>(source: Informer<T>, namespace: string | undefined): T[] {
  const all = source.list();
  return namespace === undefined ? all : all.filter(obj => obj.metadata.namespace === namespace);
}

async function listIn<T extends KubeObject>(ctx: NormanContext, kind: KindRef<T>, namespace: string): Promise<T[]> {
  const list = await ctx.rights.reach('list', kind, namespace);
  if (list.isEverything) return listed(ctx, kind, namespace);
  return getEach(ctx, kind, namespace, new Set([...list.names, ...(await namesToGet(ctx, kind, namespace))]));
}

const namesToGet = async (ctx: NormanContext, kind: KindRef, namespace: string) => (await ctx.rights.reach('get', kind, namespace)).names;

async function listed<T extends KubeObject>(ctx: NormanContext, kind: KindRef<T>, namespace: string | undefined): Promise<T[]> {
  const { items } = await ctx.hub.list(kind, { ...(namespace !== undefined && { namespace }), timeoutMs, signal: ctx.signal });
  return items;
}

async function getEach<T extends KubeObject>(
  ctx: NormanContext,
  kind: KindRef<T>,
  namespace: string,
  names: ReadonlySet<string>,
): Promise<T[]> {
  // Rules may name what no object can be called.
  const possible = [...names].filter(name => name !== '' && isPathSegmentName(name).length === 0);
  const found = await mapBounded(possible, atATime, async name => {
    try {
      return await ctx.hub.get(kind, namespace === '' ? { name } : { namespace, name }, { timeoutMs, signal: ctx.signal });
    } catch (error) {
      // Rights are remembered for a moment: this one has just been taken back.
      if (error instanceof StatusError && error.code === 403) return undefined;
      throw error;
    }
  });
  return found.filter(obj => obj !== undefined);
}
