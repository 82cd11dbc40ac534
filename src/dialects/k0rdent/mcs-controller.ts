import { addFinalizer, removeFinalizer } from '../../client/finalizers.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import {
  changesOf,
  runController,
  settled,
  type Context,
  type Outcome,
  type RunningController,
  type Trigger,
} from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import { keyOf, type Key } from '../../runtime/key.ts';
import { errorText } from '../../util/error-text.ts';
import { jsonEqual } from '../../util/json.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { k0rdentFinalizers, systemNamespace } from './kinds/group.ts';
import type { Credential, Management } from './kinds/management.ts';
import { MultiClusterService } from './kinds/multi-cluster-service.ts';
import { ServiceSet } from './kinds/service-set.ts';
import type { ServiceSpec } from './kinds/service-spec.ts';
import type { ServiceTemplate, ServiceTemplateChain } from './kinds/template.ts';
import { blockedMessage, checkMcsDependencies, findBlockers, inTheWay } from './mcs-dependencies.ts';
import { mcsConditions, mcsStatus, type Check, type McsReport, type TargetReport } from './mcs-status.ts';
import { byMultiClusterService, byTarget, ensureSet, setKeyOf, setNamespace, targetOfSet, type EnsuredSet } from './owned-sets.ts';
import { componentLabels, markObject, reportStatus } from './report-status.ts';
import { selectClusters, selects } from './select-clusters.ts';
import { listUpgradePaths } from './upgrade-paths.ts';
import { checkDependencies, checkReferences, serviceKey, type TemplateLookup } from './validate-services.ts';

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
const noServices: ServiceSpec = {};

/** Keeps, for every MultiClusterService, a ServiceSet on each cluster that its selector matches. */
export function runMultiClusterServices(deps: McsDeps): RunningController {
  const { hub, multiClusterServices, deployments, sets, templates, chains, credentials, managements, signal } = deps;
  const known: TemplateLookup = {
    template: (namespace, name) => templates.get(`${namespace}/${name}`),
    chain: (namespace, name) => chains.get(`${namespace}/${name}`),
  };
  const find = (name: string) => multiClusterServices.get(name);
  const all = (isWanted: (mcs: MultiClusterService) => boolean): Key[] => multiClusterServices.list().filter(isWanted).map(keyOf);
  return runController(
    { name: 'k0rdent-multi-cluster-service', reconcile },
    {
      triggers: [
        changesOf(multiClusterServices, mcs => [mcs.metadata.name!, ...(mcs.spec.dependsOn ?? []), ...dependentsOf(mcs.metadata.name!)]),
        changesOf(sets, concernedBySet),
        labelChanges(),
        changesOf(templates, ({ metadata }) => usersOf('template', metadata.name!)),
        changesOf(chains, ({ metadata }) => usersOf('templateChain', metadata.name!)),
        changesOf(managements, () => all(() => true)),
      ],
      signal,
      concurrency: 8,
    },
  );

  function dependentsOf(name: string): Key[] {
    return all(({ spec }) => spec.dependsOn?.includes(name) === true);
  }

  function usersOf(field: 'template' | 'templateChain', name: string): Key[] {
    // Any template of a chain may be a step of an upgrade.
    return all(({ spec }) => spec.serviceSpec?.services?.some(one => one[field] === name || one.templateChain !== undefined) === true);
  }

  /** Its owner, those who depend on that one, and those for whom the service may be there under another owner. */
  function concernedBySet(set: ServiceSet): Key[] {
    const owner = set.spec.multiClusterService;
    const neighbours = sets
      .by(byTarget, targetOfSet(set))
      .flatMap(one => one.spec.multiClusterService ?? [])
      .filter(name => find(name)?.spec.serviceSpec?.services?.some(one => (one.dependsOn ?? []).length > 0));
    return [...(owner ? [owner, ...dependentsOf(owner)] : []), ...neighbours];
  }

  /** How a ClusterDeployment is does not matter here, only which it is. */
  function labelChanges(): Trigger {
    const concerned = (cd: ClusterDeployment) => [
      ...all(({ spec }) => selects(spec.clusterSelector, cd.metadata.labels ?? {})),
      ...sets.by(byTarget, keyOf(cd)).flatMap(set => set.spec.multiClusterService ?? []),
    ];
    return {
      synced: deployments.synced,
      start(add) {
        for (const cd of deployments.list()) concerned(cd).forEach(add);
        return deployments.subscribe(({ type, object, old }) => {
          const isSame =
            type !== 'DELETED' &&
            old &&
            jsonEqual(old.metadata.labels ?? {}, object.metadata.labels ?? {}) &&
            old.metadata.deletionTimestamp === object.metadata.deletionTimestamp &&
            old.spec.credential === object.spec.credential;
          if (isSame) return;
          if (old) concerned(old).forEach(add);
          concerned(object).forEach(add);
        });
      },
    };
  }

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const mcs = multiClusterServices.get(key);
    if (!mcs) return settled;
    if (mcs.metadata.deletionTimestamp !== undefined) return remove(mcs, ctx);
    const management = managements.list()[0];
    if (!management || management.metadata.deletionTimestamp !== undefined) return settled;
    const call = { fieldManager, signal: ctx.signal };
    await addFinalizer(hub, MultiClusterService, mcs, k0rdentFinalizers.multiClusterService, call);
    await markObject(hub, MultiClusterService, mcs, { labels: componentLabels }, call);

    const fault = findFault(mcs);
    if (fault) return report({ mcs, fault, now: ctx.now }, ctx);
    const matching = selectClusters(mcs, deployments.list());
    await cleanUp(mcs, matching, ctx);
    const isSelfManaged = mcs.spec.serviceSpec?.provider?.selfManagement === true;
    const targets = [];
    for (const deployment of [...(isSelfManaged ? [undefined] : []), ...matching]) targets.push(await serve(mcs, deployment, ctx));
    const upgradePaths = listUpgradePaths(mcs.spec.serviceSpec?.services ?? [], systemNamespace, known);
    return report({ mcs, targets, upgradePaths, now: ctx.now }, ctx);
  }

  function findFault(mcs: MultiClusterService): { check: Check; message: string } | undefined {
    const services = mcs.spec.serviceSpec?.services ?? [];
    const faults = [
      [mcsConditions.references, 'some services have invalid templates: ', checkReferences(services, systemNamespace, known)],
      [mcsConditions.serviceDependencies, 'some services have invalid dependencies: ', checkDependencies(services)],
      [mcsConditions.dependencies, '', checkMcsDependencies(mcs, find)],
    ] as const;
    const [check, prefix, messages] = faults.find(([, , found]) => found.length > 0) ?? [];
    return check && { check, message: `${prefix}${messages.join('; ')}` };
  }

  /** What is on clusters that do not match any more goes, unless it is to be kept. */
  async function cleanUp(mcs: MultiClusterService, matching: readonly ClusterDeployment[], ctx: Context): Promise<void> {
    if (mcs.spec.keepServicesOnSelectorMismatch) return;
    const wanted = new Set(matching.map(deployment => setKeyOf({ deployment, multiClusterService: mcs })));
    if (mcs.spec.serviceSpec?.provider?.selfManagement) wanted.add(setKeyOf({ deployment: undefined, multiClusterService: mcs }));
    for (const set of sets.by(byMultiClusterService, mcs.metadata.name!)) if (!wanted.has(keyOf(set))) await removeSet(set, ctx);
  }

  async function serve(mcs: MultiClusterService, deployment: ClusterDeployment | undefined, ctx: Context): Promise<TargetReport> {
    const { namespace = '', name = '' } = deployment?.metadata ?? {};
    const place = { deployment, multiClusterService: mcs };
    const about = { cluster: deployment && { namespace, name }, isRegional: isRegional(deployment) };
    const present = sets.get(setKeyOf(place));
    const isListed = present?.status?.cluster !== undefined;
    const setOf = (other: MultiClusterService) => sets.get(setKeyOf({ deployment, multiClusterService: other }));
    const blockers = findBlockers({ mcs, deployment, find, setOf });
    if (blockers.length > 0)
      return { ...about, isListed, deployed: false, blocked: blockedMessage(deployment ? keyOf(deployment) : 'mgmt/mgmt', blockers) };

    const missing = missingTemplates(mcs, setNamespace({ deployment }));
    if (missing.length > 0) return { ...about, isListed, deployed: false, error: missing.join('; ') };
    try {
      const serviceSpec = mcs.spec.serviceSpec ?? noServices;
      const ensured = await ensureSet(hub, { ...place, serviceSpec, known, sets, fieldManager, signal: ctx.signal });
      const faults = [...ensured.next.errors, ...ensured.next.blocked.map(({ message }) => message)];
      return {
        ...about,
        isListed: ensured.set?.status?.cluster !== undefined,
        deployed: faults.length === 0 && isDeployed(ensured),
        ...(faults.length > 0 && { error: faults.join('; ') }),
        outranked: outrankedOn(ensured.set),
      };
    } catch (error) {
      ctx.signal.throwIfAborted();
      return { ...about, isListed, deployed: false, error: errorText(error) };
    }
  }

  /** In other namespaces than the system's the templates need not be there. */
  function missingTemplates({ spec }: MultiClusterService, namespace: string): string[] {
    if (namespace === systemNamespace) return [];
    const names = new Set((spec.serviceSpec?.services ?? []).map(one => one.template));
    return [...names]
      .filter(name => !known.template(namespace, name))
      .map(name => `failed to fetch template ${namespace}/${name}: ServiceTemplate "${name}" not found`);
  }

  function isRegional(deployment: ClusterDeployment | undefined): boolean {
    const credential = deployment?.spec.credential && credentials.get(`${deployment.metadata.namespace}/${deployment.spec.credential}`);
    return credential ? (credential.spec.region ?? '') !== '' : false;
  }

  async function remove(mcs: MultiClusterService, ctx: Context): Promise<Outcome> {
    const { name = '', finalizers = [] } = mcs.metadata;
    if (!finalizers.includes(k0rdentFinalizers.multiClusterService)) return settled;
    const dependents = inTheWay(
      mcs,
      dependentsOf(name).flatMap(one => find(one) ?? []),
      find,
    );
    if (dependents.length > 0) {
      const message = `failed to delete MultiClusterService /${name} because ${dependents.length} other MultiClusterServices depend on it`;
      return report({ mcs, fault: { check: mcsConditions.dependencies, message }, now: ctx.now }, ctx);
    }
    const left = sets.by(byMultiClusterService, name);
    for (const set of left) await removeSet(set, ctx);
    if (left.length === 0)
      await removeFinalizer(hub, MultiClusterService, mcs, k0rdentFinalizers.multiClusterService, { signal: ctx.signal });
    return settled;
  }

  async function removeSet({ metadata }: ServiceSet, ctx: Context): Promise<void> {
    if (metadata.deletionTimestamp !== undefined) return;
    await hub.delete(ServiceSet, { namespace: metadata.namespace, name: metadata.name! }, { signal: ctx.signal });
  }

  async function report(said: McsReport, ctx: Context): Promise<Outcome> {
    await reportStatus(hub, MultiClusterService, said.mcs, mcsStatus(said), { fieldManager, signal: ctx.signal });
    return settled;
  }
}

/** Whether all that is wanted is there: not only what the set lists so far, and not what it said of an earlier list. */
function isDeployed({ set, next }: EnsuredSet): boolean {
  if (!set || set.metadata.deletionTimestamp !== undefined || next.waiting.size > 0) return false;
  return set.status?.deployed === true && set.status.observedGeneration === set.metadata.generation;
}

function outrankedOn(set: ServiceSet | undefined): string | undefined {
  const outranked = (set?.status?.services ?? []).filter(one => one.failureMessage?.startsWith('ClusterSummary '));
  return outranked.length === 0
    ? undefined
    : outranked.map(one => `outranked: true; service ${serviceKey(one)}: ${one.failureMessage}`).join('; ');
}
