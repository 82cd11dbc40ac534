import type { ConfigMap } from '../../api/builtin-kinds.ts';
import type { Cluster } from '../../api/cluster.ts';
import { findCondition, withConditions } from '../../api/conditions.ts';
import { contentTypes } from '../../api/content.ts';
import { Work, workConditions } from '../../api/work.ts';
import { addFinalizer, removeFinalizer } from '../../client/finalizers.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { clusterId } from '../../core/clusters/cluster-id.ts';
import { ensureLocalCluster, findLocalCluster, LocalClusterError, localClusterName } from '../../core/clusters/local-cluster.ts';
import { putContent } from '../../core/contents/put-content.ts';
import { readContent } from '../../core/contents/read-content.ts';
import type { Member } from '../../core/delivery/member.ts';
import type { ObjectRef } from '../../core/delivery/object-ref.ts';
import { followedObjects } from '../../core/references/followed-objects.ts';
import type { RenderPool } from '../../render/render-pool.ts';
import {
  changesOf,
  requeue,
  runController,
  settled,
  type Context,
  type Outcome,
  type RunningController,
} from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import { keyOf, type Key } from '../../runtime/key.ts';
import { isJsonObject, jsonEqual, type JsonObject } from '../../util/json.ts';
import type { AccessGrants } from './access-grants.ts';
import { capiClusterAnnotation, capiClusterOf } from './capi-cluster.ts';
import { clusterDeploymentIndex, clusterDeploymentsOf, hubItself, sveltosCluster } from './cluster-of.ts';
import { isPolicy } from './compile-policies.ts';
import { compileSet, SetError, type CompiledSet } from './compile-set.ts';
import { judgeWork, saysTheSame, workAnnotationsOfSet, workLabels, type CompiledWorks } from './compile-works.ts';
import { leavesAll, onlyPlans } from './effective-config.ts';
import { isForAll } from './health-rules.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { defaultProvider, k0rdentFinalizers, systemNamespace } from './kinds/group.ts';
import type { Credential, StateManagementProvider } from './kinds/management.ts';
import { pausedAnnotation, ServiceSet, type SetService } from './kinds/service-set.ts';
import type { ServiceTemplate } from './kinds/template.ts';
import { hubTargetRefusal, isLocalTemplate, mayUseHub } from './local-template.ts';
import { byTarget, hubTarget, ownedSetIndexes, targetOfSet } from './owned-sets.ts';
import { propagatedIdentity } from './propagated-identity.ts';
import { reachesAll } from './reach-of-set.ts';
import { isLocalPolicy } from './read-policies.ts';
import type { RemoteManifests } from './remote-manifests.ts';
import { releaseReports } from './release-reports.ts';
import { isSetDeployed, reportSet, serviceStates } from './service-states.ts';
import { dependencyDepths, setsToGoFirst, withBlockedUpgrades } from './set-notes.ts';
import type { K0rdentSettings } from './settings.ts';
import { serviceKey } from './validate-services.ts';

export interface ServiceSetDeps {
  readonly hub: KubeClient;
  /** The hub as something whose objects can be followed. */
  readonly hubObjects: Member;
  readonly sets: Informer<ServiceSet>;
  readonly templates: Informer<ServiceTemplate>;
  readonly grants: Pick<AccessGrants, 'serviceTemplate' | 'reaches' | 'changes'>;
  readonly deployments: Informer<ClusterDeployment>;
  readonly credentials: Informer<Credential>;
  readonly providers: Informer<StateManagementProvider>;
  /** With `clusterDeploymentIndex`. */
  readonly clusters: Informer<Cluster>;
  /** With `workIndexes`. */
  readonly works: Informer<Work>;
  readonly settings: Pick<K0rdentSettings, 'precedence' | 'changes'>;
  /** Runs templates. */
  readonly renderer: Pick<RenderPool, 'renderText' | 'renderMap'>;
  readonly remotes: RemoteManifests;
  /** ConfigMaps with `healthRuleLabel`. */
  readonly ruleMaps: Informer<ConfigMap>;
  readonly signal: AbortSignal;
}

const fieldManager = 'drover-k0rdent';
const concurrency = 16;

type Failure = { readonly reason: string; readonly message: string };
const nothing: CompiledWorks = { works: [], removals: [], spared: [], pending: new Set(), failures: new Map() };
const nothingCompiled: CompiledSet = { services: nothing, policies: { works: [], removals: [] }, policyFaults: [], ruleFaults: [] };

/** Compiles ServiceSets to Works and says on them how those are. */
export function runServiceSets(deps: ServiceSetDeps): RunningController {
  const { hub, sets, templates, grants, settings, deployments, credentials, providers, clusters, works, ruleMaps, signal } = deps;
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
        changesOf(templates, template => usersOf(template)),
        changesOf(ruleMaps, map => (isForAll(map) ? sets.list().map(keyOf) : setsIn(map.metadata.namespace!, () => true))),
        grants.changes(() => sets.list().map(keyOf)),
        settings.changes(() => sets.list().map(keyOf)),
        // How they are is written often; what values may ask for changes rarely.
        changesOf(
          deployments,
          cd => setsOn(keyOf(cd)),
          ({ metadata, spec }) => [
            metadata.uid,
            metadata.labels ?? {},
            metadata.annotations?.[capiClusterAnnotation],
            spec.config,
            spec.credential,
            spec.propagateCredentials,
          ],
        ),
        changesOf(
          credentials,
          ({ metadata }) => setsIn(metadata.namespace!, set => deploymentOf(set)?.spec.credential === metadata.name),
          ({ spec }) => spec,
        ),
        changesOf(
          clusters,
          cluster => [...clusterDeploymentsOf(cluster), ...(cluster.metadata.name === localClusterName ? [hubTarget] : [])].flatMap(setsOn),
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

  function usersOf({ metadata }: ServiceTemplate): Key[] {
    const uses = ({ spec }: ServiceSet) => (spec.services ?? []).some(one => one.template === metadata.name);
    const isOnlyHere = metadata.namespace !== systemNamespace || !grants.reaches(systemNamespace, '');
    return isOnlyHere ? setsIn(metadata.namespace!, uses) : sets.list().filter(uses).map(keyOf);
  }

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
    const policies = policiesOf(set, cluster);
    if (set.metadata.deletionTimestamp !== undefined) return remove(set, present, policies, ctx);
    await addFinalizer(hub, ServiceSet, set, k0rdentFinalizers.serviceSet, { signal: ctx.signal });
    const refusal = await openHub(set, ctx);
    if (refusal || !cluster) return report(set, { present, compiled: nothingCompiled, failure: refusal }, ctx);

    const provider = providers.get(providerOf(set));
    const isResting = provider?.spec.suspend === true || (provider && !provider.status?.ready && providerOf(set) !== defaultProvider);
    const isPaused = set.metadata.annotations?.[pausedAnnotation] !== undefined;
    let compiled = nothingCompiled;
    let failure: Failure | undefined;
    const looks: number[] = [];
    try {
      compiled = await compile(set, { cluster, present, policies, looks }, ctx);
      if (!isResting && !isPaused) {
        await deliver(compiled.services, [...present.values()], ctx);
        await deliver(compiled.policies, policies, ctx);
      }
    } catch (error) {
      if (!(error instanceof SetError)) throw error;
      failure = { reason: error.reason, message: error.message };
    }
    await report(set, { cluster, present, policies, compiled, failure: failure ?? policyFailure(compiled, policies) }, ctx);
    return looks.length === 0 ? settled : requeue(Math.min(...looks));
  }

  /** The hub itself is a member from the moment in which a set needs it. Answers why it cannot be. */
  async function openHub(set: ServiceSet, { signal }: Context): Promise<Failure | undefined> {
    const fail = (message: string) => ({ reason: 'ServiceSetProfileBuildFailed', message });
    const isTarget = set.spec.cluster === '';
    if (isTarget && !mayUseHub(set)) return fail(hubTargetRefusal);
    const { policyRefs } = (set.spec.provider.config ?? {}) as { policyRefs?: unknown };
    const hasLocal = () =>
      (Array.isArray(policyRefs) && policyRefs.some(ref => isJsonObject(ref) && isLocalPolicy(ref))) ||
      (set.spec.services ?? []).some(({ template }) => {
        const found = grants.serviceTemplate(set.metadata.namespace!, template);
        return found !== undefined && isLocalTemplate(found);
      });
    if (findLocalCluster(clusters) || !mayUseHub(set) || !(isTarget || hasLocal())) return undefined;
    try {
      await ensureLocalCluster(hub, clusters, signal);
      return undefined;
    } catch (error) {
      if (!(error instanceof LocalClusterError)) throw error;
      return fail(error.message);
    }
  }

  function deploymentOf({ metadata, spec }: ServiceSet): ClusterDeployment | undefined {
    return deployments.get(`${metadata.namespace}/${spec.cluster}`);
  }

  /** What it is made of is followed from now on, also what was missing. */
  async function compile(
    set: ServiceSet,
    { cluster, present, policies, looks }: { cluster: Cluster; present: Map<string, Work>; policies: readonly Work[]; looks: number[] },
    { signal: stop }: Context,
  ): Promise<CompiledSet> {
    const namespace = set.metadata.namespace!;
    const key = keyOf(set);
    const named: ObjectRef[] = [];
    const deployment = deploymentOf(set);
    const credential = deployment?.spec.credential ? credentials.get(`${namespace}/${deployment.spec.credential}`) : undefined;
    const capi = deployment && capiClusterOf(deployment);
    try {
      if (capi) named.push(capi);
      const described = capi && (await followed.read(capi, key, stop));
      return await compileSet({
        set,
        cluster: described ? (described as unknown as JsonObject) : sveltosCluster(cluster, deployment),
        ...(deployment && !set.spec.multiClusterService && { identity: propagatedIdentity(deployment, credential) }),
        clusterNamespace: clusterId(cluster),
        present,
        presentPolicies: policies,
        ruleMaps: [
          ...ruleMaps.by('namespace', namespace),
          ...(namespace === systemNamespace ? [] : ruleMaps.by('namespace', systemNamespace)),
        ],
        template: name => grants.serviceTemplate(namespace, name),
        source: {
          namespace,
          clusterName: set.spec.cluster === '' ? localClusterName : `${namespace}/${set.spec.cluster}`,
          reachesAll: reachesAll(set),
          precedence: settings.precedence(),
          renderer: deps.renderer,
          read(ref, matters) {
            named.push(ref);
            return followed.read(ref, key, stop, matters);
          },
          mayUseHub: mayUseHub(set),
          readContent: digest => readContent(hub, digest, { signal: stop }),
          store: text => putContent(hub, Buffer.from(text), { type: contentTypes.manifests }, { signal: stop }),
          async fetchRemote(remote) {
            // Whatever comes of it, it may be something else later.
            looks.push(remoteRetryMs);
            const { text, lookAgainMs } = await deps.remotes.read(remote, namespace, stop);
            looks[looks.length - 1] = lookAgainMs;
            return text;
          },
        },
      });
    } catch (error) {
      stop.throwIfAborted();
      throw error;
    } finally {
      followed.keepOnly(key, named);
    }
  }

  async function deliver(
    { works: wanted, removals }: Pick<CompiledSet['policies'], 'works' | 'removals'>,
    present: readonly Work[],
    { signal }: Context,
  ): Promise<void> {
    const byName = new Map(present.map(work => [keyOf(work), work]));
    for (const work of wanted) {
      const before = byName.get(keyOf(work));
      // The one that was there must be gone first: its release may be another's by now.
      if (before?.metadata.deletionTimestamp !== undefined) continue;
      if (!before || !saysTheSame(before, work)) await hub.apply(Work, work, { fieldManager, signal });
    }
    const [next] = removals;
    if (next && next.metadata.deletionTimestamp === undefined) await hub.delete(Work, target(next), { signal });
  }

  /** What others depend on goes last, then the policies, and the set when nothing of it is left. */
  async function remove(set: ServiceSet, present: Map<string, Work>, policies: readonly Work[], ctx: Context): Promise<Outcome> {
    const last = [...present.values()].at(-1) ?? policies.at(-1);
    if (!last) {
      followed.keepOnly(keyOf(set), []);
      await removeFinalizer(hub, ServiceSet, set, k0rdentFinalizers.serviceSet, { signal: ctx.signal });
      return settled;
    }
    const isFree = setsToGoFirst(set, sets.by(byTarget, targetOfSet(set))).length === 0;
    if (isFree && last.metadata.deletionTimestamp === undefined) await letGo(set, last, ctx);
    return report(set, { present, compiled: nothingCompiled }, ctx);
  }

  async function letGo({ spec }: ServiceSet, work: Work, { signal: stop }: Context): Promise<void> {
    if (leavesAll(spec.provider) && work.spec.onDelete !== 'Keep')
      await hub.patch(Work, target(work), { type: 'merge', body: { spec: { onDelete: 'Keep' } } }, { fieldManager, signal: stop });
    await hub.delete(Work, target(work), { signal: stop });
  }

  async function report(
    set: ServiceSet,
    seen: {
      readonly cluster?: Cluster;
      readonly present: Map<string, Work>;
      readonly policies?: readonly Work[];
      readonly compiled: CompiledSet;
      readonly failure?: Failure | undefined;
    },
    ctx: Context,
  ): Promise<Outcome> {
    const { cluster, present, policies = [], compiled, failure } = seen;
    const namespace = set.metadata.namespace!;
    const isDryRun = onlyPlans(set.spec.provider);
    const seenOf = {
      set,
      compiled: compiled.services,
      present,
      rival: (name: string) =>
        cluster ? (works.get(`${clusterId(cluster)}/${name}`) ?? works.get(`${localClusterName}/${name}`)) : undefined,
      clusterKind: deploymentOf(set)?.metadata.annotations?.[capiClusterAnnotation] === undefined ? 'sveltos' : 'capi',
    } as const;
    const states = serviceStates({ ...seenOf, isDryRun, template: name => grants.serviceTemplate(namespace, name), now: ctx.now });
    const services = withBlockedUpgrades(set, states, ctx.now);
    const reports = isDryRun && !failure ? releaseReports(seenOf) : [];
    const provider = providers.get(providerOf(set));
    const { generation } = set.metadata;
    const status: NonNullable<ServiceSet['status']> = {
      ...(cluster && {
        cluster:
          set.spec.cluster === ''
            ? { ...hubItself }
            : { apiVersion: 'k0rdent.mirantis.com/v1beta1', kind: 'ClusterDeployment', namespace, name: set.spec.cluster },
      }),
      deployed: cluster !== undefined && failure === undefined && isSetDeployed(set, services) && arePoliciesDeployed(compiled, policies),
      provider: { ready: provider?.status?.ready ?? true, suspended: provider?.spec.suspend ?? false },
      services,
      ...(reports.length > 0 && { releaseReports: reports }),
      conditions: withConditions(set.status?.conditions, reportSet(set, services, failure, compiled.ruleFaults), {
        now: ctx.now,
        generation,
      }),
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
    if (spec.cluster === '') return findLocalCluster(clusters);
    return clusters.by(clusterDeploymentIndex, `${metadata.namespace}/${spec.cluster}`)[0];
  }

  function allWorksOf(set: ServiceSet, cluster: Cluster | undefined): Work[] {
    return works
      .by('label', `${workLabels.set}=${set.metadata.uid}`)
      .filter(({ metadata }) => !cluster || metadata.namespace === clusterId(cluster) || metadata.namespace === localClusterName);
  }

  function policiesOf(set: ServiceSet, cluster: Cluster | undefined): Work[] {
    return allWorksOf(set, cluster).filter(isPolicy);
  }

  /** The service of a Work. A template that is for another place than the last one leaves a Work behind, which is of no service any more. */
  function keyOfWork(set: ServiceSet, { metadata }: Work): string {
    const key = metadata.annotations?.[workAnnotationsOfSet.service] ?? '';
    const service = set.spec.services?.find(one => serviceKey(one) === key);
    const template = service && grants.serviceTemplate(set.metadata.namespace!, service.template);
    const isOnHub = set.spec.cluster === '' || (template !== undefined && isLocalTemplate(template));
    const isMisplaced = template !== undefined && isOnHub !== (metadata.namespace === localClusterName);
    return isMisplaced ? `${key} (${metadata.namespace})` : key;
  }

  /** The Works of a set by their services: what others depend on first, then those it does not list any more, then in the order of its list. */
  function worksOf(set: ServiceSet, cluster: Cluster | undefined): Map<string, Work> {
    const mine = allWorksOf(set, cluster).filter(work => !isPolicy(work));
    const place = new Map((set.spec.services ?? []).map((service: SetService, i) => [serviceKey(service), i]));
    const depth = dependencyDepths(set);
    const keyed = mine.map(work => [keyOfWork(set, work), work] as const);
    return new Map(keyed.sort(([a], [b]) => depth(a) - depth(b) || (place.get(a) ?? -1) - (place.get(b) ?? -1) || (a < b ? -1 : 1)));
  }
}

/** After what lies elsewhere could not be had. */
const remoteRetryMs = 30_000;

/** What is wrong with the policies of a set, which do not keep its services from being delivered. */
function policyFailure({ policyFaults, policies }: CompiledSet, present: readonly Work[]): Failure | undefined {
  if (policyFaults.length > 0) return { reason: 'ServiceSetPolicyRefsBuildFailed', message: policyFaults.join('; ') };
  const failed = policies.works
    .map(wanted => present.find(({ metadata }) => metadata.name === wanted.metadata.name))
    .find(work => work && ['failed', 'conflict'].includes(judgeWork(work)));
  if (!failed) return undefined;
  const message = findCondition(failed, workConditions.ready)?.message ?? 'One or more Resources failed to deploy';
  return { reason: 'ServiceSetProfileNotReady', message };
}

function arePoliciesDeployed({ policies }: CompiledSet, present: readonly Work[]): boolean {
  const byName = new Map(present.map(work => [work.metadata.name, work]));
  return policies.works.every(wanted => ['done', 'planned'].includes(judgeWork(byName.get(wanted.metadata.name), wanted)));
}

const providerOf = ({ spec }: ServiceSet): string => spec.provider.name || defaultProvider;

const target = ({ metadata: { name = '', namespace } }: Work) => ({ name, namespace });

function setOfWork({ metadata }: Work): Key[] {
  const set = metadata.annotations?.[workAnnotationsOfSet.set];
  return set === undefined ? [] : [set];
}

/** How informers of ServiceSets find them. */
export const serviceSetIndexes = { ...ownedSetIndexes, namespace: ({ metadata }: ServiceSet) => [metadata.namespace ?? ''] } as const;
