import type { Pki } from '../pki/ensure-pki.ts';
import type { Keyspaces } from '../store/keyspaces.ts';
import { StoreBase } from '../store/store-base.ts';
import { makeSharedBase } from './shared-base.ts';

/** The bases of all sandboxes: the one that this version makes for new ones, and those that older sandboxes began with. */
export interface SharedBases {
  /** Kept for as long as there may be sandboxes that began with it. */
  current(): Promise<StoreBase>;
  find(digest: string): Promise<StoreBase>;
}

export function sharedBases(keyspaces: Keyspaces, pki: Pki): SharedBases {
  const known = new Map<string, Promise<StoreBase>>();
  let newest: Promise<StoreBase> | undefined;

  return {
    current: () => (newest ??= make()),
    async find(digest) {
      if ((await newest)?.digest === digest) return newest!;
      let base = known.get(digest);
      if (!base) known.set(digest, (base = read(digest)));
      return base;
    },
  };

  async function make(): Promise<StoreBase> {
    const base = await makeSharedBase(pki);
    await keyspaces.writeShared(base.digest, base.print());
    return base;
  }

  async function read(digest: string): Promise<StoreBase> {
    const text = await keyspaces.readShared(digest);
    if (text === undefined) throw new Error(`the objects that the cluster began with are gone: "${digest}"`);
    return StoreBase.parse(text);
  }
}
