import { findCondition, withConditions, type Condition, type ConditionReport } from '../../api/conditions.ts';
import { clusterConditions, type Cluster } from '../../api/cluster.ts';
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
  reachable: 'ClusterReachable',
  services: 'ServicesInReadyState',
  paused: 'Paused',
  deleting: 'Deleting',
  ready: 'Ready',
} as const;

/** One step on the way to a cluster: how it went, or what it waits for. */
export interface Step {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly message?: string;
}

export interface CdReport {
  readonly cd: ClusterDeployment;
  /** Absent ones are not told. */
  readonly template?: Step;
  readonly credential?: Step;
  readonly chart?: Step;
  readonly release?: Step;
  readonly cluster?: Cluster | undefined;
  /** All on its cluster, whoever owns them. */
  readonly sets: readonly ServiceSet[];
  /** What is wrong with its own services. */
  readonly faults?: readonly string[];
  readonly upgradePaths?: UpgradePaths;
  readonly availableUpgrades?: readonly string[];
  readonly region?: string | undefined;
  /** Why it is still there though it is being deleted. */
  readonly deleting?: { readonly reason: string; readonly message: string };
  readonly now: Date;
}

export function cdStatus(report: CdReport): CdStatus {
  const { cd, cluster, sets, faults = [], upgradePaths, availableUpgrades, region, deleting, now } = report;
  const { generation } = cd.metadata;
  const { ready, total } = countServices(sets);
  const steps: ConditionReport[] = [
    ...stepReports(report),
    ...(cluster ? [reachable(cluster)] : []),
    {
      type: cdConditions.services,
      status: ready === total ? 'True' : 'False',
      reason: ready === total ? 'Succeeded' : 'Failed',
      message: `${ready}/${total}`,
    },
    { type: cdConditions.paused, status: 'False', reason: 'NotPaused', message: '' },
    ...(deleting ? [{ type: cdConditions.deleting, status: 'True' as const, ...deleting }] : []),
  ];
  const conditions = withConditions(cd.status?.conditions, [...steps, decideReady(report, steps, faults)], { now, generation });
  return {
    services: unionOfServices(sets),
    ...(upgradePaths && { servicesUpgradePaths: upgradePaths }),
    ...(availableUpgrades && { availableUpgrades: [...availableUpgrades] }),
    ...(cluster?.status?.version !== undefined && { k8sVersion: cluster.status.version }),
    ...(region && { region }),
    conditions: conditions as Condition[],
    ...(generation !== undefined && { observedGeneration: generation }),
  };
}

function stepReports({ template, credential, chart, release }: CdReport): ConditionReport[] {
  const steps = {
    [cdConditions.template]: template,
    [cdConditions.credential]: credential,
    [cdConditions.chart]: chart,
    [cdConditions.release]: release,
  };
  const reasons = { True: 'Succeeded', False: 'Failed', Unknown: 'Progressing' } as const;
  return Object.entries(steps).flatMap(([type, step]) =>
    step ? [{ type, status: step.status, reason: reasons[step.status], message: step.message ?? '' }] : [],
  );
}

function reachable(cluster: Cluster): ConditionReport {
  const { status = 'Unknown', reason = 'Progressing', message = '' } = findCondition(cluster, clusterConditions.connected) ?? {};
  return { type: cdConditions.reachable, status, reason: status === 'True' ? 'Succeeded' : reason, message };
}

function decideReady({ cd, cluster, deleting }: CdReport, steps: readonly ConditionReport[], faults: readonly string[]): ConditionReport {
  const type = cdConditions.ready;
  if (deleting) return { type, status: 'False', reason: 'Deleting', message: deleting.message };
  const isStep = (one: ConditionReport) =>
    one.type !== cdConditions.services && one.type !== cdConditions.paused && one.type !== cdConditions.reachable;
  const errors = [...steps.filter(one => isStep(one) && one.status === 'False').map(one => one.message), ...faults];
  if (errors.length > 0) return { type, status: 'False', reason: 'Failed', message: errors.join('. ') };
  const find = (name: string) => steps.find(one => one.type === name);
  const services = find(cdConditions.services)!;
  const warnings: string[] = [];
  const reached = find(cdConditions.reachable);
  if (reached?.status === 'False') warnings.push(`Cluster does not answer: ${reached.message}`);
  if (services.status === 'False') warnings.push(`${services.message} Services are ready.`);
  if (warnings.length > 0) return { type, status: 'False', reason: 'Progressing', message: warnings.join(' ') };
  const isUnknown = steps.some(one => one.status === 'Unknown') || (!cluster && cd.spec.dryRun !== true);
  if (isUnknown) return { type, status: 'Unknown', reason: 'Progressing', message: 'Cluster is not ready yet' };
  return { type, status: 'True', reason: 'Succeeded', message: 'Object is ready' };
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
