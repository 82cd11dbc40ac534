import type { Cluster } from '../../api/cluster.ts';
import type { Work } from '../../api/work.ts';
import { addFinalizer, removeFinalizer } from '../../client/finalizers.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import type { Member } from '../../core/delivery/member.ts';
import type { ObjectRef } from '../../core/delivery/object-ref.ts';
import { followedObjects } from '../../core/references/followed-objects.ts';
import {
  changesOf,
  requeue,
  runController,
  settled,
  type Context,
  type Outcome,
  type RunningController,
} from '../../runtime/controller.ts';
import { eventRecorder } from '../../runtime/event-recorder.ts';
import type { Informer } from '../../runtime/informer.ts';
import { keyOf, type Key } from '../../runtime/key.ts';
import { lookupOf, type AccessGrants } from './access-grants.ts';
import { capiCondition } from './capi-cluster.ts';
import { capiGraceMs, cdStatus, type CdReport } from './cd-status.ts';
import { clusterDeploymentAnnotation, clusterDeploymentsOf } from './cluster-of.ts';
import { seedReadyMessage } from './column-layouts.ts';
import { workAnnotationsOfSet } from './compile-works.ts';
import { departDeployment, type DepartDeps } from './depart-deployment.ts';
import { clusterOfDeployment } from './deployed-cluster.ts';
import { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { k0rdentFinalizers } from './kinds/group.ts';
import type { Credential, Region } from './kinds/management.ts';
import type { ServiceSet } from './kinds/service-set.ts';
import type { ClusterTemplate, ClusterTemplateChain, ServiceTemplate, ServiceTemplateChain } from './kinds/template.ts';
import { byTarget, ensureSet, targetOfSet } from './owned-sets.ts';
import { clusterProvider, type Progress, type ProvideDeps } from './provide-cluster.ts';
import type { ReadObject } from './read-hub-object.ts';
import { deploymentsIn } from './region-controller.ts';
import { pausedRegionOf, pausedStatus } from './region-pause.ts';
import { componentLabels, markObject, reportStatus } from './report-status.ts';
import type { K0rdentSettings } from './settings.ts';
import { listUpgradePaths } from './upgrade-paths.ts';
import { checkDependencies, checkReferences } from './validate-services.ts';

export interface ClusterDeploymentsDeps extends Omit<ProvideDeps, 'events'>, Omit<DepartDeps, 'sets'> {
  readonly hub: KubeClient;
  /** The hub as something whose objects can be followed. */
  readonly hubObjects: Member;
  readonly deployments: Informer<ClusterDeployment>;
  /** With `ownedSetIndexes`. */
  readonly sets: Informer<ServiceSet>;
  readonly clusterTemplates: Informer<ClusterTemplate>;
  readonly clusterChains: Informer<ClusterTemplateChain>;
  readonly templates: Informer<ServiceTemplate>;
  readonly chains: Informer<ServiceTemplateChain>;
  readonly grants: AccessGrants;
  readonly settings: Pick<K0rdentSettings, 'columns' | 'changes'>;
  readonly credentials: Informer<Credential>;
  readonly regions: Informer<Region>;
  /** With `clusterDeploymentIndex`. */
  readonly clusters: Informer<Cluster>;
  readonly signal: AbortSignal;
}

const fieldManager = 'drover-k0rdent-deployments';
const retryClusterMs = 30_000;

/** Makes, adopts or claims the cluster of every ClusterDeployment, keeps its own ServiceSet, and says how both are. */
export function runClusterDeployments(deps: ClusterDeploymentsDeps): RunningController {
  const { hub, hubObjects, deployments, sets, clusterTemplates, clusterChains, templates, chains, grants, settings, signal } = deps;
  const { credentials, regions, clusters, works } = deps;
  const followed = followedObjects(hubObjects.watches, key => running.add(key));
  const events = eventRecorder(hub, { controller: 'k0rdent', signal });
  const provider = clusterProvider({ ...deps, events });
  const known = lookupOf(grants);
  const those = (namespace: string | undefined, isWanted: (cd: ClusterDeployment) => boolean): Key[] =>
    deployments
      .list()
      .filter(cd => grants.reaches(namespace, cd.metadata.namespace) && isWanted(cd))
      .map(keyOf);
  const running = runController(
    { name: 'k0rdent-cluster-deployment', reconcile },
    {
      triggers: [
        changesOf(deployments),
        changesOf(sets, set => (set.spec.cluster === '' ? [] : [targetOfSet(set)])),
        changesOf(clusters, clusterDeploymentsOf),
        changesOf(works, concernedByWork),
        changesOf(clusterTemplates, ({ metadata }) => those(metadata.namespace, ({ spec }) => spec.template === metadata.name)),
        changesOf(clusterChains, ({ metadata }) => those(metadata.namespace, () => true)),
        changesOf(templates, ({ metadata }) => those(metadata.namespace, usesTemplate(metadata.name!))),
        changesOf(chains, ({ metadata }) =>
          those(metadata.namespace, ({ spec }) => spec.serviceSpec?.services?.some(one => one.templateChain === metadata.name) === true),
        ),
        changesOf(credentials, ({ metadata }) => those(metadata.namespace, ({ spec }) => spec.credential === metadata.name)),
        changesOf(regions, ({ metadata }) => deploymentsIn(metadata.name!, { credentials, deployments }).map(keyOf)),
        grants.changes(() => deployments.list().map(keyOf)),
        settings.changes(() => deployments.list().map(keyOf)),
      ],
      signal,
      concurrency: 16,
    },
  );
  return running;

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const cd = deployments.get(key);
    if (!cd) {
      followed.keepOnly(key, []);
      provider.forget(key);
      return settled;
    }
    const refs: ObjectRef[] = [];
    const read: ReadObject = ref => {
      refs.push(ref);
      return followed.read(ref, key, ctx.signal);
    };
    const outcome = cd.metadata.deletionTimestamp === undefined ? await keep(cd, read, ctx) : await depart(cd, read, ctx);
    followed.keepOnly(key, refs);
    return outcome;
  }

  async function keep(cd: ClusterDeployment, read: ReadObject, ctx: Context): Promise<Outcome> {
    const call = { fieldManager, signal: ctx.signal };
    await addFinalizer(hub, ClusterDeployment, cd, k0rdentFinalizers.clusterDeployment, call);
    await markObject(hub, ClusterDeployment, cd, { labels: componentLabels }, call);

    const paused = pausedRegionOf(cd, { credentials, regions });
    if (paused !== undefined) {
      events.record(cd, { type: 'Normal', reason: 'RegionPaused', action: 'Wait', note: `Region ${paused} is paused` });
      await reportStatus(hub, ClusterDeployment, cd, pausedStatus(cd, paused, ctx.now), call);
      return settled;
    }

    const progress = await provider.provide(cd, read, ctx);
    const faults = await serve(cd, ctx);
    const namespace = cd.metadata.namespace!;
    await report(
      {
        cd,
        ...progress,
        sets: sets.by(byTarget, keyOf(cd)),
        faults,
        upgradePaths: listUpgradePaths(cd.spec.serviceSpec?.services ?? [], namespace, known),
        availableUpgrades: availableUpgrades(cd),
        readyMessage: settings.columns() === 'seed' ? seedReadyMessage : undefined,
        now: ctx.now,
      },
      ctx,
    );
    return nextLook(cd, progress, ctx.now);
  }

  /** Of the Works of services only those that are to go matter here: what they wait for is what the ClusterDeployment waits for. */
  function concernedByWork({ metadata }: Work): Key[] {
    const own = metadata.annotations?.[clusterDeploymentAnnotation];
    if (own !== undefined) return [own];
    const set = metadata.deletionTimestamp === undefined ? undefined : sets.get(metadata.annotations?.[workAnnotationsOfSet.set] ?? '');
    return set && set.spec.cluster !== '' ? [targetOfSet(set)] : [];
  }

  /** Writes the ServiceSet of its own services. What is wrong with them is answered, and then nothing is written. */
  async function serve(cd: ClusterDeployment, ctx: Context): Promise<string[]> {
    const { serviceSpec = {} } = cd.spec;
    const services = serviceSpec.services ?? [];
    const references = checkReferences(services, cd.metadata.namespace!, known);
    if (references.length > 0) return [`some services have invalid templates: ${references.join('; ')}`];
    const dependencies = checkDependencies(services);
    if (dependencies.length > 0) return [`some services have invalid dependencies: ${dependencies.join('; ')}`];
    const place = { deployment: cd, multiClusterService: undefined };
    const { next } = await ensureSet(hub, { ...place, serviceSpec, known, sets, fieldManager, signal: ctx.signal });
    return [...next.errors, ...next.blocked.map(({ message }) => message)];
  }

  function availableUpgrades({ metadata, spec }: ClusterDeployment): string[] {
    const names = grants
      .clusterChains(metadata.namespace!)
      .flatMap(chain => (chain.spec.supportedTemplates ?? []).filter(one => one.name === spec.template))
      .flatMap(one => (one.availableUpgrades ?? []).map(({ name }) => name));
    return [...new Set(names)].sort();
  }

  async function depart(cd: ClusterDeployment, read: ReadObject, ctx: Context): Promise<Outcome> {
    if (!cd.metadata.finalizers?.includes(k0rdentFinalizers.clusterDeployment)) return settled;
    const { deleting, againMs, ...seen } = await departDeployment(cd, deps, read, ctx);
    if (!deleting) {
      await removeFinalizer(hub, ClusterDeployment, cd, k0rdentFinalizers.clusterDeployment, { signal: ctx.signal });
      return settled;
    }
    const cluster = clusterOfDeployment(clusters, cd);
    await report({ cd, sets: sets.by(byTarget, keyOf(cd)), cluster, deleting, ...seen, now: ctx.now }, ctx);
    return againMs === undefined ? settled : requeue(againMs);
  }

  async function report(said: CdReport, ctx: Context): Promise<void> {
    await reportStatus(hub, ClusterDeployment, said.cd, cdStatus(said), { fieldManager, signal: ctx.signal });
  }
}

/** What fails outside of the hub is tried again; and that Cluster API takes too long is for the clock to say. */
function nextLook({ status }: ClusterDeployment, { release, chart, capi, unreached }: Progress, now: Date): Outcome {
  if (release?.status === 'False' || chart?.status === 'False' || unreached !== undefined) return requeue(retryClusterMs);
  if (capi?.status !== 'False') return settled;
  const since = status?.conditions?.find(one => one.type === capiCondition && one.status === 'False')?.lastTransitionTime;
  const restMs = (since === undefined ? now.getTime() : Date.parse(since)) + capiGraceMs - now.getTime();
  return restMs < 0 ? settled : requeue(restMs + 1_000);
}

/** Any template of a chain may be a step of an upgrade. */
const usesTemplate =
  (name: string) =>
  ({ spec }: ClusterDeployment): boolean =>
    spec.serviceSpec?.services?.some(one => one.template === name || one.templateChain !== undefined) === true;
