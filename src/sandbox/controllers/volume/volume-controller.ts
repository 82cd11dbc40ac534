import type { PersistentVolumeStatus } from '../../../api/kubernetes.ts';
import { timestamp } from '../../../util/timestamp.ts';
import type { ControllerDefinition } from '../controller-definition.ts';
import { asObject, asStored, isDeleting } from '../stored-object.ts';
import { fieldManager } from '../workload-resources.ts';
import { unlessGone } from '../write-errors.ts';
import type { StoredVolume } from './match-volume.ts';
import { claims, volumes } from './volume-resources.ts';

const protection = 'kubernetes.io/pv-protection';

/** Says of every volume whether it is free, and does with one that was given back what its reclaim policy says. */
export const volumeController: ControllerDefinition = {
  name: 'persistent-volume',
  reconciles: [volumes],
  watches: [claims],
  start(ctx) {
    const { api } = ctx;
    const recorder = ctx.recorder('persistentvolume-controller');
    const queue = ctx.queue({ reconcile });
    for (const { metadata } of api.peekAll(volumes)) queue.add(metadata.name ?? '');

    return {
      observe({ resource, name, obj }) {
        if (resource.resource === volumes.resource) return queue.add(name);
        const { volumeName = '' } = obj['spec'] as { volumeName?: string };
        if (volumeName !== '') queue.add(volumeName);
      },
      idle: () => queue.idle(),
      [Symbol.dispose]: () => queue[Symbol.dispose](),
    };

    async function reconcile(name: string): Promise<void> {
      const obj = api.peek(volumes, '', name);
      if (!obj) return;
      const volume = asStored(obj) as StoredVolume;
      const phase = phaseOf(volume);
      if (phase !== volume.status?.phase) await writePhase(volume, phase);
      if (isDeleting(volume)) return phase === 'Bound' ? undefined : letGo(name);
      if (phase === 'Released') await reclaim(volume);
    }

    function phaseOf({ spec, status }: StoredVolume): string {
      const { claimRef } = spec;
      if (!claimRef?.uid) return 'Available';
      const claim = api.peek(claims, claimRef.namespace ?? '', claimRef.name ?? '');
      if (claim?.metadata.uid === claimRef.uid) return 'Bound';
      return status?.phase === 'Failed' ? 'Failed' : 'Released';
    }

    async function writePhase(volume: StoredVolume, phase: string): Promise<void> {
      const status: PersistentVolumeStatus = { ...volume.status, phase, lastPhaseTransitionTime: timestamp(ctx.now()) };
      await unlessGone(api.update(volumes, asObject({ ...volume, status }), { subresource: 'status', fieldManager }));
    }

    async function reclaim(volume: StoredVolume): Promise<void> {
      const { name, uid } = volume.metadata;
      const policy = volume.spec.persistentVolumeReclaimPolicy;
      if (policy === 'Delete') await unlessGone(api.delete(volumes, { namespace: '', name }, { preconditions: { uid } }));
      if (policy !== 'Recycle') return;
      const current = api.peek(volumes, '', name);
      if (!current) return;
      const { claimRef: _, ...spec } = (asStored(current) as StoredVolume).spec;
      await unlessGone(api.update(volumes, { ...current, spec }, { fieldManager }));
      recorder.record(volume, 'Normal', 'VolumeRecycled', 'Volume recycled');
    }

    async function letGo(name: string): Promise<void> {
      const current = api.peek(volumes, '', name);
      const finalizers = current?.metadata.finalizers ?? [];
      if (!current || !finalizers.includes(protection)) return;
      const left = finalizers.filter(finalizer => finalizer !== protection);
      await unlessGone(api.update(volumes, { ...current, metadata: { ...current.metadata, finalizers: left } }, { fieldManager }));
    }
  },
};
