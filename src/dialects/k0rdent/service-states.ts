import { findCondition, withConditions, type ConditionReport } from '../../api/conditions.ts';
import { workConditions, type Work } from '../../api/work.ts';
import { timestamp } from '../../util/timestamp.ts';
import { judgeWork, workAnnotationsOfSet, type CompiledWorks } from './compile-works.ts';
import type { ServiceSet, SetService } from './kinds/service-set.ts';
import type { ServiceState } from './kinds/service-spec.ts';
import type { ServiceTemplate } from './kinds/template.ts';
import { areRulesOpen, fingerprintOf, unhealthyKinds } from './service-health.ts';
import { serviceKey } from './validate-services.ts';

export interface StatesInput {
  readonly set: ServiceSet;
  readonly compiled: Pick<CompiledWorks, 'works' | 'pending' | 'failures'>;
  /** The Works of the set, by service. */
  readonly present: ReadonlyMap<string, Work>;
  /** Another Work of the cluster, by name. */
  rival(name: string): Work | undefined;
  template(name: string): ServiceTemplate | undefined;
  /** Whether the set only plans. */
  readonly isDryRun?: boolean;
  /** What Cluster API or Sveltos would call the cluster: it is part of the words for a conflict. */
  readonly clusterKind: 'capi' | 'sveltos';
  readonly now: Date;
}

type Verdict = Pick<ServiceState, 'state' | 'failureMessage'> & { readonly health?: readonly ConditionReport[] };

/** How the services of a set are on their cluster: those it lists in its order, then those that are on their way out. */
export function serviceStates(input: StatesInput): ServiceState[] {
  const { set, present } = input;
  const listed = set.spec.services ?? [];
  const keys = new Set(listed.map(serviceKey));
  const leaving = [...present].filter(([key]) => !keys.has(key));
  return [
    ...listed.map(service => asBefore(service, input) ?? withTime(describe(service, judge(service, input), input), input)),
    ...leaving.map(([key, work]) => asBefore(work.spec.release, input) ?? withTime(describeLeaving(key, work, input), input)),
  ];
}

/** What a set that only plans said before it did: a plan changes nothing. Undefined when there is something to say. */
function asBefore(service: Pick<SetService, 'name' | 'namespace'>, input: StatesInput): ServiceState | undefined {
  const { isDryRun, compiled, present } = input;
  const key = serviceKey(service);
  const work = present.get(key);
  if (!isDryRun || compiled.failures.has(key) || work?.metadata.deletionTimestamp !== undefined) return undefined;
  return work && judgeWork(work) === 'failed' ? undefined : previous(service, input);
}

function judge(service: SetService, input: StatesInput): Verdict {
  const { compiled, present } = input;
  const key = serviceKey(service);
  const work = present.get(key);
  if (service.helmAction === 'Uninstall') return { state: work ? 'Deleting' : 'Deleted' };
  if (work?.metadata.deletionTimestamp !== undefined) return { state: 'Deleting' };
  const failure = compiled.failures.get(key);
  if (failure !== undefined) return { state: 'Failed', failureMessage: failure };
  if (!work || compiled.pending.has(key)) return { state: 'Pending' };
  const wanted = compiled.works.find(one => one.metadata.name === work.metadata.name);
  switch (judgeWork(work, wanted)) {
    case 'done':
      return judgeApplied(service, work, input);
    case 'conflict':
      return { state: 'Failed', failureMessage: conflictMessage(work, input) };
    case 'failed':
      return { state: 'Failed', failureMessage: findCondition(work, workConditions.ready)?.message ?? 'the delivery failed' };
    case 'under-way':
      return { state: input.isDryRun ? 'Pending' : 'Provisioning' };
    case 'planned':
      return { state: 'Pending' };
  }
}

/** A release counts as deployed when its objects are healthy too. Once it did, it does until something else is applied. */
function judgeApplied(service: SetService, work: Work, input: StatesInput): Verdict {
  const before = previous(service, input);
  const wasDeployed = before?.state === 'Deployed' && before.lastDeployedHash === fingerprintOf(work);
  if (wasDeployed || !work.spec.chart) return { state: 'Deployed' };
  const health = unhealthyKinds(work);
  return health.length === 0 && !areRulesOpen(work) ? { state: 'Deployed' } : { state: 'Provisioning', health };
}

const conflictMessage = ({ status }: Work, input: StatesInput): string => managedBy(status?.outrankedBy, input);

/** The words of Sveltos, which programs look for, and then who it is. */
export function managedBy(
  claim: { readonly work: string; readonly priority: number } | undefined,
  { set, rival, clusterKind }: Pick<StatesInput, 'set' | 'rival' | 'clusterKind'>,
): string {
  const { work = '', priority = 0 } = claim ?? {};
  const annotations = rival(work)?.metadata.annotations;
  const rivalSet = annotations?.[workAnnotationsOfSet.set]?.split('/').at(-1);
  const manager =
    rivalSet === undefined
      ? work
      : set.spec.cluster === ''
        ? `${rivalSet}-sveltos-mgmt`
        : `p--${rivalSet}-${clusterKind}-${set.spec.cluster}`;
  return `ClusterSummary ${manager} managing it (${annotations?.[workAnnotationsOfSet.owner] ?? `Work ${work}`}, priority ${priority})`;
}

function describe(service: SetService, judged: Verdict, input: StatesInput): Omit<ServiceState, 'lastStateTransitionTime'> {
  const { name, namespace, template } = service;
  const { health = [], ...verdict } = judged;
  const before = previous(service, input);
  const isDeployed = verdict.state === 'Deployed';
  const version = isDeployed ? service.version : before?.version;
  const hash = isDeployed ? fingerprintOf(input.present.get(serviceKey(service))) : before?.lastDeployedHash;
  return {
    type: typeOf(input.template(template)) ?? before?.type ?? 'Helm',
    name,
    namespace,
    template,
    ...(version !== undefined && { version }),
    ...verdict,
    ...(hash !== undefined && { lastDeployedHash: hash }),
    ...(health.length > 0 && { conditions: withConditions(before?.conditions?.filter(isStill(health)), health, { now: input.now }) }),
  };
}

const isStill =
  (reports: readonly ConditionReport[]) =>
  ({ type }: { readonly type: string }): boolean =>
    reports.some(one => one.type === type);

function describeLeaving(key: string, work: Work, { set }: StatesInput): Omit<ServiceState, 'lastStateTransitionTime'> {
  const before = set.status?.services?.find(one => serviceKey(one) === key);
  const { name, namespace } = work.spec.release;
  return {
    type: before?.type ?? 'Helm',
    name,
    namespace,
    template: before?.template ?? '',
    ...(before?.version !== undefined && { version: before.version }),
    state: 'Deleting',
  };
}

function typeOf(template: ServiceTemplate | undefined): ServiceState['type'] | undefined {
  if (!template) return undefined;
  return template.spec.kustomize ? 'Kustomize' : template.spec.resources ? 'Resource' : 'Helm';
}

const previous = (service: Pick<SetService, 'name' | 'namespace'>, { set }: StatesInput): ServiceState | undefined =>
  set.status?.services?.find(one => serviceKey(one) === serviceKey(service));

function withTime(state: Omit<ServiceState, 'lastStateTransitionTime'>, { set, now }: StatesInput): ServiceState {
  const before = set.status?.services?.find(one => serviceKey(one) === serviceKey(state));
  return { ...state, lastStateTransitionTime: before?.state === state.state ? before.lastStateTransitionTime : timestamp(now) };
}

/** Whether all that the set lists is as it should be. */
export function isSetDeployed({ spec }: ServiceSet, states: readonly ServiceState[]): boolean {
  return countDeployed(states) === (spec.services ?? []).length && states.every(({ state }) => state === 'Deployed' || state === 'Deleted');
}

const countDeployed = (states: readonly ServiceState[]): number =>
  states.filter(({ state }) => state === 'Deployed' || state === 'Deleted').length;

export const setConditions = {
  profile: 'ServiceSetProfile',
  statusesCollected: 'ServiceSetStatusesCollected',
  servicesInReadyState: 'ServicesInReadyState',
  healthRules: 'ServiceSetHealthRules',
} as const;

/** What the conditions of a ServiceSet say. */
export function reportSet(
  { spec }: ServiceSet,
  states: readonly ServiceState[],
  failure: { reason: string; message: string } | undefined,
  ruleFaults: readonly string[] = [],
): ConditionReport[] {
  const total = (spec.services ?? []).length;
  const ready = countDeployed(states);
  return [
    failure
      ? { type: setConditions.profile, status: 'False', ...failure }
      : { type: setConditions.profile, status: 'True', reason: 'ServiceSetProfileReady', message: 'Profile is ready' },
    { type: setConditions.statusesCollected, status: 'True', reason: 'ServiceSetStatusesCollected', message: 'Statuses collected' },
    {
      type: setConditions.servicesInReadyState,
      status: ready === total ? 'True' : 'False',
      reason: setConditions.servicesInReadyState,
      message: `${ready}/${total}`,
    },
    ruleFaults.length === 0
      ? { type: setConditions.healthRules, status: 'True', reason: 'AllRulesValid', message: 'All health rules loaded successfully' }
      : { type: setConditions.healthRules, status: 'False', reason: 'InvalidRules', message: ruleFaults.slice(0, 5).join('; ') },
  ];
}
