import { Namespace, Secret } from '../../api/builtin-kinds.ts';
import { uncordonedTaints } from '../../api/cluster-taints.ts';
import { Cluster } from '../../api/cluster.ts';
import { addFinalizer, removeFinalizer } from '../../client/finalizers.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { clusterId } from '../../core/clusters/cluster-id.ts';
import { ensureClusterNamespace } from '../../core/clusters/cluster-namespace.ts';
import {
  changesOf,
  requeue,
  runController,
  settled,
  type Context,
  type Outcome,
  type RunningController,
} from '../../runtime/controller.ts';
import { informer, type Informer } from '../../runtime/informer.ts';
import type { Key } from '../../runtime/key.ts';
import { jsonEqual } from '../../util/json.ts';
import { compileCluster, copiedSecretName, isOwnedBy, UncompilableError } from './compile-cluster.ts';
import {
  executionNamespace,
  KarmadaCluster,
  karmadaClusterFinalizer,
  karmadaClusterNamespace,
  karmadaSystemLabel,
} from './karmada-cluster.ts';
import { failedStatus, mirrorStatus, taintsFor } from './mirror-status.ts';

export interface KarmadaClustersDeps {
  readonly hub: KubeClient;
  readonly clusters: Informer<Cluster>;
  readonly signal: AbortSignal;
}

const fieldManager = 'drover-karmada';
const leavingPollMs = 1_000;
/** Secrets that nobody labelled are not watched. */
const secretPollMs = 10_000;

/** Makes a Cluster of every Karmada cluster in Push mode, tells it how that one is, and takes both away together. */
export function runKarmadaClusters({ hub, clusters, signal }: KarmadaClustersDeps): RunningController {
  const karmadaClusters = informer(hub, KarmadaCluster, { signal });
  const secrets = informer(hub, Secret, { signal, labelSelector: selectorOf(karmadaSystemLabel), keep: keepOfSecret });
  return runController(
    { name: 'karmada-cluster', reconcile },
    {
      triggers: [changesOf(karmadaClusters), changesOf(clusters, ownerOf), changesOf(secrets, usersOf)],
      signal,
    },
  );

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const karmada = karmadaClusters.get(key);
    if (!karmada) return settled;
    const call = { signal: ctx.signal };
    if (karmada.metadata.deletionTimestamp !== undefined) return depart(karmada, ctx);

    await addFinalizer(hub, KarmadaCluster, karmada, karmadaClusterFinalizer, call);
    await ensureNamespace(karmadaClusterNamespace, ctx);
    await ensureNamespace(executionNamespace(key), ctx);
    // The agent of a cluster in Pull mode says itself how it is.
    if (karmada.spec.syncMode === 'Pull') return settled;

    try {
      const cluster = await ensureCluster(karmada, ctx);
      await report(karmada, mirrorStatus(karmada, cluster, ctx.now), ctx);
      return settled;
    } catch (error) {
      if (!(error instanceof UncompilableError)) throw error;
      await report(karmada, failedStatus(karmada, error.message, ctx.now), ctx);
      return requeue(secretPollMs);
    }
  }

  async function ensureCluster(karmada: KarmadaCluster, ctx: Context): Promise<Cluster> {
    const { name = '' } = karmada.metadata;
    const call = { signal: ctx.signal };
    const { secretRef } = karmada.spec;
    const secret = secretRef && (await hub.get(Secret, secretRef, call));
    const wanted = compileCluster(karmada, secret);
    const present = clusters.get(name) ?? (await hub.get(Cluster, { name }, call));
    if (present && !isOwnedBy(present, karmada)) throw new UncompilableError(`there is another cluster "${name}" of drover.io already`);
    const cluster = isUpToDate(present, wanted) ? present! : await hub.apply(Cluster, wanted, { ...call, fieldManager });
    await ensureClusterNamespace(hub, cluster, call);
    await ensureCredential(clusterId(cluster), secret!, ctx);
    return cluster;
  }

  async function ensureCredential(namespace: string, { data }: Secret, ctx: Context): Promise<void> {
    const call = { signal: ctx.signal };
    const token = data?.token ?? '';
    const present = await hub.get(Secret, { namespace, name: copiedSecretName }, call);
    if (present?.data?.token === token) return;
    await hub.apply(
      Secret,
      { metadata: { namespace, name: copiedSecretName }, type: 'Opaque', data: { token } },
      { ...call, fieldManager },
    );
  }

  /** In Karmada's order: first the Works, then the cluster they ran on. */
  async function depart(karmada: KarmadaCluster, ctx: Context): Promise<Outcome> {
    const { name = '', finalizers = [] } = karmada.metadata;
    const call = { signal: ctx.signal };
    if (!finalizers.includes(karmadaClusterFinalizer)) return settled;
    const works = { name: executionNamespace(name) };
    await hub.delete(Namespace, works, call);
    if (await hub.get(Namespace, works, call)) return requeue(leavingPollMs);

    const cluster = await hub.get(Cluster, { name }, call);
    if (cluster && isOwnedBy(cluster, karmada)) {
      if (cluster.metadata.deletionTimestamp === undefined) await hub.delete(Cluster, { name }, call);
      if (await hub.get(Cluster, { name }, call)) return requeue(leavingPollMs);
    }
    await removeSecrets(karmada, ctx);
    await removeFinalizer(hub, KarmadaCluster, karmada, karmadaClusterFinalizer, call);
    return settled;
  }

  /** A garbage collector may take its time, and a new join would find the old tokens. */
  async function removeSecrets({ spec, metadata }: KarmadaCluster, ctx: Context): Promise<void> {
    const call = { signal: ctx.signal };
    for (const ref of [spec.secretRef, spec.impersonatorSecretRef]) {
      const secret = ref && (await hub.get(Secret, ref, call));
      if (secret?.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid)) await hub.delete(Secret, ref!, call);
    }
  }

  async function ensureNamespace(name: string, ctx: Context): Promise<void> {
    const call = { signal: ctx.signal };
    if (await hub.get(Namespace, { name }, call)) return;
    await hub.apply(Namespace, { metadata: { name, labels: karmadaSystemLabel } }, { ...call, fieldManager });
  }

  async function report(karmada: KarmadaCluster, status: NonNullable<KarmadaCluster['status']>, ctx: Context): Promise<void> {
    const { name = '', uid = '', resourceVersion = '' } = karmada.metadata;
    if (!jsonEqual(karmada.status, status)) {
      await hub.apply(KarmadaCluster, { metadata: { name, uid }, status }, { fieldManager, subresource: 'status', signal: ctx.signal });
    }
    const present = karmada.spec.taints ?? [];
    const taints = taintsFor(present, status);
    if (taints === present) return;
    // People and programs change the list as a whole too, so it must be the one that was read.
    const body = { metadata: { uid, resourceVersion }, spec: { taints: taints as never } };
    await hub.patch(KarmadaCluster, { name }, { type: 'merge', body }, { fieldManager, signal: ctx.signal });
  }

  function usersOf({ metadata: { namespace, name } }: Secret): Key[] {
    return karmadaClusters
      .list()
      .filter(({ spec: { secretRef } }) => secretRef?.name === name && secretRef?.namespace === namespace)
      .map(({ metadata }) => metadata.name!);
  }
}

const ownerKind = `${KarmadaCluster.group}/${KarmadaCluster.version}`;

function ownerOf({ metadata }: Cluster): Key[] {
  return (metadata.ownerReferences ?? []).filter(({ apiVersion }) => apiVersion === ownerKind).map(({ name }) => name);
}

/** Whether the Cluster says already what it should. Labels that others added are theirs, and so is what cordons it here. */
function isUpToDate(present: Cluster | undefined, wanted: Cluster): boolean {
  if (!present || !jsonEqual(present.spec.connection, wanted.spec.connection)) return false;
  const hasLabels = Object.entries(wanted.metadata.labels ?? {}).every(([key, value]) => present.metadata.labels?.[key] === value);
  return hasLabels && jsonEqual(uncordonedTaints(present.spec.taints), wanted.spec.taints ?? []);
}

const selectorOf = (labels: Record<string, string>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');

/** Only that it changed matters: what is in it is read when it is needed. */
function keepOfSecret({ apiVersion, kind, metadata }: Secret): Secret {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
  return { apiVersion, kind, metadata: { namespace, name, uid, resourceVersion } };
}
