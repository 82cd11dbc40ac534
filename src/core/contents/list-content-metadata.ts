import { Content } from '../../api/content.ts';
import { apiVersionOf, type ObjectMeta } from '../../api/object.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { readJson } from '../../client/read-answer.ts';

const pageTimeoutMs = 60_000;

/** The metadata of Contents: their bytes are not needed to tell which they are. */
export async function listContentMetadata(
  hub: KubeClient,
  { labelSelector, signal }: { labelSelector?: string; signal: AbortSignal },
): Promise<ObjectMeta[]> {
  const found: ObjectMeta[] = [];
  for (let token = ''; ;) {
    const query = new URLSearchParams({
      limit: '500',
      ...(labelSelector !== undefined && { labelSelector }),
      ...(token !== '' && { continue: token }),
    });
    const res = await hub.request({
      method: 'GET',
      path: `/apis/${apiVersionOf(Content)}/${Content.resource}?${query.toString()}`,
      headers: { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(pageTimeoutMs)]),
    });
    const page = (await readJson(res)) as { items?: { metadata: ObjectMeta }[]; metadata?: { continue?: string } };
    found.push(...(page.items ?? []).map(({ metadata }) => metadata));
    token = page.metadata?.continue ?? '';
    if (token === '') return found;
  }
}
