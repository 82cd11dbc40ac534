import { withType } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import { apiPath } from '../../../client/api-path.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { readJson } from '../../../client/read-answer.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.ts';
import type { SteveType } from './steve-type.ts';

/** An object with the columns that its server prints for it. */
export interface Row {
  readonly object: KubeObject;
  readonly cells: readonly Json[];
}

export interface Table {
  readonly rows: readonly Row[];
  readonly resourceVersion: string;
  readonly continueToken: string | undefined;
  /** How many there are in all, when the server says so. */
  readonly total: number | undefined;
}

export interface TableRequest {
  readonly namespace?: string | undefined;
  readonly name?: string;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly limit?: number;
  readonly continueToken?: string | undefined;
}

const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const answerTimeoutMs = 30_000;
const pageRows = 1000;

/** A list in several answers, none of them so large that the hub does nothing else meanwhile. At most `limit` rows; all when it is absent. */
export async function fetchRows(client: KubeClient, type: SteveType, request: TableRequest, signal: AbortSignal): Promise<Table> {
  const { limit = Infinity } = request;
  const rows: Row[] = [];
  let { continueToken } = request;
  for (;;) {
    const page = await fetchTable(client, type, { ...request, continueToken, limit: Math.min(pageRows, limit - rows.length) }, signal);
    rows.push(...page.rows);
    ({ continueToken } = page);
    if (continueToken === undefined || rows.length >= limit) {
      const total = page.total === undefined ? undefined : page.total + rows.length - page.rows.length;
      return { ...page, rows, total };
    }
  }
}

/** Objects and their columns in one answer. Servers that make no tables give objects without columns. */
export async function fetchTable(client: KubeClient, type: SteveType, request: TableRequest, signal: AbortSignal): Promise<Table> {
  const { namespace, name, labelSelector, fieldSelector, limit, continueToken } = request;
  const query = { includeObject: 'Object', labelSelector, fieldSelector, limit, continue: continueToken };
  const path = apiPath(type, { namespace, name }, name === undefined ? query : { includeObject: 'Object' });
  const answer = await readJson(await client.request({ method: 'GET', path, headers: { accept }, answerTimeoutMs, signal }));
  if (!isJsonObject(answer)) throw new Error(`${path} did not answer with an object`);
  const metadata = isJsonObject(answer['metadata']) ? answer['metadata'] : {};
  const rows = rowsOf(answer, type);
  const remaining = metadata['remainingItemCount'];
  const next = metadata['continue'];
  const isMore = typeof next === 'string' && next !== '';
  return {
    rows,
    resourceVersion: typeof metadata['resourceVersion'] === 'string' ? metadata['resourceVersion'] : '',
    continueToken: isMore ? next : undefined,
    total: isMore ? (typeof remaining === 'number' ? rows.length + remaining : undefined) : rows.length,
  };
}

/** The rows of a Table; objects that came without one have no columns. */
export function rowsOf(answer: JsonObject, type: SteveType): Row[] {
  if (answer['kind'] !== 'Table') {
    const items = Array.isArray(answer['items']) ? answer['items'] : answer['kind'] === type.kind ? [answer] : [];
    return items.filter(isJsonObject).map(item => ({ object: typed(item, type), cells: [] }));
  }
  return (Array.isArray(answer['rows']) ? answer['rows'] : []).filter(isJsonObject).flatMap(({ object, cells }) => {
    if (!isJsonObject(object)) return [];
    return [{ object: typed(object, type), cells: Array.isArray(cells) ? cells : [] }];
  });
}

const typed = (obj: JsonObject, type: SteveType) => withType(type, obj) as unknown as KubeObject;
