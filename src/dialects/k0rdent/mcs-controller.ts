import type { Cluster } from '../../api/cluster.ts';
import type { Kind } from '../../api/define-kind.ts';
import { addFinalizer, removeFinalizer } from '../../client/finalizers.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import {
  changesOf,
  knownFirst,
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
import { lookupOf, type AccessGrants } from './access-grants.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { k0rdentFinalizers } from './kinds/group.ts';
import type { Credential, Management } from './kinds/management.ts';
import type { MultiClusterService } from './kinds/multi-cluster-service.ts';
import type { ServiceSet } from './kinds/service-set.ts';
import type { ServiceTemplate, ServiceTemplateChain } from './kinds/template.ts';
import { dependenciesOf, inTheWay, slashed } from './mcs-dependencies.ts';
import { findFault } from './mcs-faults.ts';
import { mcsConditions, mcsStatus, type McsReport } from './mcs-status.ts';
import { decisiveFacts, dependentsOf, usersOf } from './mcs-target-triggers.ts';
import { removeSet, runMcsTargets } from './mcs-targets.ts';
import { byMultiClusterService } from './owned-sets.ts';
import { reportPace } from './report-pace.ts';
import { runRollouts, type RolloutParts } from './rollout-controller.ts';
import { rolloutShares, withoutRollout } from './rollout-share.ts';
import { componentLabels, markObject, reportStatus } from './report-status.ts';
import type { K0rdentSettings } from './settings.ts';
import { templateNamespace } from './template-namespace.ts';
import { listUpgradePaths } from './upgrade-paths.ts';

export interface McsDeps {
  readonly hub: KubeClient;
  /** MultiClusterServices of the hub, or those of namespaces. */
  readonly kind: Kind<MultiClusterService['spec'], NonNullable<MultiClusterService['status']>>;
  readonly multiClusterServices: Informer<MultiClusterService>;
  readonly deployments: Informer<ClusterDeployment>;
  /** With `clusterDeploymentIndex`. */
  readonly clusters: Informer<Cluster>;
  /** With `ownedSetIndexes`. */
  readonly sets: Informer<ServiceSet>;
  readonly templates: Informer<ServiceTemplate>;
  readonly chains: Informer<ServiceTemplateChain>;
  readonly grants: AccessGrants;
  readonly settings: Pick<K0rdentSettings, 'isOutrankedSatisfied' | 'changes'>;
  readonly credentials: Informer<Credential>;
  readonly managements: Informer<Management>;
  /** Absent: everything is for all clusters at once. */
  readonly rollouts?: RolloutParts;
  readonly signal: AbortSignal;
}

const fieldManager = 'drover-k0rdent-mcs';
const removalsAtOnce = 16;

/**
 * Keeps, for every MultiClusterService, a ServiceSet on each cluster that its selector matches, and says on it how that goes. The clusters are looked after
 * one by one (`mcs-targets.ts`); here is what concerns all of them.
 */
export function runMultiClusterServices(deps: McsDeps): RunningController[] {
  const { hub, kind, multiClusterServices, deployments, sets, templates, chains, grants, managements, signal } = deps;
  const known = lookupOf(grants);
  const everything = () => multiClusterServices.list().map(keyOf);
  const find = (key: Key) => multiClusterServices.get(key);
  const pace = reportPace();
  /** What was last written to each. */
  const said = new Map<Key, MultiClusterService['status']>();
  const { rollouts } = deps;
  const world = { ...deps, known, find, ...(rollouts && { shareOf: rolloutShares(multiClusterServices, rollouts.revisions) }) };
  const targets = runMcsTargets({ ...world, onChange: name => running.add(name) });
  const running = runController(
    { name: `k0rdent-${kind.resource}`, reconcile },
    {
      triggers: [
        changesOf(
          multiClusterServices,
          mcs => [keyOf(mcs), ...dependenciesOf(mcs), ...dependentsOf(multiClusterServices, keyOf(mcs)).map(keyOf)],
          decisiveFacts,
        ),
        strangeStatuses(),
        changesOf(templates, ({ metadata }) => usersOf(multiClusterServices, 'template', metadata.name!).map(keyOf)),
        changesOf(chains, ({ metadata }) => usersOf(multiClusterServices, 'templateChain', metadata.name!).map(keyOf)),
        grants.changes(everything),
        changesOf(managements, everything, ({ metadata }) => metadata.deletionTimestamp),
        knownFirst(sets, deployments),
      ],
      signal,
      concurrency: 8,
    },
  );
  return [targets.running, ...(rollouts ? [runRollouts({ ...world, ...rollouts })] : []), running];

  /** What others write to the status does not stay. */
  function strangeStatuses(): Trigger {
    return {
      synced: multiClusterServices.synced,
      start: add =>
        multiClusterServices.subscribe(({ type, object }) => {
          if (type === 'MODIFIED' && !jsonEqual(withoutRollout(object).status, said.get(keyOf(object)))) add(keyOf(object));
        }),
    };
  }

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const found = multiClusterServices.get(key);
    if (!found) {
      pace.forget(key);
      targets.forget(key);
      said.delete(key);
      return settled;
    }
    const mcs = withoutRollout(found);
    const isNew = mcs.status?.observedGeneration !== mcs.metadata.generation;
    const restMs = pace.restMs(key, mcs.status?.matchingClusters?.length ?? 0, performance.now());
    if (!isNew && restMs > 0) return requeue(restMs);
    pace.told(key, performance.now());
    if (mcs.metadata.deletionTimestamp !== undefined) return remove(mcs, ctx);
    const management = managements.list()[0];
    if (!management || management.metadata.deletionTimestamp !== undefined) return settled;
    const call = { fieldManager, signal: ctx.signal };
    await addFinalizer(hub, kind, mcs, k0rdentFinalizers.multiClusterService, call);
    await markObject(hub, kind, mcs, { labels: componentLabels }, call);

    const fault = findFault(mcs, known, find);
    if (fault) return report({ mcs, fault, now: ctx.now }, ctx);
    const upgradePaths = listUpgradePaths(mcs.spec.serviceSpec?.services ?? [], templateNamespace(mcs), known);
    return report({ mcs, targets: targets.reports(mcs), upgradePaths, now: ctx.now }, ctx);
  }

  async function remove(mcs: MultiClusterService, ctx: Context): Promise<Outcome> {
    const { finalizers = [] } = mcs.metadata;
    const key = keyOf(mcs);
    if (!finalizers.includes(k0rdentFinalizers.multiClusterService)) return settled;
    const dependents = inTheWay(mcs, dependentsOf(multiClusterServices, key), find);
    if (dependents.length > 0) {
      const message = `failed to delete ${kind.kind} ${slashed(key)} because ${dependents.length} other ${kind.kind}s depend on it`;
      return report({ mcs, fault: { check: mcsConditions.dependencies, message }, now: ctx.now }, ctx);
    }
    const left = sets.by(byMultiClusterService, key);
    await mapBounded(left, removalsAtOnce, set => removeSet(hub, set, ctx.signal));
    if (left.length === 0) await removeFinalizer(hub, kind, mcs, k0rdentFinalizers.multiClusterService, { signal: ctx.signal });
    return settled;
  }

  async function report(about: McsReport, ctx: Context): Promise<Outcome> {
    const status = mcsStatus(about);
    said.set(keyOf(about.mcs), status);
    await reportStatus(hub, kind, about.mcs, status, { fieldManager, signal: ctx.signal });
    return settled;
  }
}
