import type { Cluster } from '../../api/cluster.ts';
import type { KubeObject } from '../../api/object.ts';
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
import type { Informer } from '../../runtime/informer.ts';
import { keyOf, type Key } from '../../runtime/key.ts';
import { cdStatus, type CdReport, type Step } from './cd-status.ts';
import { clusterDeploymentsOf } from './cluster-of.ts';
import { identityOf } from './credential-controller.ts';
import { ClusterError, clusterOfDeployment, deployCluster, releaseCluster } from './deployed-cluster.ts';
import { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { k0rdentFinalizers } from './kinds/group.ts';
import type { Credential } from './kinds/management.ts';
import { ServiceSet } from './kinds/service-set.ts';
import type { ClusterTemplate, ClusterTemplateChain, ServiceTemplate, ServiceTemplateChain } from './kinds/template.ts';
import { byTarget, ensureSet, targetOfSet } from './owned-sets.ts';
import { componentLabels, markObject, reportStatus } from './report-status.ts';
import { clusterModeAnnotation } from './template-content.ts';
import { listUpgradePaths } from './upgrade-paths.ts';
import { checkDependencies, checkReferences, type TemplateLookup } from './validate-services.ts';

export interface ClusterDeploymentsDeps {
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
  readonly credentials: Informer<Credential>;
  /** With `clusterDeploymentIndex`. */
  readonly clusters: Informer<Cluster>;
  readonly signal: AbortSignal;
}

const fieldManager = 'drover-k0rdent-deployments';
const retryClusterMs = 30_000;

/** What was found out on the way to a cluster. */
type Progress = Pick<CdReport, 'template' | 'credential' | 'chart' | 'release' | 'cluster' | 'region'>;

/** Makes, adopts or claims the cluster of every ClusterDeployment, keeps its own ServiceSet, and says how both are. */
export function runClusterDeployments(deps: ClusterDeploymentsDeps): RunningController {
  const { hub, hubObjects, deployments, sets, clusterTemplates, clusterChains, templates, chains, credentials, clusters, signal } = deps;
  const followed = followedObjects(hubObjects.watches, key => running.add(key));
  const known: TemplateLookup = {
    template: (namespace, name) => templates.get(`${namespace}/${name}`),
    chain: (namespace, name) => chains.get(`${namespace}/${name}`),
  };
  const those = (namespace: string | undefined, isWanted: (cd: ClusterDeployment) => boolean): Key[] =>
    deployments
      .list()
      .filter(cd => cd.metadata.namespace === namespace && isWanted(cd))
      .map(keyOf);
  const running = runController(
    { name: 'k0rdent-cluster-deployment', reconcile },
    {
      triggers: [
        changesOf(deployments),
        changesOf(sets, set => (set.spec.cluster === '' ? [] : [targetOfSet(set)])),
        changesOf(clusters, clusterDeploymentsOf),
        changesOf(clusterTemplates, ({ metadata }) => those(metadata.namespace, ({ spec }) => spec.template === metadata.name)),
        changesOf(clusterChains, ({ metadata }) => those(metadata.namespace, () => true)),
        changesOf(templates, ({ metadata }) => those(metadata.namespace, usesTemplate(metadata.name!))),
        changesOf(chains, ({ metadata }) =>
          those(metadata.namespace, ({ spec }) => spec.serviceSpec?.services?.some(one => one.templateChain === metadata.name) === true),
        ),
        changesOf(credentials, ({ metadata }) => those(metadata.namespace, ({ spec }) => spec.credential === metadata.name)),
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
      return settled;
    }
    if (cd.metadata.deletionTimestamp !== undefined) return depart(cd, ctx);
    const call = { fieldManager, signal: ctx.signal };
    await addFinalizer(hub, ClusterDeployment, cd, k0rdentFinalizers.clusterDeployment, call);
    await markObject(hub, ClusterDeployment, cd, { labels: componentLabels }, call);

    const progress = await provide(cd, ctx);
    const faults = await serve(cd, ctx);
    const namespace = cd.metadata.namespace!;
    await report(
      {
        cd,
        ...progress,
        sets: sets.by(byTarget, key),
        faults,
        upgradePaths: listUpgradePaths(cd.spec.serviceSpec?.services ?? [], namespace, known),
        availableUpgrades: availableUpgrades(cd),
        now: ctx.now,
      },
      ctx,
    );
    return progress.release?.status === 'False' ? requeue(retryClusterMs) : settled;
  }

  /** As far towards the cluster as it goes. */
  async function provide(cd: ClusterDeployment, ctx: Context): Promise<Progress> {
    const unknown = { status: 'Unknown' } as const;
    const progress: Progress = { template: unknown, credential: unknown, chart: unknown };
    const template = clusterTemplates.get(`${cd.metadata.namespace}/${cd.spec.template}`);
    const valid = judgeTemplate(cd, template);
    if (valid.status !== 'True') return { ...progress, template: valid };
    const { step: credential, secret, region } = await findCredential(cd, ctx);
    const checked = { ...progress, template: valid, credential, region };
    if (credential.status !== 'True') return checked;
    const mode = template?.metadata.annotations?.[clusterModeAnnotation];
    if (mode !== 'adopted' && mode !== 'sandbox')
      return { ...checked, chart: no(`ClusterTemplate ${cd.spec.template} needs Cluster API, which this hub does not run`) };
    const charted: Progress = { ...checked, chart: yes };
    if (cd.spec.dryRun) return charted;
    try {
      const cluster = await deployCluster(deps, { cd, mode, secret, signal: ctx.signal });
      return { ...charted, release: yes, cluster };
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      return { ...charted, release: no(error.message), cluster: clusterOfDeployment(clusters, cd) };
    }
  }

  /** What holds the way to the cluster. It is followed: when it changes, the cluster is looked at again. */
  async function findCredential(
    cd: ClusterDeployment,
    ctx: Context,
  ): Promise<{ step: Step; secret: KubeObject | undefined; region?: string | undefined }> {
    const key = keyOf(cd);
    const keep = (refs: ObjectRef[]) => followed.keepOnly(key, refs);
    if (!cd.spec.credential) {
      keep([]);
      return { step: yes, secret: undefined };
    }
    const credential = credentials.get(`${cd.metadata.namespace}/${cd.spec.credential}`);
    const identity = credential && identityOf(credential);
    // Those of other namespaces are not for whoever may write here.
    const isOwn = identity?.namespace === cd.metadata.namespace;
    keep(identity && isOwn ? [identity] : []);
    const what = `Credential ${cd.metadata.namespace}/${cd.spec.credential}`;
    if (!credential) return { step: no(`${what} not found`), secret: undefined };
    const region = credential.spec.region;
    if (!identity || identity.kind !== 'Secret' || identity.group !== '')
      return { step: no(`${what}: only a Secret can be the identity of a cluster`), secret: undefined, region };
    if (!isOwn) return { step: no(`${what}: its Secret must be in namespace ${cd.metadata.namespace}`), secret: undefined, region };
    const secret = await followed.read(identity, key, ctx.signal);
    return secret
      ? { step: yes, secret, region }
      : { step: no(`${what}: Secret ${identity.namespace}/${identity.name} not found`), secret: undefined, region };
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
    const names = clusterChains
      .list()
      .filter(chain => chain.metadata.namespace === metadata.namespace)
      .flatMap(chain => (chain.spec.supportedTemplates ?? []).filter(one => one.name === spec.template))
      .flatMap(one => (one.availableUpgrades ?? []).map(({ name }) => name));
    return [...new Set(names)].sort();
  }

  /** First the services of all owners, while there is a cluster to take them from; then the cluster. */
  async function depart(cd: ClusterDeployment, ctx: Context): Promise<Outcome> {
    if (!cd.metadata.finalizers?.includes(k0rdentFinalizers.clusterDeployment)) return settled;
    const left = sets.by(byTarget, keyOf(cd));
    const cluster = clusterOfDeployment(clusters, cd);
    const say = (reason: string, message: string) => report({ cd, sets: left, cluster, deleting: { reason, message }, now: ctx.now }, ctx);
    for (const { metadata } of left) {
      if (metadata.deletionTimestamp === undefined)
        await hub.delete(ServiceSet, { namespace: metadata.namespace, name: metadata.name! }, { signal: ctx.signal });
    }
    if (left.length > 0) {
      await say('WaitingForServiceSetsDeletion', `Waiting for ServiceSets to be deleted: ${left.map(one => one.metadata.name).join(', ')}`);
      return settled;
    }
    if (!(await releaseCluster(deps, cd, ctx.signal))) {
      await say('WaitingForClusterDeletion', `Waiting for cluster ${cluster?.metadata.name} to be deleted`);
      return settled;
    }
    await removeFinalizer(hub, ClusterDeployment, cd, k0rdentFinalizers.clusterDeployment, { signal: ctx.signal });
    return settled;
  }

  async function report(said: CdReport, ctx: Context): Promise<void> {
    await reportStatus(hub, ClusterDeployment, said.cd, cdStatus(said), { fieldManager, signal: ctx.signal });
  }
}

const yes: Step = { status: 'True' };
const no = (message: string): Step => ({ status: 'False', message });

function judgeTemplate({ metadata, spec }: ClusterDeployment, template: ClusterTemplate | undefined): Step {
  const name = `${metadata.namespace}/${spec.template}`;
  if (!template) return no(`ClusterTemplate ${name} not found`);
  if (!template.status?.valid)
    return no(
      `the ClusterTemplate ${name} is invalid with the error: ${template.status?.validationError ?? 'it has not been checked yet'}`,
    );
  return yes;
}

/** Any template of a chain may be a step of an upgrade. */
const usesTemplate =
  (name: string) =>
  ({ spec }: ClusterDeployment): boolean =>
    spec.serviceSpec?.services?.some(one => one.template === name || one.templateChain !== undefined) === true;
