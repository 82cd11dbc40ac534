import type { KindRef } from '../../../api/define-kind.ts';
import { apiVersionOf, type KubeObject } from '../../../api/object.ts';
import { isDns1123Label, isPathSegmentName } from '../../../api/names.ts';
import { StatusError } from '../../../api/status.ts';
import type { ObjectKey } from '../../../client/kube-client.ts';
import type { JsonObject } from '../../../util/json.ts';
import { mayCreate, type Reach } from './caller-rights.ts';
import { listVisible, type VisibleOptions } from './list-visible.ts';
import type { NormanContext } from './norman-context.ts';
import { NormanError, notFound } from './norman-error.ts';
import { noGrants, type Entry, type Grants, type TypeStore } from './norman-type.ts';
import { printFields } from './print-resource.ts';
import { creatorAnnotation, flatten, writeFields, type Shape } from './resource-shape.ts';

export interface KindStoreOptions<T extends KubeObject> extends VisibleOptions<T> {
  readonly kind: KindRef<T>;
  readonly shape: Shape;
  /** What names of new objects begin with; they cannot be made when absent. */
  readonly prefix?: string;
  /** Where a new object belongs, for kinds in namespaces. */
  namespaceOf?(fields: JsonObject): string;
  /** Looks at a new object and completes it. Throws when it cannot be. */
  prepare?(ctx: NormanContext, obj: T): Promise<T>;
  /** Makes the fields what clients expect, from the object alone. */
  derive?(fields: JsonObject, obj: T): JsonObject;
  /** Adds what depends on who asks. */
  complete?(fields: JsonObject, obj: T, ctx: NormanContext): JsonObject;
  /** Which actions are on offer. */
  actions?(ctx: NormanContext, obj: T, mayUpdate: boolean): readonly string[];
  /** Takes back what may never be done, whatever the rights. */
  limit?(obj: T, grants: Grants): Grants;
  links?(ctx: NormanContext, obj: T): Readonly<Record<string, string>>;
  /** What an object says it is, when that is more special than its type. */
  typeOf?(obj: T): string;
}

export interface KindStore<T extends KubeObject> extends TypeStore {
  entry(ctx: NormanContext, obj: T): Entry;
  /** Prints what is the same for all who will ask for this object. */
  printAhead(obj: T): void;
}

/** What somebody may do to objects of a kind, whatever their namespace. */
interface Everywhere {
  readonly update: Reach;
  readonly remove: Reach;
}

const timeoutMs = 30_000;
const conflictTries = 5;

/** The objects of a kind as resources of Rancher's API. All is asked of the hub as the caller. */
export function kindStore<T extends KubeObject>(options: KindStoreOptions<T>): KindStore<T> {
  const { kind, shape, prefix } = options;
  const shown = new WeakMap<T, JsonObject>();

  return {
    entry,
    printAhead: obj => void printFields(ownFields(obj)),
    async list(ctx, scope) {
      const objects = await listVisible(ctx, options, scope);
      const everywhere = { update: await ctx.rights.reach('update', kind, ''), remove: await ctx.rights.reach('delete', kind, '') };
      return objects.map(obj => entry(ctx, obj, everywhere));
    },
    async get(ctx, id) {
      const obj = await read(ctx, id);
      return obj && entry(ctx, obj);
    },
    async create(ctx, fields) {
      const blank = newObject(ctx, fields);
      const obj = writeFields(blank, fields, shape);
      return entry(ctx, await ctx.hub.create(kind, (await options.prepare?.(ctx, obj)) ?? obj, { timeoutMs, signal: ctx.signal }));
    },
    async update(ctx, id, fields, { replaces }) {
      for (let attempt = 1; ; attempt++) {
        const obj = await read(ctx, id);
        if (!obj) throw notFound();
        const values = replaces ? { ...emptied(obj), ...fields } : fields;
        try {
          return entry(ctx, await ctx.hub.update(kind, writeFields(obj, values, shape), { timeoutMs, signal: ctx.signal }));
        } catch (error) {
          if (!(error instanceof StatusError) || error.reason !== 'Conflict' || attempt >= conflictTries) throw error;
        }
      }
    },
    async remove(ctx, id) {
      const key = keyOf(id);
      if (!key || !(await read(ctx, id))) throw notFound();
      await ctx.hub.delete(kind, key, { timeoutMs, signal: ctx.signal });
      const left = await read(ctx, id);
      return left && entry(ctx, left);
    },
    mayCreate: async ctx => prefix !== undefined && (await mayCreate(ctx.rights, kind)),
  };

  function entry(ctx: NormanContext, obj: T, everywhere?: Everywhere): Entry {
    const links = options.links?.(ctx, obj);
    const type = options.typeOf?.(obj);
    return {
      id: idOf(obj),
      fields: () => fieldsOf(ctx, obj),
      grants: () => grantsOn(ctx, obj, everywhere),
      ...(links && { links }),
      ...(type !== undefined && { type }),
    };
  }

  function fieldsOf(ctx: NormanContext, obj: T): JsonObject {
    const fields = ownFields(obj);
    return options.complete ? options.complete(fields, obj, ctx) : fields;
  }

  function ownFields(obj: T): JsonObject {
    let fields = shown.get(obj);
    if (!fields) {
      fields = flatten(obj, shape, new Date());
      fields = options.derive?.(fields, obj) ?? fields;
      // What goes away is shown with how long that has lasted.
      if (obj.metadata.deletionTimestamp === undefined) shown.set(obj, fields);
    }
    return fields;
  }

  /** At once where what holds everywhere decides: lists are long. */
  function grantsOn(ctx: NormanContext, obj: T, everywhere?: Everywhere): Grants | Promise<Grants> {
    const { name = '', namespace = '' } = obj.metadata;
    if (everywhere) {
      const [mayUpdate, mayRemove] = [everywhere.update.covers(name), everywhere.remove.covers(name)];
      if (namespace === '' || (mayUpdate && mayRemove)) return granted(ctx, obj, mayUpdate, mayRemove);
    }
    const may = async (verb: string) => {
      if ((await ctx.rights.reach(verb, kind, '')).covers(name)) return true;
      return namespace !== '' && (await ctx.rights.reach(verb, kind, namespace)).covers(name);
    };
    return Promise.all([may('update'), may('delete')]).then(([mayUpdate, mayRemove]) => granted(ctx, obj, mayUpdate, mayRemove));
  }

  function granted(ctx: NormanContext, obj: T, mayUpdate: boolean, mayRemove: boolean): Grants {
    const grants: Grants = { mayUpdate, mayRemove, actions: options.actions?.(ctx, obj, mayUpdate) ?? noGrants.actions };
    return options.limit?.(obj, grants) ?? grants;
  }

  /** Undefined when there is none, and when the caller may not see it: who asks by a guess learns nothing. */
  async function read(ctx: NormanContext, id: string): Promise<T | undefined> {
    const key = keyOf(id);
    if (!key) return undefined;
    try {
      return await ctx.hub.get(kind, key, { timeoutMs, signal: ctx.signal });
    } catch (error) {
      if (error instanceof StatusError && error.code === 403) return undefined;
      throw error;
    }
  }

  function keyOf(id: string): ObjectKey | undefined {
    const parts = id.split(':');
    if (parts.length !== (kind.scope === 'Namespaced' ? 2 : 1)) return undefined;
    if (parts.some(part => part === '' || isPathSegmentName(part).length > 0)) return undefined;
    const [first = '', second] = parts;
    return second === undefined ? { name: first } : { namespace: first, name: second };
  }

  function newObject(ctx: NormanContext, fields: JsonObject): T {
    const namespace = options.namespaceOf?.(fields);
    if (namespace !== undefined && isDns1123Label(namespace).length > 0)
      throw new NormanError(422, 'InvalidReference', `there is no ${JSON.stringify(namespace)} for it to belong to`);
    return {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: {
        generateName: prefix ?? '',
        ...(namespace !== undefined && { namespace }),
        annotations: { [creatorAnnotation]: ctx.caller.name },
      },
      ...(!shape.isFlat && { spec: {} }),
    } as unknown as T;
  }

  /** What PUT may set, taken away as far as it is set. */
  function emptied(obj: T): JsonObject {
    const present = flatten(obj, shape, new Date());
    const names = Object.keys(shape.fields).filter(name => shape.fields[name]!.update && !shape.fields[name]!.required);
    return Object.fromEntries(names.filter(name => present[name] !== undefined && present[name] !== null).map(name => [name, null]));
  }
}

/** The id of an object in Rancher's API. */
export function idOf({ metadata: { namespace = '', name = '' } }: KubeObject): string {
  return namespace === '' ? name : `${namespace}:${name}`;
}
