import { LRUCache } from 'lru-cache';
import { StatusError } from '../../../api/status.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { readJson } from '../../../client/read-answer.ts';
import { isJsonObject } from '../../../util/json.ts';
import type { SteveTypes } from '../v1/steve-type.ts';
import type { MachineAbilities } from './actions-of.ts';

/** The types that are about virtual machines, by the names that `/v1` gives them. */
export const typeIds = {
  machine: 'kubevirt.io.virtualmachine',
  instance: 'kubevirt.io.virtualmachineinstance',
  migration: 'kubevirt.io.virtualmachineinstancemigration',
  claim: 'persistentvolumeclaim',
  dataVolume: 'cdi.kubevirt.io.datavolume',
  /** Harvester's own, which knows snapshots too. */
  backup: 'harvesterhci.io.virtualmachinebackup',
  snapshot: 'snapshot.kubevirt.io.virtualmachinesnapshot',
} as const;

export const subresourceGroup = '/apis/subresources.kubevirt.io/v1';

const believedMs = 10_000;
const remembered = 500;
const answerTimeoutMs = 10_000;

/** Knows for a moment what the APIs of members have for virtual machines. Discovery is the same for everybody. */
export function abilityDesk(): { of(member: string, client: KubeClient, types: SteveTypes): Promise<MachineAbilities> } {
  const known = new LRUCache<string, Promise<ReadonlySet<string>>>({ max: remembered, ttl: believedMs });
  return {
    async of(member, client, types) {
      let subresources = known.get(member);
      if (!subresources) {
        const asked = fetchSubresources(client);
        known.set(member, (subresources = asked));
        asked.catch(() => {
          if (known.peek(member) === asked) known.delete(member);
        });
      }
      return {
        subresources: await subresources,
        hasMigrations: types.find(typeIds.migration) !== undefined,
        hasSnapshots: (types.find(typeIds.backup) ?? types.find(typeIds.snapshot)) !== undefined,
      };
    },
  };
}

async function fetchSubresources(client: KubeClient): Promise<ReadonlySet<string>> {
  const request = { method: 'GET', path: subresourceGroup, headers: { accept: 'application/json' }, answerTimeoutMs };
  try {
    const answer = await readJson(await client.request({ ...request, signal: AbortSignal.timeout(answerTimeoutMs) }));
    const resources = isJsonObject(answer) && Array.isArray(answer['resources']) ? answer['resources'] : [];
    return new Set(resources.flatMap(one => (isJsonObject(one) && typeof one['name'] === 'string' ? [one['name']] : [])));
  } catch (error) {
    // Members without KubeVirt's second API server, and those whose own does not answer at the moment.
    if (error instanceof StatusError && [403, 404, 503].includes(error.code)) return new Set();
    throw error;
  }
}
