import type { KubeObject } from '../../../api/object.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.ts';
import { composeWork, keyOf, merged, nextWork } from './compose-work.ts';
import { isMarked, markKey } from './marks.ts';
import { specOf, withSpec } from './pod-template.ts';
import { unitLog } from './step-log.ts';
import type { NextWork, StepBegin, StepInput } from './step.ts';

interface Weights {
  readonly canary: number;
  readonly stable: number;
}

/** Moves shares of the requests between what is in production and the canary. */
export function beginTrafficSplit(input: StepInput): StepBegin {
  const { present, rendered, settings, book } = input;
  const { labelPrefix: prefix } = settings;
  const log = unitLog('Traffic Split');
  const failed = (message: string): StepBegin => ({ outcome: 'failed', message, lines: log.error(message).failed().lines });
  const weights = readWeights(input.with);
  if (!weights) return failed('The weights of canary and stable must be whole numbers from 0 to 100 that add up to 100');
  const routes = merged(rendered, present).filter(obj => isRoute(obj) && isMarked(obj, prefix, 'managed'));
  const [route, ...others] = routes;
  if (!route) return failed(`No VirtualService or HTTPRoute is annotated with ${markKey(prefix, 'managed')}: true`);
  if (others.length > 0) {
    const names = routes.map(({ kind, metadata }) => `${kind}/${metadata.name}`).join(', ');
    return failed(`Only one VirtualService or HTTPRoute may be annotated with ${markKey(prefix, 'managed')}: true. Found ${names}`);
  }
  const next = route.kind === 'HTTPRoute' ? splitHttpRoute(route, weights) : splitVirtualService(route, weights);
  if (!next) return failed(`${route.kind}/${route.metadata.name} has no destination of its own for the canary`);
  log.info(`Routing ${weights.stable}% to stable and ${weights.canary}% to canary by ${route.kind}/${route.metadata.name}`);
  return {
    outcome: 'deliver',
    ...nextWork(
      composeWork(
        merged(
          present.filter(obj => keyOf(obj) !== keyOf(route)),
          [next.route],
        ),
        book.records,
      ),
      {
        lines: log.lines,
        outputs: {
          virtualServiceName: route.metadata.name ?? '',
          canaryDestination: next.canary,
          stableDestination: next.stable,
        },
      },
    ),
    await: [],
  };
}

export function endTrafficSplit({ present, book }: StepInput, result: 'steady' | 'failed'): NextWork {
  const log = unitLog('Traffic Split');
  return nextWork(composeWork(present, book.records), { lines: (result === 'steady' ? log.done() : log.failed()).lines });
}

const isRoute = ({ kind, apiVersion }: KubeObject): boolean =>
  (kind === 'VirtualService' && apiVersion.startsWith('networking.istio.io/')) ||
  (kind === 'HTTPRoute' && apiVersion.startsWith('gateway.networking.k8s.io/'));

/** One may be given: the other has the rest. */
function readWeights(given: StepInput['with']): Weights | undefined {
  const [canary, stable] = [weightOf(given['canary']), weightOf(given['stable'])];
  if (canary === undefined && stable === undefined) return undefined;
  const weights = { canary: canary ?? 100 - stable!, stable: stable ?? 100 - canary! };
  return weights.canary + weights.stable === 100 ? weights : undefined;
}

function weightOf(value: unknown): number | undefined {
  const text = String(value ?? '').trim();
  if (!/^[0-9]{1,3}%?$/.test(text)) return undefined;
  const weight = Number.parseInt(text, 10);
  return weight <= 100 ? weight : Number.NaN;
}

interface SplitRoute {
  readonly route: KubeObject;
  readonly canary: string;
  readonly stable: string;
}

/** The subsets `canary` and `stable` of the host. Where a route names none, they are those of its first host. */
function splitVirtualService(route: KubeObject, { canary, stable }: Weights): SplitRoute | undefined {
  const { http } = specOf(route);
  let host: string | undefined;
  const routes = (Array.isArray(http) ? http : []).map((one: Json): Json => {
    if (!isJsonObject(one) || !Array.isArray(one['route'])) return one;
    const first = one['route']
      .filter(isJsonObject)
      .map(({ destination }) => destination)
      .find(isJsonObject);
    if (!first || typeof first['host'] !== 'string') return one;
    host ??= first['host'];
    const to = (subset: string, weight: number): JsonObject => ({ destination: { ...first, subset }, weight });
    return { ...one, route: [to('stable', stable), to('canary', canary)] };
  });
  if (host === undefined) return undefined;
  const said = (subset: string) => `host: ${host}\nsubset: ${subset}\n`;
  return { route: withSpec(route, { http: routes }), canary: said('canary'), stable: said('stable') };
}

/** An HTTPRoute knows no subsets: the canary has a Service of its own, whose name ends with `canary`. */
function splitHttpRoute(route: KubeObject, { canary, stable }: Weights): SplitRoute | undefined {
  const { rules } = specOf(route);
  const names: { canary?: string; stable?: string } = {};
  const next = (Array.isArray(rules) ? rules : []).map((rule: Json): Json => {
    const refs = isJsonObject(rule) && Array.isArray(rule['backendRefs']) ? rule['backendRefs'].filter(isJsonObject) : [];
    if (!isJsonObject(rule) || refs.length !== 2 || refs.filter(isCanary).length !== 1) return rule;
    for (const ref of refs) names[isCanary(ref) ? 'canary' : 'stable'] ??= String(ref['name']);
    return { ...rule, backendRefs: refs.map(ref => ({ ...ref, weight: isCanary(ref) ? canary : stable })) };
  });
  if (names.canary === undefined || names.stable === undefined) return undefined;
  return { route: withSpec(route, { rules: next }), canary: names.canary, stable: names.stable };
}

const isCanary = ({ name }: JsonObject): boolean => typeof name === 'string' && /(^|-)canary$/.test(name);
