import type { GroupVersionKind, GroupVersionResource } from '../api/object.ts';
import type { Catalog } from './cluster-api.ts';
import type { Resource } from './resource.ts';

/** The resources one cluster serves: the built-in ones, shared by all clusters, and those its definitions add. */
export class ResourceCatalog implements Catalog {
  readonly #builtin: readonly Resource[];
  readonly #builtinByResource: ReadonlyMap<string, Resource>;
  readonly #builtinByKind: ReadonlyMap<string, Resource>;
  #custom = new Map<string, readonly Resource[]>();
  #byResource = new Map<string, Resource>();
  #byKind = new Map<string, Resource>();
  #all: readonly Resource[] | undefined;
  generation = 1;

  constructor(builtin: readonly Resource[]) {
    this.#builtin = builtin;
    const known = indexes.get(builtin) ?? indexOf(builtin);
    indexes.set(builtin, known);
    this.#builtinByResource = known.byResource;
    this.#builtinByKind = known.byKind;
  }

  find(gvr: GroupVersionResource): Resource | undefined {
    const key = `${gvr.group}/${gvr.version}/${gvr.resource}`;
    return this.#builtinByResource.get(key) ?? this.#byResource.get(key);
  }

  findKind(gvk: GroupVersionKind): Resource | undefined {
    const key = `${gvk.group}/${gvk.version}/${gvk.kind}`;
    return this.#builtinByKind.get(key) ?? this.#byKind.get(key);
  }

  all(): readonly Resource[] {
    if (this.#custom.size === 0) return this.#builtin;
    return (this.#all ??= [...this.#builtin, ...[...this.#custom.values()].flat()]);
  }

  /** Whether built-in kinds are in a group: their paths answer differently to what is not there than those of definitions. */
  hasBuiltinGroup(group: string): boolean {
    return this.#builtin.some(r => r.group === group);
  }

  /** Sets, replaces or (with none) removes what a definition adds. */
  setCustom(definition: string, resources: readonly Resource[]): void {
    if (resources.length === 0 && !this.#custom.has(definition)) return;
    if (resources.length === 0) this.#custom.delete(definition);
    else this.#custom.set(definition, resources);
    this.#all = undefined;
    const { byResource, byKind } = indexOf([...this.#custom.values()].flat());
    this.#byResource = byResource;
    this.#byKind = byKind;
    this.generation++;
  }

  customOf(definition: string): readonly Resource[] {
    return this.#custom.get(definition) ?? [];
  }
}

interface Index {
  byResource: Map<string, Resource>;
  byKind: Map<string, Resource>;
}

const indexes = new WeakMap<readonly Resource[], Index>();

function indexOf(resources: readonly Resource[]): Index {
  const byResource = new Map<string, Resource>();
  const byKind = new Map<string, Resource>();
  for (const r of resources) {
    byResource.set(`${r.group}/${r.version}/${r.resource}`, r);
    const kindKey = `${r.group}/${r.version}/${r.kind}`;
    if (!byKind.has(kindKey)) byKind.set(kindKey, r);
  }
  return { byResource, byKind };
}
