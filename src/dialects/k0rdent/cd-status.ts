import { findCondition, withConditions, type Condition, type ConditionReport } from '../../api/conditions.ts';
import { clusterConditions, type Cluster } from '../../api/cluster.ts';
import { capiCondition } from './capi-cluster.ts';
import { chartRenameText, type ChartRename } from './chart-rename.ts';
import type { DeploymentInputs } from './deployment-inputs.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import type { ServiceSet } from './kinds/service-set.ts';
import type { ServiceState, UpgradePaths } from './kinds/service-spec.ts';
import { serviceKey } from './validate-services.ts';

type CdStatus = NonNullable<ClusterDeployment['status']>;

export const cdConditions = {
  credential: 'CredentialReady',
  template: 'TemplateReady',
  chart: 'HelmChartReady',
  release: 'HelmReleaseReady',
  otherChart: 'HelmChartNameChanged',
  dataSource: 'DataSourceReady',
  clusterDataSource: 'ClusterDataSourceReady',
  authentication: 'ClusterAuthenticationReady',
  auditPolicy: 'ClusterAuditPolicyReady',
  cloud: 'CloudResourcesDeletedCondition',
  reachable: 'ClusterReachable',
  services: 'ServicesInReadyState',
  paused: 'Paused',
  deleting: 'Deleting',
  ready: 'Ready',
} as const;

/** One step on the way to a cluster: how it went, or what it waits for. */
export interface Step {
  readonly status: 'True' | 'False' | 'Unknown';
  /** The usual one of the status when absent. */
  readonly reason?: string;
  readonly message?: string;
}

export const yes: Step = { status: 'True' };
export const no = (message: string): Step => ({ status: 'False', message });

export interface CdReport {
  readonly cd: ClusterDeployment;
  /** Absent ones are not told. */
  readonly template?: Step;
  readonly credential?: Step;
  readonly chart?: Step;
  readonly release?: Step;
  /** What its chart would be, when that has another name than the one that is installed. */
  readonly otherChart?: ChartRename | undefined;
  /** The objects that it names for its chart. */
  readonly inputs?: Omit<DeploymentInputs, 'values'>;
  /** How its Cluster of Cluster API is. */
  readonly capi?: ConditionReport | undefined;
  /** Why there is no way to its cluster though there should be. */
  readonly unreached?: string | undefined;
  /** Whether what it has outside of itself is gone, while it is being deleted. */
  readonly cloud?: Step | undefined;
  /** The version of Kubernetes that its template makes. */
  readonly k8sVersion?: string;
  readonly cluster?: Cluster | undefined;
  /** All on its cluster, whoever owns them. */
  readonly sets: readonly ServiceSet[];
  /** What is wrong with its own services. */
  readonly faults?: readonly string[];
  readonly upgradePaths?: UpgradePaths;
  readonly availableUpgrades?: readonly string[];
  readonly region?: string | undefined;
  /** What Ready says when all is well. */
  readonly readyMessage?: string | undefined;
  /** Why it is still there though it is being deleted. */
  readonly deleting?: { readonly reason: string; readonly message: string };
  readonly now: Date;
}

export function cdStatus(report: CdReport): CdStatus {
  const { cd, sets, faults = [], upgradePaths, availableUpgrades, region, deleting, now } = report;
  const { generation } = cd.metadata;
  const { ready, total } = countServices(sets);
  const steps: ConditionReport[] = [
    ...stepReports(report),
    ...renamed(report),
    ...(report.capi ? [report.capi] : []),
    ...reachable(report),
    {
      type: cdConditions.services,
      status: ready === total ? 'True' : 'False',
      reason: ready === total ? 'Succeeded' : 'Failed',
      message: `${ready}/${total}`,
    },
    { type: cdConditions.paused, status: 'False', reason: 'NotPaused', message: '' },
    ...(deleting ? [{ type: cdConditions.deleting, status: 'True' as const, ...deleting }] : []),
  ];
  const known = withConditions(
    cd.status?.conditions?.filter(one => isStillTold(one.type, report, steps)),
    steps,
    { now, generation },
  );
  const told = known.filter(one => steps.some(({ type }) => type === one.type));
  const conditions = withConditions(known, [decideReady(report, told, faults)], { now, generation });
  return {
    services: unionOfServices(sets),
    ...(upgradePaths && { servicesUpgradePaths: upgradePaths }),
    ...(availableUpgrades && { availableUpgrades: [...availableUpgrades] }),
    ...k8sVersionOf(report),
    ...(region && { region }),
    conditions: conditions as Condition[],
    ...(generation !== undefined && { observedGeneration: generation }),
  };
}

/** What is not there any more is not spoken of any more. */
function isStillTold(type: string, { deleting }: CdReport, steps: readonly ConditionReport[]): boolean {
  const passing: readonly string[] = [
    cdConditions.dataSource,
    cdConditions.clusterDataSource,
    cdConditions.authentication,
    cdConditions.auditPolicy,
    cdConditions.otherChart,
  ];
  return deleting !== undefined || !passing.includes(type) || steps.some(one => one.type === type);
}

function k8sVersionOf({ cd, cluster, k8sVersion }: CdReport): Pick<CdStatus, 'k8sVersion'> {
  const version = cluster?.status?.version ?? k8sVersion ?? cd.status?.k8sVersion;
  return version === undefined ? {} : { k8sVersion: version };
}

function stepReports({ template, credential, chart, release, inputs = {}, cloud }: CdReport): ConditionReport[] {
  const steps = {
    [cdConditions.template]: template,
    [cdConditions.credential]: credential,
    [cdConditions.dataSource]: inputs.dataSource,
    [cdConditions.clusterDataSource]: inputs.clusterDataSource,
    [cdConditions.authentication]: inputs.authentication,
    [cdConditions.auditPolicy]: inputs.auditPolicy,
    [cdConditions.chart]: chart,
    [cdConditions.release]: release,
    [cdConditions.cloud]: cloud && (cloud.status === 'Unknown' ? { ...cloud, status: 'False' as const, reason: 'Progressing' } : cloud),
  };
  const reasons = { True: 'Succeeded', False: 'Failed', Unknown: 'Progressing' } as const;
  return Object.entries(steps).flatMap(([type, step]) =>
    step ? [{ type, status: step.status, reason: step.reason ?? reasons[step.status], message: step.message ?? '' }] : [],
  );
}

/** For people to know; nothing waits for it. */
function renamed({ otherChart }: CdReport): ConditionReport[] {
  const type = cdConditions.otherChart;
  return otherChart ? [{ type, status: 'True', reason: type, message: chartRenameText(otherChart) }] : [];
}

function reachable({ cluster, unreached }: CdReport): ConditionReport[] {
  const type = cdConditions.reachable;
  if (unreached !== undefined) return [{ type, status: 'False', reason: 'Failed', message: unreached }];
  if (!cluster) return [];
  const { status = 'Unknown', reason = 'Progressing', message = '' } = findCondition(cluster, clusterConditions.connected) ?? {};
  return [{ type, status, reason: status === 'True' ? 'Succeeded' : reason, message }];
}

/** So long a Cluster of Cluster API may take before that counts as a failure. */
export const capiGraceMs = 30 * 60_000;
const notErrors: readonly string[] = [cdConditions.services, cdConditions.paused, cdConditions.reachable, capiCondition];

function decideReady(report: CdReport, told: readonly Condition[], faults: readonly string[]): ConditionReport {
  const { cd, cluster, readyMessage, deleting, now } = report;
  const type = cdConditions.ready;
  if (deleting) return { type, status: 'False', reason: 'Deleting', message: deleting.message };
  const find = (name: string) => told.find(one => one.type === name);
  const isFalse = (one: Condition | undefined) => one?.status === 'False';
  const capi = find(capiCondition);
  const isLate = capi !== undefined && now.getTime() - Date.parse(capi.lastTransitionTime) > capiGraceMs;
  const errors = [
    ...told.filter(one => isFalse(one) && !notErrors.includes(one.type)).map(one => one.message),
    ...(isFalse(capi) && isLate ? [`Cluster is not ready. Check the provider logs for more details. ${capi!.message}`] : []),
    ...faults,
  ];
  if (errors.length > 0) return { type, status: 'False', reason: 'Failed', message: errors.join('. ') };
  const services = find(cdConditions.services)!;
  const reached = find(cdConditions.reachable);
  const warnings = [
    ...(isFalse(capi) ? [capi!.message] : []),
    ...(isFalse(reached) ? [`Cluster does not answer: ${reached!.message}`] : []),
    ...(isFalse(services) ? [`${services.message} Services are ready.`] : []),
  ];
  if (warnings.length > 0) return { type, status: 'False', reason: 'Progressing', message: warnings.join(' ') };
  const isUnknown = told.some(one => one.status === 'Unknown') || (!cluster && cd.spec.dryRun !== true);
  if (isUnknown) return { type, status: 'Unknown', reason: 'Progressing', message: 'Cluster is not ready yet' };
  return { type, status: 'True', reason: 'Succeeded', message: readyMessage ?? 'Object is ready' };
}

/** The services of all owners on the cluster: by type, namespace and name, and then by owner. */
export function unionOfServices(sets: readonly ServiceSet[]): ServiceState[] {
  const states = sets.toSorted(bySetName).flatMap(set => set.status?.services ?? []);
  const key = (one: ServiceState) => `${one.type}\0${one.namespace}\0${one.name}`;
  return states.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}

const bySetName = (a: ServiceSet, b: ServiceSet): number => (a.metadata.name! < b.metadata.name! ? -1 : 1);

/** Each service counts once, and as ready when any owner has it deployed. */
export function countServices(sets: readonly ServiceSet[]): { ready: number; total: number } {
  const staying = sets.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const keys = new Set(staying.flatMap(({ spec }) => (spec.services ?? []).map(serviceKey)));
  const deployed = new Set(
    staying.flatMap(({ status }) =>
      (status?.services ?? []).filter(one => one.state === 'Deployed' || one.state === 'Deleted').map(serviceKey),
    ),
  );
  return { ready: [...keys].filter(key => deployed.has(key)).length, total: keys.size };
}
