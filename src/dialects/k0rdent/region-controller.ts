import { Secret } from '../../api/builtin-kinds.ts';
import { findCondition, withConditions, type ConditionReport } from '../../api/conditions.ts';
import { addFinalizer, removeFinalizer } from '../../client/finalizers.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import type { Member } from '../../core/delivery/member.ts';
import { followedObjects } from '../../core/references/followed-objects.ts';
import { changesOf, runController, settled, type Context, type Outcome, type RunningController } from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import { keyOf, type Key } from '../../runtime/key.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { k0rdentFinalizers, systemNamespace } from './kinds/group.ts';
import { Region, type Credential } from './kinds/management.ts';
import { componentLabels, markObject, reportStatus } from './report-status.ts';

export interface RegionsDeps {
  readonly hub: KubeClient;
  readonly hubObjects: Member;
  readonly regions: Informer<Region>;
  readonly credentials: Informer<Credential>;
  readonly deployments: Informer<ClusterDeployment>;
  readonly signal: AbortSignal;
}

const fieldManager = 'drover-k0rdent-regions';

/** The ClusterDeployments that a region has, by the Credentials they use. */
export function deploymentsIn(
  region: string,
  { credentials, deployments }: { credentials: Pick<Informer<Credential>, 'get'>; deployments: Pick<Informer<ClusterDeployment>, 'list'> },
): ClusterDeployment[] {
  return deployments
    .list()
    .filter(({ metadata, spec }) => credentials.get(`${metadata.namespace}/${spec.credential ?? ''}`)?.spec.region === region);
}

/** Says whether the cluster of a region is known. Its ClusterDeployments are looked after by this hub like all others. */
export function runRegions({ hub, hubObjects, regions, credentials, deployments, signal }: RegionsDeps): RunningController {
  const followed = followedObjects(hubObjects.watches, key => running.add(key));
  const leaving = () => regions.list().filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  const regionsOf = (obj: ClusterDeployment) => [...regions.list().filter(({ spec }) => refersTo(spec, obj)), ...leaving()].map(keyOf);
  const running = runController(
    { name: 'k0rdent-regions', reconcile },
    {
      triggers: [changesOf(regions), changesOf(deployments, regionsOf), changesOf(credentials, () => leaving().map(keyOf))],
      signal,
      firstDelayMs: 500,
    },
  );
  return running;

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const region = regions.get(key);
    if (!region) return (followed.keepOnly(key, []), settled);
    const call = { signal: ctx.signal };
    if (region.metadata.deletionTimestamp !== undefined) {
      const isEmpty = deploymentsIn(key, { credentials, deployments }).length === 0;
      if (isEmpty) await removeFinalizer(hub, Region, region, k0rdentFinalizers.region, call);
      return settled;
    }
    await addFinalizer(hub, Region, region, k0rdentFinalizers.region, call);
    await markObject(hub, Region, region, { labels: componentLabels }, { fieldManager, ...call });
    const fault = await findFault(key, region, ctx.signal);
    const { generation } = region.metadata;
    const report: ConditionReport = {
      type: 'Ready',
      status: fault === undefined ? 'True' : 'False',
      reason: fault === undefined ? 'Succeeded' : 'Failed',
      message: fault ?? 'Object is ready',
    };
    const status = {
      conditions: withConditions(region.status?.conditions, [report], { now: ctx.now, generation }),
      ...(generation !== undefined && { observedGeneration: generation }),
    };
    await reportStatus(hub, Region, region, status, { fieldManager, ...call });
    return settled;
  }

  async function findFault(key: Key, { spec: { kubeConfig, clusterDeployment } }: Region, stop: AbortSignal): Promise<string | undefined> {
    if (!kubeConfig) {
      followed.keepOnly(key, []);
      const { namespace = '', name = '' } = clusterDeployment ?? {};
      const found = deployments.get(`${namespace}/${name}`);
      if (!found) return `ClusterDeployment ${namespace}/${name} not found`;
      return findCondition(found, 'Ready')?.status === 'True' ? undefined : `ClusterDeployment ${namespace}/${name} is not ready`;
    }
    const ref = { group: '', version: 'v1', kind: Secret.kind, namespace: systemNamespace, name: kubeConfig.name };
    followed.keepOnly(key, [ref]);
    const secret = (await followed.read(ref, key, stop)) as Secret | undefined;
    if (!secret) return `Secret ${systemNamespace}/${kubeConfig.name} not found`;
    const field = kubeConfig.key || 'value';
    return secret.data?.[field] === undefined ? `Secret ${systemNamespace}/${kubeConfig.name} has no key "${field}"` : undefined;
  }
}

const refersTo = ({ clusterDeployment: ref }: Region['spec'], { metadata }: ClusterDeployment): boolean =>
  ref !== undefined && ref.namespace === metadata.namespace && ref.name === metadata.name;
