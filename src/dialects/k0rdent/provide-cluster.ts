import type { Cluster } from '../../api/cluster.ts';
import { findCondition } from '../../api/conditions.ts';
import type { KubeObject } from '../../api/object.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import type { ObjectRef } from '../../core/delivery/object-ref.ts';
import type { Context } from '../../runtime/controller.ts';
import type { EventRecorder } from '../../runtime/event-recorder.ts';
import type { Informer } from '../../runtime/informer.ts';
import type { AccessGrants } from './access-grants.ts';
import { clusterCharts, type ClusterChartsDeps } from './cluster-charts.ts';
import { cdConditions, no, yes, type CdReport, type Step } from './cd-status.ts';
import { chartRenameText } from './chart-rename.ts';
import { identityOf } from './credential-controller.ts';
import { ClusterError, clusterOfDeployment, deployCluster } from './deployed-cluster.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import type { Credential } from './kinds/management.ts';
import type { ClusterTemplate } from './kinds/template.ts';
import type { ReadObject } from './read-hub-object.ts';
import { clusterModeAnnotation } from './template-content.ts';

export interface ProvideDeps extends ClusterChartsDeps {
  readonly hub: KubeClient;
  readonly grants: Pick<AccessGrants, 'clusterTemplate'>;
  readonly credentials: Informer<Credential>;
  /** With `clusterDeploymentIndex`. */
  readonly clusters: Informer<Cluster>;
  readonly events: EventRecorder;
}

/** What was found out on the way to a cluster. */
export type Progress = Omit<
  CdReport,
  'cd' | 'sets' | 'faults' | 'upgradePaths' | 'availableUpgrades' | 'readyMessage' | 'deleting' | 'now'
>;

export interface ClusterProvider {
  /** Goes as far towards the cluster of a ClusterDeployment as it goes. */
  provide(cd: ClusterDeployment, read: ReadObject, ctx: Context): Promise<Progress>;
  /** The ClusterDeployment is gone. */
  forget(key: string): void;
}

const dryRunNote = 'DryRun mode is enabled. Remove spec.dryRun to proceed with the deployment';

export function clusterProvider(deps: ProvideDeps): ClusterProvider {
  const { grants, credentials, clusters, events } = deps;
  const charts = clusterCharts(deps);
  return { provide, forget: charts.forget };

  async function provide(cd: ClusterDeployment, read: ReadObject, ctx: Context): Promise<Progress> {
    const unknown = { status: 'Unknown' } as const;
    const progress: Progress = { template: unknown, credential: unknown, chart: unknown };
    const template = grants.clusterTemplate(cd.metadata.namespace!, cd.spec.template);
    const valid = judgeTemplate(cd, template);
    if (!template || valid.status !== 'True') return { ...progress, template: valid };
    const mode = template.metadata.annotations?.[clusterModeAnnotation];
    const isChart = mode !== 'adopted' && mode !== 'sandbox';
    const { step, credential, secret } = await findCredential(cd, isChart, read);
    const k8sVersion = template.status?.k8sVersion;
    const checked = { ...progress, template: valid, credential: step, region: credential?.spec.region, ...(k8sVersion && { k8sVersion }) };
    if (step.status !== 'True') return checked;
    if (cd.spec.dryRun) events.record(cd, { type: 'Normal', reason: 'DryRunEnabled', action: 'Validate', note: dryRunNote });
    if (isChart) {
      const deployed = await charts.deploy({ cd, template, credential, read }, ctx);
      const note = deployed.otherChart && chartRenameText(deployed.otherChart);
      if (note) events.record(cd, { type: 'Warning', reason: cdConditions.otherChart, action: 'Validate', note });
      return { ...checked, ...deployed };
    }
    const charted: Progress = { ...checked, chart: yes };
    if (cd.spec.dryRun) return { ...charted, cluster: clusterOfDeployment(clusters, cd) };
    try {
      const cluster = await deployCluster(deps, { cd, mode, secret, signal: ctx.signal });
      return { ...charted, release: yes, cluster };
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      return { ...charted, release: no(error.message), cluster: clusterOfDeployment(clusters, cd) };
    }
  }

  /** A Credential, and, for a cluster that is there already, the Secret with the way to it. */
  async function findCredential(
    cd: ClusterDeployment,
    isChart: boolean,
    read: ReadObject,
  ): Promise<{ step: Step; credential?: Credential; secret: KubeObject | undefined }> {
    const secret = undefined;
    const { namespace } = cd.metadata;
    if (!cd.spec.credential) return { step: yes, secret };
    const what = `Credential ${namespace}/${cd.spec.credential}`;
    const credential = credentials.get(`${namespace}/${cd.spec.credential}`);
    if (!credential) return { step: no(`${what} not found`), secret };
    if (isChart) return { step: judgeCredential(credential, what), credential, secret };
    const identity = identityOf(credential);
    const fault = faultOfIdentity(identity, namespace!);
    if (!identity || fault !== undefined) return { step: no(`${what}: ${fault}`), credential, secret };
    const found = await read(identity);
    const missing = `${what}: Secret ${identity.namespace}/${identity.name} not found`;
    return { step: found ? yes : no(missing), credential, secret: found };
  }
}

/** Secrets of other namespaces are not for whoever may write here. */
function faultOfIdentity(identity: ObjectRef | undefined, namespace: string): string | undefined {
  if (!identity || identity.kind !== 'Secret' || identity.group !== '') return 'only a Secret can be the identity of a cluster';
  return identity.namespace === namespace ? undefined : `its Secret must be in namespace ${namespace}`;
}

function judgeCredential(credential: Credential, what: string): Step {
  if (credential.status?.ready) return yes;
  const why = findCondition(credential, 'CredentialReady')?.message;
  return no(`the ${what} is not ready${why ? `: ${why}` : ''}`);
}

function judgeTemplate({ metadata, spec }: ClusterDeployment, template: ClusterTemplate | undefined): Step {
  const name = `${metadata.namespace}/${spec.template}`;
  if (!template) return no(`ClusterTemplate ${name} not found`);
  if (template.status?.valid) return yes;
  const why = template.status?.validationError ?? 'it has not been checked yet';
  return no(`the ClusterTemplate ${name} is invalid with the error: ${why}`);
}
