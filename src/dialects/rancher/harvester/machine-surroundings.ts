import type { KubeObject } from '../../../api/object.ts';
import { StatusError } from '../../../api/status.ts';
import type { SteveApi } from '../v1/steve-api.ts';
import type { SteveType } from '../v1/steve-type.ts';
import type { MachineAbilities, MachineSituation } from './actions-of.ts';
import { instanceFacts, machineFacts, migrationStateOf } from './machine-facts.ts';
import { typeIds } from './member-abilities.ts';

/** What is around the virtual machines that one request is about, as its caller may see it. */
export interface MachineSurroundings {
  /** Undefined when the caller may not see what decides. */
  situationOf(vm: KubeObject): Promise<MachineSituation | undefined>;
  instanceOf(vm: KubeObject): Promise<KubeObject | undefined>;
  migrationsNear(vm: KubeObject): Promise<readonly KubeObject[]>;
}

export interface SurroundingsOptions {
  readonly nodes: number;
  readonly abilities: MachineAbilities;
  /** Whether a single machine is asked for: then its neighbours are none of its business. */
  readonly isSingle: boolean;
}

export function machineSurroundings(api: SteveApi, { nodes, abilities, isSingle }: SurroundingsOptions): MachineSurroundings {
  const { client, rights, signal } = api;
  const lists = new Map<string, Promise<readonly KubeObject[]>>();
  const instances = api.types.find(typeIds.instance);
  const migrations = api.types.find(typeIds.migration);

  return {
    instanceOf,
    migrationsNear: vm => (migrations ? listNear(migrations, vm) : Promise.resolve([])),
    async situationOf(vm) {
      try {
        const vmi = await instanceOf(vm);
        const near = vmi && migrations ? await listNear(migrations, vm) : [];
        return {
          machine: machineFacts(vm),
          instance: vmi && instanceFacts(vmi),
          nodes,
          migration: vmi && migrationStateOf(vmi, near),
          abilities,
        };
      } catch (error) {
        if (error instanceof StatusError && error.code === 403) return undefined;
        throw error;
      }
    },
  };

  async function instanceOf({ metadata: { namespace = '', name = '' } }: KubeObject): Promise<KubeObject | undefined> {
    if (!instances) return undefined;
    if (isSingle) return client.get(instances, { namespace, name }, { signal });
    const found = await listNear(instances, { metadata: { namespace } });
    return found.find(one => one.metadata.name === name && one.metadata.namespace === namespace);
  }

  /** Everything in one answer for those who may have it; otherwise one answer for each namespace. */
  async function listNear(type: SteveType, { metadata: { namespace = '' } }: Pick<KubeObject, 'metadata'>): Promise<readonly KubeObject[]> {
    const isEverywhere = !isSingle && (await rights.reach('list', type, '')).isEverything;
    const place = isEverywhere ? '' : namespace;
    const key = `${type.id} ${place}`;
    let list = lists.get(key);
    if (!list) {
      list = client.list(type, { ...(place !== '' && { namespace: place }), signal }).then(({ items }) => items);
      lists.set(key, list);
    }
    const items = await list;
    return isEverywhere ? items.filter(one => one.metadata.namespace === namespace) : items;
  }
}
