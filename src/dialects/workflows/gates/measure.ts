import { Secret } from '../../../api/builtin-kinds.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { fetchApiResources } from '../../../client/api-resources.ts';
import type { MemberDirectory } from '../../../core/clusters/member-directory.ts';
import type { Egress } from '../../../sources/egress.ts';
import { compileJsonPath } from '../../../util/jsonpath.ts';
import { isJsonObject, parseJson, type Json } from '../../../util/json.ts';
import { renderText } from '../expressions/render-text.ts';
import type { Metric } from '../kinds/gate.ts';
import { askHttp } from './ask-http.ts';
import type { Measure, Measurement } from './judge-analysis.ts';

export interface MeasureDeps {
  readonly hub: KubeClient;
  readonly members: Pick<MemberDirectory, 'client'>;
  readonly egress: Egress;
}

type Providers = Metric['provider'];
const timeoutMs = 30_000;

/** Makes measurements. They throw when they do not come about. */
export function measurer({ hub, members, egress }: MeasureDeps): Measure {
  return async (measurement, stop) => {
    const { prometheus, web, kubernetes } = measurement.metric.provider;
    const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]);
    if (prometheus) return { value: await queryPrometheus(prometheus, measurement, signal) };
    if (web) return { value: await readWeb(web, measurement, signal) };
    if (kubernetes) return { value: await readObject(kubernetes, measurement, signal) };
    throw new Error(`the metric "${measurement.metric.name}" has no provider`);
  };

  async function queryPrometheus(prometheus: NonNullable<Providers['prometheus']>, { namespace, scope }: Measurement, signal: AbortSignal) {
    const address = renderText(prometheus.address, scope).replace(/\/+$/, '');
    const query = new URLSearchParams({ query: renderText(prometheus.query, scope) });
    const headers = await headersOf(namespace, prometheus.headersSecretRef?.name, signal);
    return readSamples(await fetchJson(`${address}/api/v1/query?${query.toString()}`, headers, signal));
  }

  async function readWeb(
    { url, jsonPath, headersSecretRef }: NonNullable<Providers['web']>,
    { namespace, scope }: Measurement,
    signal: AbortSignal,
  ) {
    const headers = await headersOf(namespace, headersSecretRef?.name, signal);
    return partOf(await fetchJson(renderText(url, scope), headers, signal), jsonPath);
  }

  async function readObject(
    { resource, jsonPath }: NonNullable<Providers['kubernetes']>,
    { cluster, namespace, scope }: Measurement,
    signal: AbortSignal,
  ) {
    const client = cluster ? members.client(cluster.name) : hub;
    const ref = parseResource(renderText(resource, scope));
    const kinds = await fetchApiResources(client, signal);
    const kind = kinds.find(one => one.kind === ref.kind && (ref.group === undefined || one.group === ref.group));
    if (!kind) throw new Error(`there is no kind "${ref.kind}"`);
    const place = kind.scope === 'Namespaced' ? { namespace: ref.namespace ?? namespace } : {};
    const obj = await client.get(kind, { ...place, name: ref.name }, { signal });
    if (!obj) throw new Error(`there is no ${ref.kind} "${ref.name}"`);
    return partOf(obj as unknown as Json, jsonPath);
  }

  async function fetchJson(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<Json> {
    const { code, body } = await askHttp(egress, { url, method: 'GET', headers: { accept: 'application/json', ...headers } }, signal);
    if (code < 200 || code > 299) throw new Error(`the answer was ${code}`);
    return parseJson(body);
  }

  async function headersOf(namespace: string, name: string | undefined, signal: AbortSignal): Promise<Record<string, string>> {
    if (name === undefined) return {};
    const secret = await hub.get(Secret, { namespace, name }, { signal });
    if (!secret) throw new Error(`there is no Secret "${name}"`);
    return Object.fromEntries(
      Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8').trim()]),
    );
  }
}

/** `[namespace/]Kind[.group]/name`. Throws when it is something else. */
export function parseResource(text: string): { namespace?: string; kind: string; group?: string; name: string } {
  const [, namespace, kind, group, name] = /^(?:([^/]+)\/)?([A-Za-z0-9]+)(?:\.([^/]+))?\/([^/]+)$/.exec(text.trim()) ?? [];
  if (kind === undefined || name === undefined) throw new Error(`"${text}" is not of the form [namespace/]Kind/name`);
  return { kind, name, ...(namespace !== undefined && { namespace }), ...(group !== undefined && { group }) };
}

/** The numbers of an answer of Prometheus: a scalar as one, a vector as a list. Throws for anything else. */
export function readSamples(answer: Json): number | number[] {
  const data = isJsonObject(answer) && isJsonObject(answer['data']) ? answer['data'] : undefined;
  if (!isJsonObject(answer) || answer['status'] !== 'success' || !data) throw new Error('Prometheus did not answer with a result');
  const { resultType, result } = data;
  if (resultType === 'scalar' && Array.isArray(result)) return sample(result);
  if (resultType !== 'vector' || !Array.isArray(result)) throw new Error(`the result is a ${String(resultType)}, not a scalar or a vector`);
  return result.map(one => sample(isJsonObject(one) ? one['value'] : undefined));
}

function sample(pair: Json | undefined): number {
  const [, text] = Array.isArray(pair) ? pair : [];
  if (typeof text !== 'string') throw new Error('Prometheus answered with something else than samples');
  const named: Readonly<Record<string, number>> = { '+Inf': Infinity, '-Inf': -Infinity, NaN };
  const value = named[text] ?? Number(text);
  if (Number.isNaN(value) && text !== 'NaN') throw new Error(`"${text}" is no number`);
  return value;
}

/** One value as itself, several as a list. */
export function partOf(value: Json, jsonPath: string | undefined): Json {
  if (jsonPath === undefined || jsonPath === '') return value;
  const found = compileJsonPath(jsonPath).find(value).flat();
  return found.length === 1 ? found[0]! : found;
}
