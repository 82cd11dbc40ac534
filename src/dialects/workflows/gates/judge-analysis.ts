import { isGateOver, type GatePhase } from '../../../core/gates/gate-phase.ts';
import {
  counted,
  judgeTally,
  measuredBy,
  measurementsOf,
  nextMeasureMs,
  worstPhase,
  type Tally,
} from '../../../core/gates/judge-metric.ts';
import { conditionHolds } from '../../../core/gates/metric-condition.ts';
import { countOf } from '../../../core/rollouts/rollout-limits.ts';
import { isJsonObject, type JsonObject } from '../../../util/json.ts';
import type { ExpressionScope } from '../expressions/evaluate.ts';
import { renderText } from '../expressions/render-text.ts';
import type { GateTemplate, Metric } from '../kinds/gate.ts';
import type { GateCluster } from './gate-desk.ts';
import { startedMs } from './gate-state.ts';
import type { Judging, Verdict } from './judge.ts';
import { packTally, rulesOf, unpackTally } from './metric-rules.ts';

/** What a measurement needs to know. */
export interface Measurement {
  readonly namespace: string;
  readonly metric: Metric;
  /** Undefined: it is made once for all. */
  readonly cluster: GateCluster | undefined;
  readonly scope: ExpressionScope;
}

export type Measure = (measurement: Measurement, signal: AbortSignal) => Promise<{ readonly value: unknown }>;

interface Place {
  readonly metric: Metric;
  readonly cluster: GateCluster | undefined;
  readonly scope: ExpressionScope;
}

/** Makes the measurements of a template and judges them. */
export function judgeAnalysis(judging: Judging, template: GateTemplate | undefined, measure: Measure): Verdict {
  const { gate, request, state, nowMs } = judging;
  if (!template) return { phase: 'Error', message: `There is no GateTemplate ${gate.templateRef ?? ''}` };
  const before = isJsonObject(state['tallies']) ? state['tallies'] : {};
  const tallies: JsonObject = {};
  const troubles: string[] = [];
  let wakeMs = Infinity;
  const phases = template.spec.metrics.map(metric => {
    const isEach = metric.scope === 'EachCluster';
    const places: Place[] = isEach
      ? request.clusters.map(cluster => ({ metric, cluster, scope: withArgs(judging, template, request.scopeOf(cluster)) }))
      : [{ metric, cluster: undefined, scope: withArgs(judging, template, request.scope) }];
    const judged = places.map(place => lookAt(place));
    const phase = isEach ? judgeClusters(judged, countOf(gate.maxFailures ?? 0, places.length, 0)) : judged[0]!;
    if (isGateOver(phase) && phase !== 'Successful') troubles.push(`${metric.name} is ${phase}`);
    return metric.dryRun === true && isGateOver(phase) ? 'Successful' : phase;
  });
  const phase = worstPhase(phases);
  return {
    phase,
    ...(troubles.length > 0 && { message: troubles.join(', ') }),
    state: { tallies },
    ...(phase === 'Running' && Number.isFinite(wakeMs) && { wakeAt: new Date(wakeMs) }),
  };

  function lookAt(place: Place): GatePhase {
    const { metric, cluster } = place;
    const key = cluster ? `${metric.name} ${cluster.id}` : metric.name;
    const rules = rulesOf(metric);
    let tally = unpackTally(before[key]);
    const dueMs = nextMeasureMs(tally, rules, { startedMs: startedMs(state), nowMs });
    if (judgeTally(tally, rules) === 'Running' && nowMs >= dueMs) tally = measured(place, key, tally);
    tallies[key] = packTally(tally);
    const phase = judgeTally(tally, rules);
    const nextMs = nextMeasureMs(tally, rules, { startedMs: startedMs(state), nowMs });
    if (phase === 'Running' && nextMs > nowMs) wakeMs = Math.min(wakeMs, nextMs);
    return phase;
  }

  function measured({ metric, cluster, scope }: Place, key: string, tally: Tally): Tally {
    const { namespace } = request.run;
    const found = judging.ask(key, measurementsOf(tally) + 1, signal => measure({ namespace, metric, cluster, scope }, signal));
    if (!found) return tally;
    return counted(tally, verdictOf(metric, found), nowMs);
  }
}

function verdictOf({ successCondition, failureCondition }: Metric, found: { readonly value: unknown } | Error) {
  if (found instanceof Error) return 'Error';
  const holds = (condition: string | undefined) => (condition === undefined ? undefined : conditionHolds(condition, found.value));
  try {
    return measuredBy(holds(successCondition), holds(failureCondition));
  } catch {
    return 'Error';
  }
}

/** So many clusters may fail or not be measured; one that is inconclusive is for people. */
export function judgeClusters(phases: readonly GatePhase[], maxFailures: number): GatePhase {
  const bad = phases.filter(phase => phase === 'Failed' || phase === 'Error');
  if (bad.length > maxFailures) return bad.includes('Failed') ? 'Failed' : 'Error';
  if (phases.includes('Inconclusive')) return 'Inconclusive';
  return phases.every(isGateOver) ? 'Successful' : 'Running';
}

/** `${args.<name>}` of a template. */
function withArgs({ gate, request }: Judging, { spec }: GateTemplate, scope: ExpressionScope): ExpressionScope {
  return path => {
    if (!path.startsWith('args.')) return scope(path);
    const name = path.slice('args.'.length);
    const text = gate.args?.[name] ?? spec.args?.find(arg => arg.name === name)?.value;
    return text === undefined ? undefined : renderText(text, request.scope);
  };
}
