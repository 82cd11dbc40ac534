import type { Cluster } from '../../api/cluster.ts';
import { findCondition } from '../../api/conditions.ts';
import { Content, contentName } from '../../api/content.ts';
import type { KubeObject } from '../../api/object.ts';
import { Work, workConditions } from '../../api/work.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { ensureLocalCluster, LocalClusterError } from '../../core/clusters/local-cluster.ts';
import { readContent } from '../../core/contents/read-content.ts';
import type { Member } from '../../core/delivery/member.ts';
import { readManifests } from '../../core/delivery/read-manifests.ts';
import { lookupOn } from '../../core/works/lookup.ts';
import type { RenderPool } from '../../render/render-pool.ts';
import type { Context } from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import { keyOf } from '../../runtime/key.ts';
import { errorText } from '../../util/error-text.ts';
import { printJson, type JsonObject } from '../../util/json.ts';
import {
  capiClusterAnnotation,
  capiClusterIn,
  capiClusterOf,
  capiCondition,
  kubeconfigOfCapiCluster,
  summariseCapi,
} from './capi-cluster.ts';
import { no, yes, type CdReport, type Step } from './cd-status.ts';
import type { ChartRename } from './chart-rename.ts';
import { chartValues, chartWork, chartWorkLabel, maxReleaseName } from './cluster-chart.ts';
import { judgeWork, saysTheSame } from './compile-works.ts';
import { whyNotConfined } from './confine-chart.ts';
import { ClusterError, clusterOfDeployment, deployCluster } from './deployed-cluster.ts';
import { prepareInputs, type DeploymentInputs } from './deployment-inputs.ts';
import { claimAddresses } from './ipam-claim.ts';
import { heldObjectsAnnotation, heldObjectsIn } from './held-objects.ts';
import { ClusterDeployment } from './kinds/cluster-deployment.ts';
import type { Credential } from './kinds/management.ts';
import type { ClusterTemplate } from './kinds/template.ts';
import type { ReadObject } from './read-hub-object.ts';
import { markObject } from './report-status.ts';
import { contentAnnotation } from './template-content.ts';

export interface ClusterChartsDeps {
  readonly hub: KubeClient;
  readonly hubObjects: Member;
  /** With `clusterDeploymentIndex`. */
  readonly clusters: Informer<Cluster>;
  readonly clusterTemplates: Informer<ClusterTemplate>;
  /** With `workIndexes`. */
  readonly works: Informer<Work>;
  readonly renderer: Pick<RenderPool, 'render'>;
  /** What the hub has to say to all charts of clusters, under `global`. */
  readonly globalValues: () => JsonObject;
}

export interface ChartRequest {
  readonly cd: ClusterDeployment;
  readonly template: ClusterTemplate;
  readonly credential: Credential | undefined;
  readonly read: ReadObject;
}

type ChartProgress = Pick<CdReport, 'chart' | 'otherChart' | 'release' | 'capi' | 'cluster' | 'unreached' | 'inputs'>;

interface Rendered {
  /** Of the inputs. */
  readonly mark: string;
  readonly objects: readonly KubeObject[];
  readonly hasDefinitions: boolean;
}

const fieldManager = 'drover-k0rdent-charts';

/** Makes clusters of charts: their objects are applied to the hub itself, where Cluster API takes them up, and what comes of it becomes a member. */
export function clusterCharts(deps: ClusterChartsDeps) {
  const { hub, hubObjects, clusters, clusterTemplates, works, renderer, globalValues } = deps;
  /** By ClusterDeployment: what its chart gave last. */
  const rendered = new Map<string, Rendered>();
  return { deploy, forget: (key: string) => void rendered.delete(key) };

  async function deploy(request: ChartRequest, ctx: Context): Promise<ChartProgress> {
    const { cd, template, credential, read } = request;
    const { signal } = ctx;
    const namespace = cd.metadata.namespace!;
    const cluster = clusterOfDeployment(clusters, cd);
    const write = { hub, read, fieldManager, signal };
    const addresses = cd.spec.dryRun ? undefined : await claimAddresses(cd, write);
    if (addresses) return { chart: addresses, cluster };
    const inputs: DeploymentInputs = cd.spec.dryRun ? { values: {} } : await prepareInputs(cd, write);
    const isWaiting = Object.values({ ...inputs, values: yes }).some(step => (step as Step).status !== 'True');
    if (isWaiting) return { chart: { status: 'Unknown', message: 'Waiting for what the chart needs' }, cluster, inputs };

    const digest = template.metadata.annotations?.[contentAnnotation];
    if (digest === undefined)
      return { chart: no(`the chart of ClusterTemplate ${keyOf(template)} has not been fetched yet`), cluster, inputs };
    const values = chartValues({ cd, credential, global: globalValues(), inputs: inputs.values });
    const given = await render(cd, digest, values, signal);
    if (given instanceof Error)
      return { chart: no(`failed to validate template with provided configuration: ${given.message}`), cluster, inputs };
    const refusal = whyNotConfined({ namespace, digest, templates: clusterTemplates.list(), ...given });
    if (refusal !== undefined) return { chart: no(refusal), cluster, inputs };
    if (cd.spec.dryRun) return { chart: yes, cluster, otherChart: await otherChart(cd, digest, signal) };

    const annotations = {
      [capiClusterAnnotation]: capiClusterIn(given.objects, namespace),
      [heldObjectsAnnotation]: heldObjectsIn(given.objects, namespace),
    };
    await markObject(hub, ClusterDeployment, cd, { annotations }, { fieldManager, signal });
    const release = await ensureRelease(chartWork({ cd, digest, values }), cd, signal);
    return { chart: yes, release, inputs, ...(await join(cd, cluster, read, ctx)) };
  }

  /** What the chart makes, or why it cannot be rendered. Equal inputs are not rendered again. */
  async function render(cd: ClusterDeployment, digest: string, values: JsonObject, signal: AbortSignal): Promise<Rendered | Error> {
    const { namespace = '', name = '' } = cd.metadata;
    if (name.length > maxReleaseName)
      return new Error(`the name of a release must have at most ${maxReleaseName} characters, "${name}" has more`);
    const mark = `${digest} ${printJson(values)}`;
    const known = rendered.get(keyOf(cd));
    if (known?.mark === mark) return known;
    try {
      const [chart, capabilities] = await Promise.all([readContent(hub, digest, { signal }), hubObjects.kinds.capabilities(signal)]);
      const job = { chart, digest, values, release: { name, namespace, revision: 1 }, capabilities, lookup: lookupOn(hubObjects) };
      const { manifest, hooks, definitions } = await renderer.render(job, signal);
      const text = [manifest, ...hooks.map(one => one.content)].join('\n---\n');
      const objects = await readManifests(hubObjects, text, { namespace, unknownKinds: 'keep', signal });
      const result = { mark, objects, hasDefinitions: definitions.length > 0 };
      rendered.set(keyOf(cd), result);
      return result;
    } catch (error) {
      signal.throwIfAborted();
      return new Error(errorText(error), { cause: error });
    }
  }

  /** The names of the chart that is installed and of the one that is to be, where they differ. */
  async function otherChart(cd: ClusterDeployment, digest: string, signal: AbortSignal): Promise<ChartRename | undefined> {
    const [present] = works.by('label', chartWorkLabel(cd));
    const installed = present?.spec.chart?.content;
    if (installed === undefined || installed === digest) return undefined;
    const [from, to] = await Promise.all(
      [installed, digest].map(async one => (await hub.get(Content, { name: contentName(one) }, { signal }))?.spec.chart?.name),
    );
    return from === undefined || to === undefined || from === to ? undefined : { from, to };
  }

  async function ensureRelease(wanted: Work, cd: ClusterDeployment, signal: AbortSignal): Promise<Step> {
    try {
      await ensureLocalCluster(hub, clusters, signal);
    } catch (error) {
      if (!(error instanceof LocalClusterError)) throw error;
      return no(error.message);
    }
    const [present] = works.by('label', chartWorkLabel(cd));
    if (present?.metadata.deletionTimestamp !== undefined) return { status: 'Unknown', message: 'An earlier release is being uninstalled' };
    if (!present || !saysTheSame(present, wanted)) await hub.apply(Work, wanted, { fieldManager, signal });
    return releaseStep(present, wanted);
  }

  /** How the Cluster of Cluster API is, and the member that it became when there was a way to it. */
  async function join(cd: ClusterDeployment, cluster: Cluster | undefined, read: ReadObject, ctx: Context): Promise<ChartProgress> {
    const ref = capiClusterOf(cd);
    const found = ref && (await read(ref));
    const capi = ref && summariseCapi({ cluster: found, before: findCondition(cd, capiCondition), isLeaving: false });
    const secret = ref && found && (await read(kubeconfigOfCapiCluster(ref)));
    if (!secret) return { capi, cluster };
    try {
      return { capi, cluster: await deployCluster(deps, { cd, mode: 'adopted', secret, signal: ctx.signal }) };
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      return { capi, cluster, unreached: error.message };
    }
  }
}

function releaseStep(present: Work | undefined, wanted: Work): Step {
  const ready = present && findCondition(present, workConditions.ready);
  switch (judgeWork(present, wanted)) {
    case 'done': {
      const { chart = '', revision = 1 } = present?.status?.delivered ?? {};
      return {
        status: 'True',
        message: `Release ${wanted.spec.release.namespace}/${wanted.spec.release.name}.v${revision} with chart ${chart}`,
      };
    }
    case 'under-way':
      return { status: 'Unknown', message: 'The release is being installed' };
    default:
      return no(ready?.message ?? 'the release failed');
  }
}
