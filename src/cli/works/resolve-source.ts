import type { Work } from '../../api/work.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { readContent } from '../../core/contents/read-content.ts';
import { fetchContent, hubRepository } from '../../core/sources/fetch-content.ts';
import { readCredentials } from '../../core/sources/read-credentials.ts';
import { sourceOf, wantedContent, type WorkSource } from '../../core/sources/wanted-content.ts';
import { createEgress } from '../../sources/egress.ts';
import { fetchChart } from '../../sources/fetch-chart.ts';
import { fetchFolder } from '../../sources/fetch-folder.ts';
import { createSourceCaches } from '../../sources/source-caches.ts';
import type { SourceContext } from '../../sources/source-context.ts';

/** A Work with the digest of its bytes, and where they can be read. */
export interface ResolvedWork {
  readonly work: Work;
  readContent(digest: string, signal: AbortSignal): Promise<Buffer>;
}

/** What the hub has not fetched is fetched here, with the caller's network. Nothing is stored on the hub. */
export async function resolveSource(hub: KubeClient, work: Work, signal: AbortSignal): Promise<ResolvedWork> {
  const onHub: ResolvedWork['readContent'] = (digest, stop) => readContent(hub, digest, { signal: stop });
  const source = sourceOf(work);
  if (!source || wantedContent(work) !== 'waiting') return { work, readContent: onHub };
  const { namespace = '' } = work.metadata;
  const credentials = await readCredentials(hub, { namespace, ...source }, signal);
  const ctx: SourceContext = { egress: createEgress(), caches: createSourceCaches(), credentials, signal };
  if (source.repository === hubRepository) return { work: withDigest(work, await fetchContent(hub, source, ctx)), readContent: onHub };
  const { bytes, digest } = await fetchHere(source, ctx);
  return { work: withDigest(work, digest), readContent: async (wanted, stop) => (wanted === digest ? bytes : onHub(wanted, stop)) };
}

async function fetchHere(source: WorkSource, ctx: SourceContext): Promise<{ readonly bytes: Buffer; readonly digest: string }> {
  const { bytes, digest } = await (source.form === 'chart' ? fetchChart(source, ctx) : fetchFolder(source, ctx));
  return { bytes: Buffer.from(bytes), digest };
}

/** Without the mark of where the content came from, which is that of the old one. */
function withDigest(work: Work, content: string): Work {
  const { chart, kustomization, ...spec } = work.spec;
  const { annotations: _, ...metadata } = work.metadata;
  return {
    ...work,
    metadata,
    spec: {
      ...spec,
      ...(chart && { chart: { ...chart, content } }),
      ...(kustomization && { kustomization: { ...kustomization, content } }),
    },
  };
}
