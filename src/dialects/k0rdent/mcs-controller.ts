import { addFinalizer, removeFinalizer } from '../../client/finalizers.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import {
  changesOf,
  requeue,
  runController,
  settled,
  type Context,
  type Outcome,
  type RunningController,
  type Trigger,
} from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import { keyOf, type Key } from '../../runtime/key.ts';
import { jsonEqual } from '../../util/json.ts';
import { mapBounded } from '../../util/map-bounded.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { k0rdentFinalizers, systemNamespace } from './kinds/group.ts';
import type { Credential, Management } from './kinds/management.ts';
import { MultiClusterService } from './kinds/multi-cluster-service.ts';
import type { ServiceSet } from './kinds/service-set.ts';
import type { ServiceTemplate, ServiceTemplateChain } from './kinds/template.ts';
import { inTheWay } from './mcs-dependencies.ts';
import { findFault } from './mcs-faults.ts';
import { mcsConditions, mcsStatus, type McsReport } from './mcs-status.ts';
import { decisiveFacts, dependentsOf, usersOf } from './mcs-target-triggers.ts';
import { removeSet, runMcsTargets } from './mcs-targets.ts';
import { byMultiClusterService } from './owned-sets.ts';
import { reportPace } from './report-pace.ts';
import { componentLabels, markObject, reportStatus } from './report-status.ts';
import { listUpgradePaths } from './upgrade-paths.ts';
import type { TemplateLookup } from './validate-services.ts';

export interface McsDeps {
  readonly hub: KubeClient;
  readonly multiClusterServices: Informer<MultiClusterService>;
  readonly deployments: Informer<ClusterDeployment>;
  /** With `ownedSetIndexes`. */
  readonly sets: Informer<ServiceSet>;
  readonly templates: Informer<ServiceTemplate>;
  readonly chains: Informer<ServiceTemplateChain>;
  readonly credentials: Informer<Credential>;
  readonly managements: Informer<Management>;
  readonly signal: AbortSignal;
}

const fieldManager = 'drover-k0rdent-mcs';
const removalsAtOnce = 16;

/**
 * Keeps, for every MultiClusterService, a ServiceSet on each cluster that its selector matches, and says on it how that goes. The clusters are looked after
 * one by one (`mcs-targets.ts`); here is what concerns all of them.
 */
export function runMultiClusterServices(deps: McsDeps): RunningController[] {
  const { hub, multiClusterServices, sets, templates, chains, managements, signal } = deps;
  const known: TemplateLookup = {
    template: (namespace, name) => templates.get(`${namespace}/${name}`),
    chain: (namespace, name) => chains.get(`${namespace}/${name}`),
  };
  const find = (name: string) => multiClusterServices.get(name);
  const pace = reportPace();
  /** What was last written to each. */
  const said = new Map<Key, MultiClusterService['status']>();
  const targets = runMcsTargets({ ...deps, known, find, onChange: name => running.add(name) });
  const running = runController(
    { name: 'k0rdent-multi-cluster-service', reconcile },
    {
      triggers: [
        changesOf(
          multiClusterServices,
          ({ metadata, spec }) => [
            metadata.name!,
            ...(spec.dependsOn ?? []),
            ...dependentsOf(multiClusterServices, metadata.name!).map(keyOf),
          ],
          decisiveFacts,
        ),
        strangeStatuses(),
        changesOf(templates, ({ metadata }) => usersOf(multiClusterServices, 'template', metadata.name!).map(keyOf)),
        changesOf(chains, ({ metadata }) => usersOf(multiClusterServices, 'templateChain', metadata.name!).map(keyOf)),
        changesOf(
          managements,
          () => multiClusterServices.list().map(keyOf),
          ({ metadata }) => metadata.deletionTimestamp,
        ),
      ],
      signal,
      concurrency: 8,
    },
  );
  return [targets.running, running];

  /** What others write to the status does not stay. */
  function strangeStatuses(): Trigger {
    return {
      synced: multiClusterServices.synced,
      start: add =>
        multiClusterServices.subscribe(({ type, object }) => {
          if (type === 'MODIFIED' && !jsonEqual(object.status, said.get(keyOf(object)))) add(keyOf(object));
        }),
    };
  }

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const mcs = multiClusterServices.get(key);
    if (!mcs) {
      pace.forget(key);
      targets.forget(key);
      said.delete(key);
      return settled;
    }
    const isNew = mcs.status?.observedGeneration !== mcs.metadata.generation;
    const restMs = pace.restMs(key, mcs.status?.matchingClusters?.length ?? 0, performance.now());
    if (!isNew && restMs > 0) return requeue(restMs);
    pace.told(key, performance.now());
    if (mcs.metadata.deletionTimestamp !== undefined) return remove(mcs, ctx);
    const management = managements.list()[0];
    if (!management || management.metadata.deletionTimestamp !== undefined) return settled;
    const call = { fieldManager, signal: ctx.signal };
    await addFinalizer(hub, MultiClusterService, mcs, k0rdentFinalizers.multiClusterService, call);
    await markObject(hub, MultiClusterService, mcs, { labels: componentLabels }, call);

    const fault = findFault(mcs, known, find);
    if (fault) return report({ mcs, fault, now: ctx.now }, ctx);
    const upgradePaths = listUpgradePaths(mcs.spec.serviceSpec?.services ?? [], systemNamespace, known);
    return report({ mcs, targets: targets.reports(mcs), upgradePaths, now: ctx.now }, ctx);
  }

  async function remove(mcs: MultiClusterService, ctx: Context): Promise<Outcome> {
    const { name = '', finalizers = [] } = mcs.metadata;
    if (!finalizers.includes(k0rdentFinalizers.multiClusterService)) return settled;
    const dependents = inTheWay(mcs, dependentsOf(multiClusterServices, name), find);
    if (dependents.length > 0) {
      const message = `failed to delete MultiClusterService /${name} because ${dependents.length} other MultiClusterServices depend on it`;
      return report({ mcs, fault: { check: mcsConditions.dependencies, message }, now: ctx.now }, ctx);
    }
    const left = sets.by(byMultiClusterService, name);
    await mapBounded(left, removalsAtOnce, set => removeSet(hub, set, ctx.signal));
    if (left.length === 0)
      await removeFinalizer(hub, MultiClusterService, mcs, k0rdentFinalizers.multiClusterService, { signal: ctx.signal });
    return settled;
  }

  async function report(about: McsReport, ctx: Context): Promise<Outcome> {
    const status = mcsStatus(about);
    said.set(keyOf(about.mcs), status);
    await reportStatus(hub, MultiClusterService, about.mcs, status, { fieldManager, signal: ctx.signal });
    return settled;
  }
}
