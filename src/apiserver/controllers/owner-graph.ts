import type { GroupResource, KubeObject, OwnerReference } from '../../api/object.ts';

/** Where an object is, and which of the objects that were ever there it is. */
export interface Identity extends GroupResource {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface Dependent {
  readonly identity: Identity;
  readonly owners: readonly OwnerReference[];
}

const none: ReadonlyMap<string, Dependent> = new Map();

/**
 * Who depends on whom, by uid. Holds only objects that have owners, so its size and the cost of keeping it follow the
 * ownership in the cluster, not the number of objects.
 */
export class OwnerGraph {
  readonly #dependents = new Map<string, Map<string, Dependent>>();
  readonly #owned = new Map<string, Dependent>();

  /** Takes note of an object's present owners and returns what it had before. */
  set(identity: Identity, owners: readonly OwnerReference[]): readonly OwnerReference[] {
    const before = this.remove(identity.uid);
    if (owners.length === 0) return before;
    const dependent: Dependent = { identity, owners };
    this.#owned.set(identity.uid, dependent);
    for (const { uid } of owners) {
      const siblings = this.#dependents.get(uid);
      if (siblings) siblings.set(identity.uid, dependent);
      else this.#dependents.set(uid, new Map([[identity.uid, dependent]]));
    }
    return before;
  }

  /** Forgets an object as a dependent; its own dependents stay known under its uid. */
  remove(uid: string): readonly OwnerReference[] {
    const present = this.#owned.get(uid);
    if (!present) return [];
    this.#owned.delete(uid);
    for (const owner of present.owners) {
      const siblings = this.#dependents.get(owner.uid);
      siblings?.delete(uid);
      if (siblings?.size === 0) this.#dependents.delete(owner.uid);
    }
    return present.owners;
  }

  dependentsOf(uid: string): Iterable<Dependent> {
    return (this.#dependents.get(uid) ?? none).values();
  }

  hasDependents(uid: string): boolean {
    return this.#dependents.has(uid);
  }

  /** Dependents that keep an owner from going away in foreground deletion. */
  blockingDependentsOf(uid: string): Dependent[] {
    return [...this.dependentsOf(uid)].filter(({ owners }) => owners.some(o => o.uid === uid && o.blockOwnerDeletion === true));
  }
}

export const isDeleting = (obj: KubeObject) => obj.metadata.deletionTimestamp !== undefined;
export const hasFinalizer = (obj: KubeObject, finalizer: string) => obj.metadata.finalizers?.includes(finalizer) === true;
