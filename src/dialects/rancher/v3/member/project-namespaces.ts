import { Namespace } from '../../../../api/builtin-kinds.ts';
import type { KindRef } from '../../../../api/define-kind.ts';
import type { KubeObject } from '../../../../api/object.ts';
import { listVisible } from '../list-visible.ts';
import type { NormanContext } from '../norman-context.ts';
import { projectIdOf } from './namespace-project.ts';

/** Where the objects of a project are. */
export interface ProjectPlace {
  /** `<cluster>:<project>`. */
  readonly projectId: string;
  /** The namespaces of the project that the caller may see. */
  namespaces(ctx: NormanContext): Promise<readonly string[]>;
  /** Looks again which those are. */
  renew(ctx: NormanContext): Promise<readonly string[]>;
  /** The objects of a kind in them that the caller may see. */
  list<T extends KubeObject>(ctx: NormanContext, kind: KindRef<T>): Promise<T[]>;
}

const everything = { equals: () => undefined };

/** The namespaces of one project on its member, looked up once unless somebody wants them anew. */
export function projectNamespaces(projectId: string): ProjectPlace {
  let found: Promise<readonly string[]> | undefined;
  const namespaces = (ctx: NormanContext) => (found ??= look(ctx));
  return { projectId, namespaces, renew, list };

  async function renew(ctx: NormanContext): Promise<readonly string[]> {
    const now = await look(ctx);
    found = Promise.resolve(now);
    return now;
  }

  async function look(ctx: NormanContext): Promise<readonly string[]> {
    const all = await listVisible(ctx, { kind: Namespace }, everything);
    return all.filter(namespace => projectIdOf(namespace) === projectId).map(({ metadata }) => metadata.name ?? '');
  }

  async function list<T extends KubeObject>(ctx: NormanContext, kind: KindRef<T>): Promise<T[]> {
    const own = new Set(await namespaces(ctx));
    if (own.size === 0) return [];
    const objects = await listVisible(ctx, { kind, namespaces }, everything);
    return objects.filter(({ metadata }) => own.has(metadata.namespace ?? ''));
  }
}
