import { schemaOf, type GroupVersionKind, type OpenApiDocument } from '../../../api/openapi-schema.ts';
import { request } from '../../data/request.ts';
import type { KindSchema } from './schema-fields.ts';

const known = new Map<string, Promise<OpenApiDocument>>();

/** What a cluster says about the fields of a kind. Undefined when it says nothing. */
export async function kindSchema(cluster: string, gvk: GroupVersionKind): Promise<KindSchema | undefined> {
  const { group, version } = gvk;
  const path = `/k8s/clusters/${encodeURIComponent(cluster)}/openapi/v3/${group === '' ? `api/${version}` : `apis/${group}/${version}`}`;
  let answer = known.get(path);
  if (!answer) {
    known.set(path, (answer = request<OpenApiDocument>(path)));
    answer.catch(() => known.delete(path));
  }
  try {
    const document = await answer;
    const schema = schemaOf(document, gvk);
    return schema && { document, schema };
  } catch {
    return undefined;
  }
}
