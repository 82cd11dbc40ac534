import { StatusError } from '../../api/status.ts';
import { apiPath } from '../../client/api-path.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { readJson } from '../../client/read-answer.ts';
import { isJsonObject, type JsonObject } from '../../util/json.ts';
import type { ApiSource } from '../resources/api-source.ts';
import type { ApiResource } from '../../client/api-resources.ts';

export type Form = 'table' | 'objects';

export interface Query {
  readonly namespace: string;
  readonly allNamespaces: boolean;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly form: Form;
  /** Rows come with whole objects, not only with their metadata. */
  readonly wholeObjects?: boolean;
  /** 0: all at once. */
  readonly chunkSize: number;
}

/** The query as it is put to one API. */
export const queryFor = ({ namespace }: Pick<ApiSource, 'namespace'>, query: Query): Query =>
  namespace === undefined ? query : { ...query, namespace, allNamespaces: false };

export const accepts: Readonly<Record<Form, string>> = {
  table: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json',
  objects: 'application/json',
};

/** The pages of a list, each a Table or a list of objects. */
export async function fetchList(client: KubeClient, resource: ApiResource, query: Query, signal: AbortSignal): Promise<JsonObject[]> {
  const { allNamespaces, namespace, labelSelector, fieldSelector, chunkSize } = query;
  const pages: JsonObject[] = [];
  let token: string | undefined;
  do {
    const path = apiPath(
      resource,
      { namespace: allNamespaces ? undefined : namespace },
      { ...tableQuery(query), labelSelector, fieldSelector, limit: chunkSize || undefined, continue: token },
    );
    try {
      pages.push(await fetchObject(client, path, query.form, signal));
    } catch (error) {
      // The pages took so long that the server has forgotten where they began.
      const isForgotten = token !== undefined && error instanceof StatusError && error.code === 410;
      if (!isForgotten) throw error;
      return fetchList(client, resource, { ...query, chunkSize: 0 }, signal);
    }
    const { metadata } = pages.at(-1)!;
    token = isJsonObject(metadata) && typeof metadata['continue'] === 'string' ? metadata['continue'] : undefined;
  } while (token !== undefined && token !== '');
  return pages;
}

/** One object, or a Table with one row. */
export function fetchNamed(
  client: KubeClient,
  resource: ApiResource,
  name: string,
  query: Query,
  signal: AbortSignal,
): Promise<JsonObject> {
  return fetchObject(client, apiPath(resource, { namespace: query.namespace, name }, tableQuery(query)), query.form, signal);
}

export function tableQuery({ form, wholeObjects }: Query): Record<string, string> {
  return form === 'table' && wholeObjects ? { includeObject: 'Object' } : {};
}

async function fetchObject(client: KubeClient, path: string, form: Form, signal: AbortSignal): Promise<JsonObject> {
  const value = await readJson(await client.request({ method: 'GET', path, headers: { accept: accepts[form] }, signal }));
  if (!isJsonObject(value)) throw new Error(`${path} did not answer with an object`);
  return value;
}
