import { request } from '../../data/request.ts';
import type { Schema } from './schema-fields.ts';

interface OpenApi {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema & Record<string, unknown>>> };
}

const known = new Map<string, Promise<OpenApi>>();

/** What a cluster says about the fields of a kind. Undefined when it says nothing. */
export async function schemaOf(
  cluster: string,
  { group, version, kind }: { readonly group: string; readonly version: string; readonly kind: string },
): Promise<Schema | undefined> {
  const path = `/k8s/clusters/${encodeURIComponent(cluster)}/openapi/v3/${group === '' ? `api/${version}` : `apis/${group}/${version}`}`;
  let answer = known.get(path);
  if (!answer) {
    known.set(path, (answer = request<OpenApi>(path)));
    answer.catch(() => known.delete(path));
  }
  try {
    const schemas = (await answer).components?.schemas ?? {};
    const found = Object.values(schemas).find(one =>
      (one['x-kubernetes-group-version-kind'] as { group: string; version: string; kind: string }[] | undefined)?.some(
        gvk => gvk.group === group && gvk.version === version && gvk.kind === kind,
      ),
    );
    return found && { ...found, root: schemas };
  } catch {
    return undefined;
  }
}
