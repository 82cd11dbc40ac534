import type { Kind } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { Credential } from '../kinds/management.ts';
import type { ClusterTemplate, ServiceTemplate, ServiceTemplateChain } from '../kinds/template.ts';

/** Whether its controller has made up its mind. While the bytes are on their way it has not. */
export const isTemplateJudged = ({ status }: ServiceTemplate | ClusterTemplate): boolean =>
  status?.valid === true || (status?.validationError !== undefined && status.validationError !== 'Source is not ready');
export const isChainJudged = ({ status }: ServiceTemplateChain): boolean => status?.observedGeneration !== undefined;
export const isCredentialJudged = ({ status }: Credential): boolean => status?.ready === true || (status?.conditions ?? []).length > 0;

/**
 * The object, once its controller has looked at it: who applies a template and a ClusterDeployment together means both. When the patience ends first, as it
 * is then.
 */
export async function getJudged<Spec, Status>(
  hub: KubeClient,
  kind: Kind<Spec, Status>,
  key: { namespace?: string; name: string },
  options: { isJudged(obj: KubeObject & { spec: Spec; status?: Status }): boolean; patience: AbortSignal; signal: AbortSignal },
): Promise<(KubeObject & { spec: Spec; status?: Status }) | undefined> {
  const { isJudged, patience, signal } = options;
  const found = await hub.get(kind, key, { signal });
  if (!found || isJudged(found) || patience.aborted) return found;
  const events = hub.watch(kind, {
    ...(key.namespace !== undefined && { namespace: key.namespace }),
    fieldSelector: `metadata.name=${key.name}`,
    resourceVersion: found.metadata.resourceVersion ?? '',
    signal: AbortSignal.any([signal, patience]),
  });
  try {
    for await (const event of events) {
      if (event.type === 'DELETED' || event.type === 'EXPIRED') break;
      if (event.type === 'MODIFIED' && isJudged(event.object)) return event.object;
    }
  } catch (error) {
    if (!patience.aborted || signal.aborted) throw error;
  }
  return hub.get(kind, key, { signal });
}
