import type { StorageClass } from '../../../api/kubernetes.ts';
import { compareQuantities } from '../../../apiserver/validation/quantities.ts';
import { jsonEqual } from '../../../util/json.ts';
import { claimNamesOf } from '../../scheduler/volume-needs.ts';
import type { ControllerDefinition } from '../controller-definition.ts';
import { isFinished, type StoredPod } from '../pod-state.ts';
import { asObject, asStored, isDeleting, keyOf, splitKey, type Stored } from '../stored-object.ts';
import { fieldManager, pods } from '../workload-resources.ts';
import { isAlreadyExists, unlessGone } from '../write-errors.ts';
import { capacityOf, classOf, isMeantFor, matchVolume, requestOf, type StoredClaim, type StoredVolume } from './match-volume.ts';
import { noProvisioner, provisionedVolume } from './provision-volume.ts';
import { claims, storageClasses, volumes } from './volume-resources.ts';

const protection = 'kubernetes.io/pvc-protection';
const boundByController = 'pv.kubernetes.io/bound-by-controller';
const bindCompleted = 'pv.kubernetes.io/bind-completed';
const selectedNode = 'volume.kubernetes.io/selected-node';
const provisionerKeys = ['volume.beta.kubernetes.io/storage-provisioner', 'volume.kubernetes.io/storage-provisioner'];

/** Finds or makes a volume for every claim, lets it grow, and lets claims go that nobody uses. */
export const claimController: ControllerDefinition = {
  name: 'persistent-volume-claim',
  reconciles: [claims],
  watches: [volumes, storageClasses, pods],
  start(ctx) {
    const { api } = ctx;
    const recorder = ctx.recorder('persistentvolume-controller');
    // One at a time: a volume must not be given away twice.
    const queue = ctx.queue({ reconcile, concurrency: 1 });
    for (const claim of api.peekAll(claims)) queue.add(keyOf(claim));

    return {
      observe({ type, resource, namespace, name, obj }) {
        if (resource.resource === claims.resource) return queue.add(`${namespace}/${name}`);
        if (resource.resource === pods.resource) {
          const pod = asStored(obj) as StoredPod;
          if (type === 'DELETED' || isFinished(pod)) for (const claim of claimNamesOf(pod)) queue.add(`${namespace}/${claim.name}`);
          return;
        }
        const claimRef = (asStored(obj) as StoredVolume).spec?.claimRef;
        if (claimRef) queue.add(`${claimRef.namespace}/${claimRef.name}`);
        else for (const claim of api.peekAll(claims)) if (!isBound(asStored(claim) as StoredClaim)) queue.add(keyOf(claim));
      },
      idle: () => queue.idle(),
      [Symbol.dispose]: () => queue[Symbol.dispose](),
    };

    async function reconcile(key: string): Promise<void> {
      const { namespace, name } = splitKey(key);
      const obj = api.peek(claims, namespace, name);
      if (!obj) return;
      const claim = asStored(obj) as StoredClaim;
      if (isDeleting(claim)) return letGo(claim);
      if (isBound(claim)) return followVolume(claim);
      if (claim.status?.phase !== 'Pending') await writeStatus(claim, { phase: 'Pending' });
      const volume = chooseVolume(claim);
      if (volume) return bind(claim, volume);
      if (!claim.spec.volumeName) await provision(claim);
    }

    function chooseVolume(claim: StoredClaim): StoredVolume | undefined {
      const wanted = claim.spec.volumeName ?? '';
      if (wanted !== '') {
        const obj = api.peek(volumes, '', wanted);
        const volume = obj && (asStored(obj) as StoredVolume);
        return volume && (volume.spec.claimRef === undefined || isMeantFor(volume, claim)) ? volume : undefined;
      }
      if (waitsForPod(claim)) return undefined;
      return matchVolume(
        claim,
        api.peekAll(volumes).map(volume => asStored(volume) as StoredVolume),
      );
    }

    function waitsForPod(claim: StoredClaim): boolean {
      return findClass(claim)?.volumeBindingMode === 'WaitForFirstConsumer' && claim.metadata.annotations?.[selectedNode] === undefined;
    }

    function findClass(claim: StoredClaim): Stored<StorageClass> | undefined {
      const found = classOf(claim) === '' ? undefined : api.peek(storageClasses, '', classOf(claim));
      return found && asStored<StorageClass>(found);
    }

    async function provision(claim: StoredClaim): Promise<void> {
      const className = classOf(claim);
      if (className === '') {
        const message = 'no persistent volumes available for this claim and no storage class is set';
        return recorder.record(claim, 'Normal', 'FailedBinding', message);
      }
      const storageClass = findClass(claim);
      if (!storageClass)
        return recorder.record(claim, 'Warning', 'ProvisioningFailed', `storageclass.storage.k8s.io "${className}" not found`);
      if (waitsForPod(claim))
        return recorder.record(claim, 'Normal', 'WaitForFirstConsumer', 'waiting for first consumer to be created before binding');
      if (storageClass.provisioner === noProvisioner)
        return recorder.record(claim, 'Warning', 'ProvisioningFailed', `no volume plugin matched name: ${noProvisioner}`);

      const annotations = Object.fromEntries(provisionerKeys.map(key => [key, storageClass.provisioner]));
      if (provisionerKeys.some(key => claim.metadata.annotations?.[key] === undefined)) {
        const { namespace = '', name } = claim.metadata;
        await api.patch(claims, { namespace, name }, { type: 'merge', body: { metadata: { annotations } } }, { fieldManager });
      }
      const volume = provisionedVolume(claim, storageClass);
      await api.create(volumes, volume, { fieldManager }).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
      recorder.record(claim, 'Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${volume.metadata.name}`);
    }

    /** The volume first: a claim never names a volume that does not name it. */
    async function bind(claim: StoredClaim, volume: StoredVolume): Promise<void> {
      const { name, namespace = '', uid, resourceVersion } = claim.metadata;
      if (volume.spec.claimRef?.uid !== uid) {
        const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion };
        const byUs = volume.spec.claimRef === undefined ? { [boundByController]: 'yes' } : {};
        const annotations = { ...volume.metadata.annotations, ...byUs };
        const next = asObject({ ...volume, metadata: { ...volume.metadata, annotations }, spec: { ...volume.spec, claimRef } });
        await api.update(volumes, next, { fieldManager });
      }
      const current = api.peek(claims, namespace, name);
      if (current?.metadata.uid !== uid) return;
      const byUs = claim.spec.volumeName ? {} : { [boundByController]: 'yes' };
      const annotations = { ...current.metadata.annotations, [bindCompleted]: 'yes', ...byUs };
      const spec = { ...(current['spec'] as object), volumeName: volume.metadata.name };
      await unlessGone(api.update(claims, { ...current, metadata: { ...current.metadata, annotations }, spec }, { fieldManager }));
    }

    async function followVolume(claim: StoredClaim): Promise<void> {
      const obj = api.peek(volumes, '', claim.spec.volumeName ?? '');
      const volume = obj && (asStored(obj) as StoredVolume);
      if (!volume || volume.spec.claimRef?.uid !== claim.metadata.uid) {
        if (claim.status?.phase === 'Lost') return;
        await writeStatus(claim, { ...claim.status, phase: 'Lost' });
        return recorder.record(claim, 'Warning', 'ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!');
      }
      if (compareQuantities(requestOf(claim), capacityOf(volume)) > 0 && findClass(claim)?.allowVolumeExpansion) {
        const capacity = { ...volume.spec.capacity, storage: requestOf(claim) };
        await unlessGone(api.update(volumes, asObject({ ...volume, spec: { ...volume.spec, capacity } }), { fieldManager }));
        recorder.record(claim, 'Normal', 'FileSystemResizeSuccessful', 'MountVolume.NodeExpandVolume succeeded for volume');
        return;
      }
      const status = {
        ...claim.status,
        phase: 'Bound',
        accessModes: volume.spec.accessModes ?? [],
        capacity: volume.spec.capacity ?? {},
      };
      if (!jsonEqual(status, claim.status)) await writeStatus(claim, status);
    }

    async function writeStatus(claim: StoredClaim, status: object): Promise<void> {
      await unlessGone(api.update(claims, asObject({ ...claim, status }), { subresource: 'status', fieldManager }));
    }

    async function letGo(claim: StoredClaim): Promise<void> {
      const { namespace = '', name, finalizers = [] } = claim.metadata;
      if (!finalizers.includes(protection) || isUsed(namespace, name)) return;
      const left = finalizers.filter(finalizer => finalizer !== protection);
      await unlessGone(api.update(claims, asObject({ ...claim, metadata: { ...claim.metadata, finalizers: left } }), { fieldManager }));
    }

    function isUsed(namespace: string, claim: string): boolean {
      return api.peekAll(pods, namespace).some(obj => {
        const pod = asStored(obj) as StoredPod;
        return !isFinished(pod) && (pod.spec.nodeName ?? '') !== '' && claimNamesOf(pod).some(({ name }) => name === claim);
      });
    }
  },
};

const isBound = ({ metadata, spec }: StoredClaim): boolean =>
  Boolean(spec.volumeName) && metadata.annotations?.[bindCompleted] !== undefined;
