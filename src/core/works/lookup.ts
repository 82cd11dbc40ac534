import { parseApiVersion } from '../../api/object.ts';
import type { RenderJob } from '../../render/render-pool.ts';
import type { JsonObject } from '../../util/json.ts';
import type { Member } from '../delivery/member.ts';

/** Answers what charts ask the member by `lookup`, as Helm does: nothing is found where there is no such kind or object. */
export function lookupOn(member: Member): NonNullable<RenderJob['lookup']> {
  return async (apiVersion, kind, namespace, name, signal) => {
    const found = await member.kinds.find({ ...parseApiVersion(apiVersion), kind }, signal);
    if (!found) return {};
    const place = found.scope === 'Namespaced' && namespace !== '' ? { namespace } : {};
    if (name !== '') return ((await member.client.get(found, { ...place, name }, { signal })) ?? {}) as unknown as JsonObject;
    const { items, resourceVersion } = await member.client.list(found, { ...place, signal });
    return { apiVersion, kind: `${kind}List`, metadata: { resourceVersion }, items } as unknown as JsonObject;
  };
}
