import { cloneJson } from '../../../util/json.ts';
import type { ControllerDefinition } from '../controller-definition.ts';
import { isFinished, type StoredPod } from '../pod-state.ts';
import { asStored, controllerOf, controllerRefTo, isDeleting, keyOf, splitKey } from '../stored-object.ts';
import { fieldManager, pods } from '../workload-resources.ts';
import { isNamespaceTerminating } from '../write-errors.ts';
import { claims } from './volume-resources.ts';

/** Makes the claims of volumes that live as long as their pod. */
export const ephemeralVolumeController: ControllerDefinition = {
  name: 'ephemeral-volume',
  reconciles: [pods],
  start(ctx) {
    const { api } = ctx;
    const recorder = ctx.recorder('ephemeral_volume');
    const queue = ctx.queue({ reconcile });
    for (const pod of api.peekAll(pods)) if (hasEphemeral(asStored(pod) as StoredPod)) queue.add(keyOf(pod));

    return {
      observe({ type, obj }) {
        if (type === 'ADDED' && hasEphemeral(asStored(obj) as StoredPod)) queue.add(keyOf(obj));
      },
      idle: () => queue.idle(),
      [Symbol.dispose]: () => queue[Symbol.dispose](),
    };

    async function reconcile(key: string): Promise<void> {
      const { namespace, name } = splitKey(key);
      const obj = api.peek(pods, namespace, name);
      if (!obj || isDeleting(obj)) return;
      const pod = asStored(obj) as StoredPod;
      if (isFinished(pod)) return;
      for (const volume of pod.spec.volumes ?? []) {
        const template = volume.ephemeral?.volumeClaimTemplate;
        if (!template) continue;
        const claimName = `${name}-${volume.name}`;
        const present = api.peek(claims, namespace, claimName);
        if (present) {
          if (controllerOf(present)?.uid === pod.metadata.uid) continue;
          const message = `PVC ${namespace}/${claimName} was not created for pod ${key} (pod is not owner)`;
          recorder.record(pod, 'Warning', 'FailedToCreatePVC', message);
          throw new Error(message);
        }
        const { labels, annotations } = template.metadata ?? {};
        const metadata = {
          name: claimName,
          namespace,
          ...(labels && { labels }),
          ...(annotations && { annotations }),
          ownerReferences: [controllerRefTo(pod)],
        };
        const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec: cloneJson(template.spec) };
        await api.create(claims, claim, { fieldManager }).catch((error: unknown) => {
          if (!isNamespaceTerminating(error)) throw error;
        });
      }
    }
  },
};

const hasEphemeral = ({ spec }: StoredPod): boolean => (spec.volumes ?? []).some(volume => volume.ephemeral !== undefined);
