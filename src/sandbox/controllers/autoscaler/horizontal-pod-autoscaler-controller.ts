import type { AutoscalingV2HorizontalPodAutoscaler, Pod } from '../../../api/kubernetes.ts';
import { parseApiVersion, qualifiedResource } from '../../../api/object.ts';
import type { Change } from '../../../apiserver/cluster-api.ts';
import { parseLabelSelector } from '../../../apiserver/validation/label-selector.ts';
import type { Outcome } from '../../../runtime/work-queue.ts';
import { jsonEqual } from '../../../util/json.ts';
import { limitSize, rememberRecommendation, rememberScale, type AutoscalerHistory, type LimitInput } from './autoscaler-limits.ts';
import { annotatedMetrics, type MetricSource } from './autoscaler-metrics.ts';
import { MetricError, proposalOf, type StoredAutoscaler } from './autoscaler-proposals.ts';
import { AutoscalerReport } from './autoscaler-status.ts';
import type { ControllerContext, ControllerDefinition, FedController } from '../controller-definition.ts';
import type { StoredPod } from '../pod-state.ts';
import { findScale, writeScale, type ScaleTarget } from '../scale-target.ts';
import { asStored, keyOf, splitKey } from '../stored-object.ts';
import { autoscalers, deployments, fieldManager, pods, replicaSets, replicationControllers, statefulSets } from '../workload-resources.ts';
import { isConflict, messageOf } from '../write-errors.ts';

/** As often as the real controller looks; ours looks only while time alone can change its mind. */
const lookEveryMs = 15_000;
/** Changes that come in quick succession are judged together. */
const gatherMs = 1000;

/** Kinds whose changes are heard; for any other target only looking helps. */
const targets = [deployments, replicaSets, statefulSets, replicationControllers];
const isHeardOf = (kind: string) => targets.some(target => target.kind === kind);

export const horizontalPodAutoscalerController: ControllerDefinition = {
  name: 'horizontal-pod-autoscaler',
  reconciles: [autoscalers],
  watches: [pods, ...targets],
  start: ctx => startAutoscaler(ctx, annotatedMetrics),
};

/** Gives workloads as many replicas as their metrics ask for. */
export function startAutoscaler(ctx: ControllerContext, source: MetricSource): FedController {
  const { api } = ctx;
  const recorder = ctx.recorder('horizontal-pod-autoscaler');
  const histories = new Map<string, AutoscalerHistory>();
  const notBefore = new Map<string, number>();
  const queue = ctx.queue({ reconcile });
  for (const obj of api.peekAll(autoscalers)) queue.add(keyOf(obj));

  return {
    observe(change) {
      if (change.resource.resource === autoscalers.resource) {
        if (!isOwnWrite(change)) queue.add(`${change.namespace}/${change.name}`);
        return;
      }
      if (api.count(autoscalers, change.namespace) === 0) return;
      for (const obj of api.peekAll(autoscalers, change.namespace)) lookAgain(keyOf(obj));
    },
    idle: () => queue.idle(),
    [Symbol.dispose]: () => queue[Symbol.dispose](),
  };

  // What a rescale brings about must settle before it is judged.
  function lookAgain(key: string): void {
    const waitMs = (notBefore.get(key) ?? 0) - ctx.now().getTime();
    if (waitMs > 0) queue.addAfter(key, waitMs);
    else queue.add(key);
  }

  async function reconcile(key: string): Promise<Outcome> {
    const { namespace, name } = splitKey(key);
    const obj = api.peek(autoscalers, namespace, name);
    if (!obj) {
      histories.delete(key);
      notBefore.delete(key);
      return;
    }
    const autoscaler = asStored<AutoscalingV2HorizontalPodAutoscaler>(obj);
    const report = new AutoscalerReport(autoscaler, ctx.now());
    notBefore.set(key, ctx.now().getTime() + gatherMs);
    const isUnsettled = await judge(key, autoscaler, report);
    const status = report.status();
    if (!jsonEqual(status, obj['status'])) await api.update(autoscalers, { ...obj, status }, { subresource: 'status', fieldManager });
    return isUnsettled ? { requeueAfterMs: lookEveryMs } : undefined;
  }

  /** True when time alone may lead to another verdict. */
  async function judge(key: string, autoscaler: StoredAutoscaler, report: AutoscalerReport): Promise<boolean> {
    const target = readTarget(autoscaler, report);
    const isUnseen = !isHeardOf(autoscaler.spec.scaleTargetRef.kind);
    if (!target) return isUnseen;
    const { replicas: current } = target;
    report.currentReplicas = current;
    report.metrics = undefined;
    const history = historyOf(key, current);
    const { minReplicas: min = 1, maxReplicas: max, behavior } = autoscaler.spec;
    if (current === 0) {
      report.set('ScalingActive', 'False', 'ScalingDisabled', 'scaling is disabled since the replica count of the target is zero');
      report.desiredReplicas = 0;
      return isUnseen;
    }
    const input: LimitInput = { current, desired: current, min, max, behavior, nowMs: ctx.now().getTime() };
    if (current > max)
      return rescale(key, autoscaler, target, report, { ...input, desired: max }, 'Current number of replicas above Spec.MaxReplicas');
    if (current < min)
      return rescale(key, autoscaler, target, report, { ...input, desired: min }, 'Current number of replicas below Spec.MinReplicas');

    const proposal = propose(autoscaler, target, report);
    if (!proposal) return isUnseen;
    const wanted = { ...input, desired: proposal.replicas };
    const limited = limitSize(wanted, history);
    rememberRecommendation(history, wanted);
    report.set('AbleToScale', 'True', limited.able.reason, limited.able.message);
    report.set('ScalingLimited', limited.limited.isLimited ? 'True' : 'False', limited.limited.reason, limited.limited.message);
    if (limited.replicas === current) {
      report.desiredReplicas = current;
      return limited.isHeld || isUnseen;
    }
    const reason = proposal.replicas > current ? `${proposal.name} above target` : 'All metrics below target';
    return rescale(key, autoscaler, target, report, { ...wanted, desired: limited.replicas }, reason);
  }

  function historyOf(key: string, current: number): AutoscalerHistory {
    const known = histories.get(key);
    if (known) return known;
    const fresh = { recommendations: [{ replicas: current, atMs: ctx.now().getTime() }], scaledUp: [], scaledDown: [] };
    histories.set(key, fresh);
    return fresh;
  }

  function readTarget(autoscaler: StoredAutoscaler, report: AutoscalerReport): ScaleTarget | undefined {
    const { scaleTargetRef } = autoscaler.spec;
    try {
      const target = findScale(api, autoscaler.metadata.namespace ?? '', scaleTargetRef);
      if (target) {
        report.set('AbleToScale', 'True', 'SucceededGetScale', "the HPA controller was able to get the target's current scale");
        return target;
      }
      throw new Error(`${targetName(scaleTargetRef)} not found`);
    } catch (error) {
      recorder.record(autoscaler, 'Warning', 'FailedGetScale', messageOf(error));
      const message = `the HPA controller was unable to get the target's current scale: ${messageOf(error)}`;
      report.set('AbleToScale', 'False', 'FailedGetScale', message);
      return undefined;
    }
  }

  function targetName({ apiVersion = 'v1', kind, name }: StoredAutoscaler['spec']['scaleTargetRef']): string {
    const resource = api.catalog.findKind({ ...parseApiVersion(apiVersion), kind });
    return `${resource ? qualifiedResource(resource) : kind} ${JSON.stringify(name)}`;
  }

  function propose(autoscaler: StoredAutoscaler, target: ScaleTarget, report: AutoscalerReport) {
    const selected = selectPods(autoscaler, target, report);
    if (!selected) return undefined;
    const metrics = autoscaler.spec.metrics ?? [];
    const failures: MetricError[] = [];
    let best: { replicas: number; name: string } | undefined;
    report.metrics = metrics.map(metric => {
      try {
        const input = {
          api,
          source,
          autoscaler,
          pods: selected,
          specReplicas: target.replicas,
          statusReplicas: target.statusReplicas,
          now: ctx.now(),
        };
        const proposal = proposalOf(input, metric);
        if (!best || proposal.replicas > best.replicas) best = proposal;
        return proposal.status;
      } catch (error) {
        if (!(error instanceof MetricError)) throw error;
        recorder.record(autoscaler, 'Warning', error.reason, error.detail);
        failures.push(error);
        return { type: '' };
      }
    });
    const [failure] = failures;
    // With a metric missing it may be that fewer are enough, but not that more are needed.
    if (failure && (!best || best.replicas < target.replicas)) {
      report.set('ScalingActive', 'False', failure.reason, `the HPA was unable to compute the replica count: ${failure.detail}`);
      const message = `invalid metrics (${failures.length} invalid out of ${metrics.length}), first error is: ${failure.message}`;
      recorder.record(autoscaler, 'Warning', 'FailedComputeMetricsReplicas', message);
      return undefined;
    }
    if (!best) return undefined;
    report.set('ScalingActive', 'True', 'ValidMetricFound', `the HPA was able to successfully calculate a replica count from ${best.name}`);
    return best;
  }

  function selectPods(autoscaler: StoredAutoscaler, { selector }: ScaleTarget, report: AutoscalerReport): StoredPod[] | undefined {
    if (selector === '') {
      recorder.record(autoscaler, 'Warning', 'SelectorRequired', 'selector is required');
      recorder.record(autoscaler, 'Warning', 'FailedComputeMetricsReplicas', 'selector is required');
      report.set('ScalingActive', 'False', 'InvalidSelector', "the HPA target's scale is missing a selector");
      return undefined;
    }
    const parsed = parseLabelSelector(selector);
    return api
      .peekAll(pods, autoscaler.metadata.namespace)
      .filter(pod => parsed.matches(pod.metadata.labels))
      .map(pod => asStored<Pod>(pod));
  }

  async function rescale(
    key: string,
    autoscaler: StoredAutoscaler,
    target: ScaleTarget,
    report: AutoscalerReport,
    input: LimitInput,
    reason: string,
  ): Promise<boolean> {
    const size = input.desired;
    notBefore.set(key, input.nowMs + lookEveryMs);
    try {
      await writeScale(api, target, size);
    } catch (error) {
      if (isConflict(error)) throw error;
      recorder.record(autoscaler, 'Warning', 'FailedRescale', `New size: ${size}; reason: ${reason}; error: ${messageOf(error)}`);
      const message = `the HPA controller was unable to update the target scale: ${messageOf(error)}`;
      report.set('AbleToScale', 'False', 'FailedUpdateScale', message);
      return true;
    }
    report.set('AbleToScale', 'True', 'SucceededRescale', `the HPA controller was able to update the target scale to ${size}`);
    recorder.record(autoscaler, 'Normal', 'SuccessfulRescale', `New size: ${size}; reason: ${reason}`);
    rememberScale(historyOf(key, input.current), input, size);
    report.desiredReplicas = size;
    report.isRescaled = true;
    return true;
  }
}

/** Only the status changed: that was us. */
function isOwnWrite({ type, obj, old }: Change): boolean {
  if (type !== 'MODIFIED' || !old) return false;
  return jsonEqual(old['spec'], obj['spec']) && jsonEqual(old.metadata.annotations, obj.metadata.annotations);
}
