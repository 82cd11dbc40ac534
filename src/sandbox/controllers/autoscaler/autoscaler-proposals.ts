import type {
  AutoscalingV2HorizontalPodAutoscaler,
  LabelSelector,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../../api/kubernetes.ts';
import { parseApiVersion } from '../../../api/object.ts';
import { milliQuantityOf, parseQuantity, printQuantity, wholeValue } from '../../../api/quantity.ts';
import type { ClusterApi } from '../../../apiserver/cluster-api.ts';
import type { MetricSource } from './autoscaler-metrics.ts';
import {
  replicasForShare,
  replicasForTotal,
  replicasForUsage,
  replicasForUtilization,
  type Proposal,
  type Tolerances,
} from './autoscaler-replicas.ts';
import { goSelector } from '../go-selector.ts';
import type { StoredPod } from '../pod-state.ts';
import { asObject, type Stored } from '../stored-object.ts';
import { messageOf } from '../write-errors.ts';

export type StoredAutoscaler = Stored<AutoscalingV2HorizontalPodAutoscaler>;

export interface ProposalInput {
  readonly api: ClusterApi;
  readonly source: MetricSource;
  readonly autoscaler: StoredAutoscaler;
  readonly pods: readonly StoredPod[];
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly now: Date;
}

export interface MetricProposal {
  readonly replicas: number;
  /** What the metric is called in messages. */
  readonly name: string;
  readonly status: MetricStatus;
}

/** A metric that could not be read. */
export class MetricError extends Error {
  readonly reason: string;
  /** What the condition says, without the words around it. */
  readonly detail: string;

  constructor(reason: string, detail: string, message: string) {
    super(message);
    this.reason = reason;
    this.detail = detail;
  }
}

/** How many replicas one metric asks for. Throws MetricError. */
export function proposalOf(input: ProposalInput, metric: MetricSpec): MetricProposal {
  switch (metric.type) {
    case 'Resource':
      return resourceProposal(input, metric.resource!, '', 'FailedGetResourceMetric');
    case 'ContainerResource':
      return resourceProposal(input, metric.containerResource!, metric.containerResource!.container, 'FailedGetContainerResourceMetric');
    case 'Pods':
      return podsProposal(input, metric.pods!);
    case 'Object':
      return objectProposal(input, metric.object!);
    case 'External':
      return externalProposal(input, metric.external!);
    default: {
      const problem = `unknown metric source type ${JSON.stringify(metric.type)}`;
      throw new MetricError('InvalidMetricSourceType', problem, problem);
    }
  }
}

const defaultTolerance = 0.1;

function tolerancesOf({ spec }: StoredAutoscaler): Tolerances {
  const read = (value: string | number | undefined) =>
    value === undefined ? defaultTolerance : Number(wholeValue(parseQuantity(String(value)), -9)) / 1e9;
  return { down: read(spec.behavior?.scaleDown?.tolerance), up: read(spec.behavior?.scaleUp?.tolerance) };
}

function basisOf({ autoscaler, pods, specReplicas, now }: ProposalInput) {
  return { pods, currentReplicas: specReplicas, tolerances: tolerancesOf(autoscaler), now };
}

const milli = (value: string | number) => Number(wholeValue(parseQuantity(String(value)), -3));
const printMilli = (value: number, isBinary = false) =>
  printQuantity(milliQuantityOf(Math.round(value), isBinary ? 'BinarySI' : 'DecimalSI'));

/** Runs the calculation; what it throws is told as `reason`, in `words` that name the metric. */
function attempt<T>(reason: string, words: (problem: string) => string, inner: (problem: string) => string, calculate: () => T): T {
  try {
    return calculate();
  } catch (error) {
    const detail = inner(messageOf(error));
    throw new MetricError(reason, detail, words(detail));
  }
}

function resourceProposal(
  input: ProposalInput,
  { name, target }: { name: string; target: MetricTarget },
  container: string,
  reason: string,
): MetricProposal {
  const words = (problem: string) =>
    container === ''
      ? `failed to get ${name} resource metric value: ${problem}`
      : `failed to get ${container} container metric value: ${problem}`;
  const usageOf = () => {
    try {
      return input.source.resource(input.pods, name, container);
    } catch (error) {
      throw new Error(`unable to get metrics for resource ${name}: ${messageOf(error)}`, { cause: error });
    }
  };
  const { averageValue, averageUtilization } = target;
  const isByValue = averageValue !== undefined;
  const inner = (problem: string) => `failed to get ${name} ${isByValue ? 'usage' : 'utilization'}: ${problem}`;
  const proposal = attempt(reason, words, inner, () =>
    isByValue
      ? replicasForUsage(basisOf(input), usageOf(), milli(averageValue), name)
      : replicasForUtilization(basisOf(input), usageOf(), averageUtilization ?? 0, name, container),
  );
  const current: MetricValueStatus = {
    averageValue: printMilli(proposal.usage, name === 'memory'),
    ...(proposal.utilization !== undefined && { averageUtilization: proposal.utilization }),
  };
  const what = container === '' ? 'resource' : 'container resource';
  return {
    replicas: proposal.replicas,
    name: isByValue ? `${name} resource` : `${name} ${what} utilization (percentage of request)`,
    status:
      container === ''
        ? { type: 'Resource', resource: { name, current } }
        : { type: 'ContainerResource', containerResource: { name, container, current } },
  };
}

function podsProposal(input: ProposalInput, { metric, target }: NonNullable<MetricSpec['pods']>): MetricProposal {
  const words = (problem: string) => `failed to get pods metric value: ${problem}`;
  const inner = (problem: string) => `unable to get metric ${metric.name}: ${problem}`;
  const usage = attempt('FailedGetPodsMetric', words, inner, () => input.source.perPod(input.pods, metric.name));
  const same = (problem: string) => problem;
  const proposal = attempt('FailedGetPodsMetric', words, same, () =>
    replicasForUsage(basisOf(input), usage, milli(target.averageValue ?? 0), ''),
  );
  const current = { averageValue: printMilli(proposal.usage) };
  return { replicas: proposal.replicas, name: `pods metric ${metric.name}`, status: { type: 'Pods', pods: { metric, current } } };
}

function objectProposal(input: ProposalInput, { metric, target, describedObject }: NonNullable<MetricSpec['object']>): MetricProposal {
  const { api, source, autoscaler } = input;
  const { kind, name, apiVersion = 'v1' } = describedObject;
  const { namespace = '' } = autoscaler.metadata;
  const resource = api.catalog.findKind({ ...parseApiVersion(apiVersion), kind });
  const obj = resource && api.peek(resource, resource.namespaced ? namespace : '', name);
  const shared = target.averageValue === undefined ? '' : `failed to get ${metric.name} object metric: `;
  const words = (problem: string) => `failed to get object metric value: ${shared}${problem}`;
  const inner = (problem: string) => `unable to get metric ${metric.name}: ${kind} on ${namespace} ${name}/${problem}`;
  const usage = attempt('FailedGetObjectMetric', words, inner, () => source.ofObject(obj, metric.name));
  const { proposal, current } = shareOrTotal(input, usage, target, 'FailedGetObjectMetric', words);
  const called =
    target.value === undefined ? `external metric ${metric.name}(${printSelector(metric.selector)})` : `${kind} metric ${metric.name}`;
  return { replicas: proposal.replicas, name: called, status: { type: 'Object', object: { metric, describedObject, current } } };
}

function externalProposal(input: ProposalInput, { metric, target }: NonNullable<MetricSpec['external']>): MetricProposal {
  const { source, autoscaler } = input;
  const selector = printSelector(metric.selector);
  const step = target.averageValue === undefined ? `external metric ${metric.name}` : `${metric.name} external metric`;
  const words = (problem: string) => `failed to get ${metric.name} external metric value: failed to get ${step}: ${problem}`;
  const inner = (problem: string) =>
    `unable to get external metric ${autoscaler.metadata.namespace}/${metric.name}/${selector}: ${problem}`;
  const usage = attempt('FailedGetExternalMetric', words, inner, () => source.external(asObject(autoscaler), metric.name));
  const { proposal, current } = shareOrTotal(input, usage, target, 'FailedGetExternalMetric', words);
  return {
    replicas: proposal.replicas,
    name: `external metric ${metric.name}(${selector})`,
    status: { type: 'External', external: { metric, current } },
  };
}

function shareOrTotal(
  input: ProposalInput,
  usage: number,
  { averageValue, value }: MetricTarget,
  reason: string,
  words: (problem: string) => string,
): { proposal: Proposal; current: MetricValueStatus } {
  if (averageValue !== undefined) {
    const proposal = replicasForShare(input.statusReplicas, tolerancesOf(input.autoscaler), usage, milli(averageValue));
    return { proposal, current: { averageValue: printMilli(proposal.usage) } };
  }
  const same = (problem: string) => problem;
  const proposal = attempt(reason, words, same, () => replicasForTotal(basisOf(input), usage, milli(value ?? 0)));
  return { proposal, current: { value: printMilli(proposal.usage) } };
}

const printSelector = (selector: LabelSelector | undefined): string => (selector ? goSelector(selector) : 'nil');
