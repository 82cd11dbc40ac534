import type { Cluster } from '../../api/cluster.ts';
import { withConditions } from '../../api/conditions.ts';
import { Work } from '../../api/work.ts';
import { addFinalizer, removeFinalizer } from '../../client/finalizers.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { clusterId } from '../../core/clusters/cluster-id.ts';
import type { Member } from '../../core/delivery/member.ts';
import { followedObjects } from '../../core/references/followed-objects.ts';
import { changesOf, runController, settled, type Context, type Outcome, type RunningController } from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import { keyOf, type Key } from '../../runtime/key.ts';
import { errorText } from '../../util/error-text.ts';
import { jsonEqual, type JsonObject } from '../../util/json.ts';
import { clusterDeploymentIndex, clusterDeploymentsOf, localClusterName, sveltosCluster } from './cluster-of.ts';
import { compileWorks, saysTheSame, workAnnotationsOfSet, workLabels, type CompiledWorks } from './compile-works.ts';
import { readConfig, type DeliveryConfig } from './effective-config.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { defaultProvider, k0rdentFinalizers } from './kinds/group.ts';
import type { StateManagementProvider } from './kinds/management.ts';
import { pausedAnnotation, ServiceSet, type SetService } from './kinds/service-set.ts';
import type { ServiceTemplate } from './kinds/template.ts';
import { byTarget, ownedSetIndexes, targetOfSet } from './owned-sets.ts';
import { isSetDeployed, reportSet, serviceStates } from './service-states.ts';
import { namedObjects, readResources, serviceValues, type ValuesPrecedence } from './service-values.ts';
import { dependencyDepths, setsToGoFirst, withBlockedUpgrades } from './set-notes.ts';
import { serviceKey } from './validate-services.ts';

export interface ServiceSetDeps {
  readonly hub: KubeClient;
  /** The hub as something whose objects can be followed. */
  readonly hubObjects: Member;
  readonly sets: Informer<ServiceSet>;
  readonly templates: Informer<ServiceTemplate>;
  readonly deployments: Informer<ClusterDeployment>;
  readonly providers: Informer<StateManagementProvider>;
  /** With `clusterDeploymentIndex`. */
  readonly clusters: Informer<Cluster>;
  /** With `workIndexes`. */
  readonly works: Informer<Work>;
  precedence(): ValuesPrecedence;
  readonly signal: AbortSignal;
}

const fieldManager = 'drover-k0rdent';
const concurrency = 16;

type Failure = { readonly reason: string; readonly message: string };
const nothing: CompiledWorks = { works: [], removals: [], pending: new Set(), failures: new Map() };

/** Compiles ServiceSets to Works and says on them how those are. */
export function runServiceSets(deps: ServiceSetDeps): RunningController {
  const { hub, sets, templates, deployments, providers, clusters, works, signal } = deps;
  const followed = followedObjects(deps.hubObjects.watches, key => running.add(key));
  const setsIn = (namespace: string, isWanted: (set: ServiceSet) => boolean): Key[] =>
    sets.by('namespace', namespace).filter(isWanted).map(keyOf);
  const setsOn = (deployment: Key): Key[] => sets.by(byTarget, deployment).map(keyOf);
  const running = runController(
    { name: 'k0rdent-service-set', reconcile },
    {
      triggers: [
        changesOf(sets, set => [keyOf(set), ...neighboursOfLeaving(set)]),
        changesOf(works, setOfWork),
        changesOf(templates, ({ metadata }) =>
          setsIn(metadata.namespace!, ({ spec }) => (spec.services ?? []).some(one => one.template === metadata.name)),
        ),
        // How they are is written often; what values may ask for changes rarely.
        changesOf(
          deployments,
          cd => setsOn(keyOf(cd)),
          ({ metadata, spec }) => [metadata.uid, metadata.labels ?? {}, spec.config],
        ),
        changesOf(
          clusters,
          cluster => clusterDeploymentsOf(cluster).flatMap(setsOn),
          cluster => [clusterDeploymentsOf(cluster), clusterId(cluster), sveltosCluster(cluster, undefined)],
        ),
        changesOf(providers, ({ metadata }) =>
          sets
            .list()
            .filter(set => providerOf(set) === metadata.name)
            .map(keyOf),
        ),
      ],
      signal,
      concurrency,
    },
  );
  return running;

  /** Others on its cluster may wait until it is gone. */
  function neighboursOfLeaving(set: ServiceSet): Key[] {
    return set.metadata.deletionTimestamp === undefined ? [] : setsOn(targetOfSet(set));
  }

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const set = sets.get(key);
    if (!set) {
      followed.keepOnly(key, []);
      return settled;
    }
    const cluster = clusterOf(set);
    const present = worksOf(set, cluster);
    if (set.metadata.deletionTimestamp !== undefined) return remove(set, present, ctx);
    await addFinalizer(hub, ServiceSet, set, k0rdentFinalizers.serviceSet, { signal: ctx.signal });
    if (!cluster) return report(set, { present, compiled: nothing }, ctx);

    const provider = providers.get(providerOf(set));
    const isResting = provider?.spec.suspend === true || (provider && !provider.status?.ready && providerOf(set) !== defaultProvider);
    const isPaused = set.metadata.annotations?.[pausedAnnotation] !== undefined;
    let compiled = nothing;
    let failure: Failure | undefined;
    try {
      compiled = await compile(set, cluster, present, ctx);
      if (!isResting && !isPaused) await deliver(compiled, present, ctx);
    } catch (error) {
      if (!(error instanceof SetError)) throw error;
      failure = { reason: error.reason, message: error.message };
    }
    return report(set, { cluster, present, compiled, failure }, ctx);
  }

  async function compile(set: ServiceSet, cluster: Cluster, present: Map<string, Work>, { signal }: Context): Promise<CompiledWorks> {
    const namespace = set.metadata.namespace!;
    const config = configOf(set);
    const described = sveltosCluster(cluster, deployments.get(`${namespace}/${set.spec.cluster}`));
    const services = set.spec.services ?? [];
    const key = keyOf(set);
    followed.keepOnly(key, namedObjects(services, config.templateResourceRefs, described, namespace));
    const source = {
      namespace,
      precedence: deps.precedence(),
      read: (ref: Parameters<typeof followed.read>[0]) => followed.read(ref, key, signal),
    };
    const values = new Map<string, JsonObject | Error>();
    try {
      const data = { cluster: described, resources: await readResources(config.templateResourceRefs, described, source) };
      for (const service of services) values.set(serviceKey(service), await serviceValues(service, data, source));
    } catch (error) {
      signal.throwIfAborted();
      throw new SetError('ServiceSetHelmChartsBuildFailed', errorText(error));
    }
    return compileWorks({
      set,
      config,
      clusterNamespace: clusterId(cluster),
      present,
      template: name => templates.get(`${namespace}/${name}`),
      values: service => values.get(serviceKey(service)) ?? {},
    });
  }

  async function deliver({ works: wanted, removals }: CompiledWorks, present: Map<string, Work>, { signal }: Context): Promise<void> {
    const byName = new Map([...present.values()].map(work => [work.metadata.name, work]));
    for (const work of wanted) {
      const before = byName.get(work.metadata.name);
      // The one that was there must be gone first: its release may be another's by now.
      if (before?.metadata.deletionTimestamp !== undefined) continue;
      if (!before || !saysTheSame(before, work)) await hub.apply(Work, work, { fieldManager, signal });
    }
    const [next] = removals;
    if (next && next.metadata.deletionTimestamp === undefined) await hub.delete(Work, target(next), { signal });
  }

  /** What others depend on goes last, and the set when nothing of it is left. */
  async function remove(set: ServiceSet, present: Map<string, Work>, ctx: Context): Promise<Outcome> {
    const last = [...present.values()].at(-1);
    if (!last) {
      followed.keepOnly(keyOf(set), []);
      await removeFinalizer(hub, ServiceSet, set, k0rdentFinalizers.serviceSet, { signal: ctx.signal });
      return settled;
    }
    const isFree = setsToGoFirst(set, sets.by(byTarget, targetOfSet(set))).length === 0;
    if (isFree && last.metadata.deletionTimestamp === undefined) await hub.delete(Work, target(last), { signal: ctx.signal });
    return report(set, { present, compiled: nothing }, ctx);
  }

  async function report(
    set: ServiceSet,
    seen: { cluster?: Cluster; present: Map<string, Work>; compiled: CompiledWorks; failure?: Failure | undefined },
    ctx: Context,
  ): Promise<Outcome> {
    const { cluster, present, compiled, failure } = seen;
    const namespace = set.metadata.namespace!;
    const states = serviceStates({
      set,
      compiled,
      present,
      rival: name => (cluster ? works.get(`${clusterId(cluster)}/${name}`) : undefined),
      template: name => templates.get(`${namespace}/${name}`),
      clusterKind: 'sveltos',
      now: ctx.now,
    });
    const services = withBlockedUpgrades(set, states, ctx.now);
    const provider = providers.get(providerOf(set));
    const { generation } = set.metadata;
    const status: NonNullable<ServiceSet['status']> = {
      ...(cluster && {
        cluster: { apiVersion: 'k0rdent.mirantis.com/v1beta1', kind: 'ClusterDeployment', namespace, name: set.spec.cluster },
      }),
      deployed: cluster !== undefined && failure === undefined && isSetDeployed(set, services),
      provider: { ready: provider?.status?.ready ?? true, suspended: provider?.spec.suspend ?? false },
      services,
      conditions: withConditions(set.status?.conditions, reportSet(set, services, failure), { now: ctx.now, generation }),
      ...(generation !== undefined && { observedGeneration: generation }),
    };
    if (!jsonEqual(set.status, status)) {
      const { name = '', uid } = set.metadata;
      const metadata = { name, namespace, ...(uid !== undefined && { uid }) };
      await hub.apply(ServiceSet, { metadata, status }, { fieldManager, subresource: 'status', signal: ctx.signal });
    }
    return settled;
  }

  function clusterOf({ metadata, spec }: ServiceSet): Cluster | undefined {
    if (spec.cluster === '') return clusters.get(localClusterName);
    return clusters.by(clusterDeploymentIndex, `${metadata.namespace}/${spec.cluster}`)[0];
  }

  /** The Works of a set by their services: what others depend on first, then in the order of its list; those it does not list any more come first. */
  function worksOf(set: ServiceSet, cluster: Cluster | undefined): Map<string, Work> {
    const mine = works
      .by('label', `${workLabels.set}=${set.metadata.uid}`)
      .filter(({ metadata }) => !cluster || metadata.namespace === clusterId(cluster));
    const place = new Map((set.spec.services ?? []).map((service: SetService, i) => [serviceKey(service), i]));
    const depth = dependencyDepths(set);
    const keyed = mine.map(work => [work.metadata.annotations?.[workAnnotationsOfSet.service] ?? '', work] as const);
    return new Map(keyed.sort(([a], [b]) => depth(a) - depth(b) || (place.get(a) ?? -1) - (place.get(b) ?? -1) || (a < b ? -1 : 1)));
  }
}

/** The set cannot be delivered at all until somebody changes something. */
class SetError extends Error {
  override name = 'SetError';
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

function configOf({ spec }: ServiceSet): DeliveryConfig {
  try {
    return readConfig(spec.provider.config);
  } catch (error) {
    throw new SetError('ServiceSetProfileBuildFailed', errorText(error));
  }
}

const providerOf = ({ spec }: ServiceSet): string => spec.provider.name || defaultProvider;

const target = ({ metadata: { name = '', namespace } }: Work) => ({ name, namespace });

function setOfWork({ metadata }: Work): Key[] {
  const set = metadata.annotations?.[workAnnotationsOfSet.set];
  return set === undefined ? [] : [set];
}

/** How informers of ServiceSets find them. */
export const serviceSetIndexes = { ...ownedSetIndexes, namespace: ({ metadata }: ServiceSet) => [metadata.namespace ?? ''] } as const;
