import { workReasons, type Work } from '../../api/work.ts';
import { manifestText } from '../../render/helm/render-chart.ts';
import { RenderError, type RenderedRelease, type RenderPool } from '../../render/render-pool.ts';
import { DeliveryError } from '../delivery/delivery-error.ts';

/** What a chart gave, as the patches of the Work make it. */
export async function patchRelease(
  renderer: Pick<RenderPool, 'patch'>,
  work: Work,
  rendered: RenderedRelease,
  signal: AbortSignal,
): Promise<RenderedRelease> {
  if (!hasPatches(work)) return rendered;
  const documents = rendered.manifests.map(({ content }) => content);
  const patched = await patchDocuments(renderer, work, documents, signal);
  const manifests = rendered.manifests.flatMap((one, i) => patched[i]!.map(content => ({ ...one, content: content.trimEnd() })));
  return { ...rendered, manifests, manifest: manifestText(manifests) };
}

/** Texts of YAML documents, as the patches of the Work make them. */
export async function patchDocuments(
  renderer: Pick<RenderPool, 'patch'>,
  { spec: { patches = [], release } }: Work,
  documents: readonly string[],
  signal: AbortSignal,
): Promise<readonly (readonly string[])[]> {
  try {
    return await renderer.patch({ documents, patches, namespace: release.namespace }, signal);
  } catch (cause) {
    if (!(cause instanceof RenderError)) throw cause;
    throw new DeliveryError(workReasons.renderFailed, 'the patches cannot be applied', { isFinal: cause.isFinal, cause });
  }
}

export const hasPatches = ({ spec }: Work): boolean => (spec.patches ?? []).length > 0;
