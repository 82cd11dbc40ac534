import { PersistentVolumeClaim } from '../../../api/builtin-kinds.ts';
import type { KindRef } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import { StatusError } from '../../../api/status.ts';
import type { Json } from '../../../util/json.ts';
import { mapBounded } from '../../../util/map-bounded.ts';
import type { SteveApi } from '../v1/steve-api.ts';
import type { SteveType } from '../v1/steve-type.ts';
import { disksOf, marks, type MachineDisk } from './machine-facts.ts';
import { fieldManager, keyOf, patchMachine } from './machine-context.ts';
import { typeIds } from './member-abilities.ts';

const atATime = 8;

/**
 * Deletes a machine and those of its disks that are named; all others stay, also where they would have gone with the machine. What goes is noted on the
 * machine, as Harvester wants it, and deleted after it: a claim that is still in use goes when its last pod has gone.
 */
export async function removeMachine(api: SteveApi, type: SteveType, vm: KubeObject, removedDisks: readonly string[]): Promise<void> {
  const { client, signal } = api;
  const { namespace } = keyOf(vm);
  const claims = await claimsOf(api, vm);
  const removed = claims.filter(
    ({ disk, object }) => removedDisks.includes(disk.disk) && object?.metadata.annotations?.[marks.goldenImage] !== 'true',
  );
  const kept = claims.filter(one => !removed.includes(one));
  const names = removed.map(({ disk }) => disk.claim);
  // Whoever may delete the machine and not its disks hears it while both are there.
  for (const { disk, object } of removed)
    if (object) await client.delete(PersistentVolumeClaim, { namespace, name: disk.claim }, { dryRun: true, signal });
  await patchMachine({ api, vm, type }, { metadata: { annotations: { [marks.removedClaims]: names.join(',') } } });
  const dataVolumes = api.types.find(typeIds.dataVolume);
  for (const { disk, object } of kept) {
    if (object) await disown(api, PersistentVolumeClaim, object, vm);
    if (!disk.isDataVolume || !dataVolumes) continue;
    const between = await client.get(dataVolumes, { namespace, name: disk.claim }, { signal });
    if (between) await disown(api, dataVolumes, between, vm);
  }
  const preconditions = vm.metadata.uid === undefined ? {} : { uid: vm.metadata.uid };
  await client.delete(type, keyOf(vm), { propagationPolicy: 'Background', preconditions, signal });
  for (const { disk, object } of removed) {
    const { uid } = object?.metadata ?? {};
    if (disk.isDataVolume && dataVolumes) await client.delete(dataVolumes, { namespace, name: disk.claim }, { signal });
    if (uid !== undefined) await deleteClaim(api, { namespace, name: disk.claim }, uid);
  }
}

interface Claim {
  readonly disk: MachineDisk;
  /** Absent when it is not there. */
  readonly object: KubeObject | undefined;
}

function claimsOf({ client, signal }: SteveApi, vm: KubeObject): Promise<Claim[]> {
  const { namespace } = keyOf(vm);
  return mapBounded(disksOf(vm), atATime, async disk => {
    return { disk, object: await client.get(PersistentVolumeClaim, { namespace, name: disk.claim }, { signal }) };
  });
}

/** What belongs to the machine would be taken away with it. */
async function disown({ client, signal }: SteveApi, kind: KindRef, object: KubeObject, vm: KubeObject): Promise<void> {
  const { ownerReferences = [], resourceVersion } = object.metadata;
  const others = ownerReferences.filter(({ uid }) => uid !== vm.metadata.uid);
  if (others.length === ownerReferences.length) return;
  const metadata = { ownerReferences: others as unknown as Json, ...(resourceVersion !== undefined && { resourceVersion }) };
  await client.patch(kind, keyOf(object), { type: 'merge', body: { metadata } }, { fieldManager, signal });
}

/** Harvester may have been quicker. */
async function deleteClaim({ client, signal }: SteveApi, key: ReturnType<typeof keyOf>, uid: string): Promise<void> {
  try {
    await client.delete(PersistentVolumeClaim, key, { preconditions: { uid }, signal });
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 409) throw error;
  }
}
