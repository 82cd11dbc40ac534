import { LRUCache } from 'lru-cache';
import type { KubeClient } from '../../client/kube-client.ts';
import { readCredentials } from '../../core/sources/read-credentials.ts';
import type { Egress } from '../../sources/egress.ts';
import { fetchArchive } from '../../sources/fetch-archive.ts';
import { fetchFolder } from '../../sources/fetch-folder.ts';
import { SingleFlight } from '../../sources/single-flight.ts';
import { createSourceCaches } from '../../sources/source-caches.ts';
import { cacheKey, type SourceContext } from '../../sources/source-context.ts';
import { SourceError } from '../../sources/source-error.ts';
import type { RemoteUrl } from './read-policies.ts';
import { manifestsIn } from './template-files.ts';
import { intervalMs } from './template-source.ts';

export interface RemoteManifests {
  /** The manifests at an address, as one text, and when to look again. Throws SourceError. */
  read(remote: RemoteUrl, namespace: string, signal: AbortSignal): Promise<RemoteText>;
}

export interface RemoteText {
  readonly text: string;
  readonly lookAgainMs: number;
}

interface Known {
  readonly result: string | SourceError;
  readonly until: number;
}

/** After a failure. */
const retryMs = 30_000;

/** Fetches what `remoteURL` names, each address once for all sets that name it, and again when its interval is over. */
export function remoteManifests({ hub, egress }: { readonly hub: KubeClient; readonly egress: Egress }): RemoteManifests {
  const caches = createSourceCaches();
  const known = new LRUCache<string, Known>({ max: 500 });
  const flights = new SingleFlight<Known>();

  return {
    async read({ url, interval, secretRef }, namespace, signal) {
      const credentials = await readCredentials(hub, { namespace, secretName: secretRef?.name, repository: url }, signal);
      const context = { egress, caches, credentials, signal };
      const key = cacheKey(context, url);
      let found = known.get(key);
      if (!found || found.until <= Date.now()) {
        found = await flights.run(key, signal, stop => look(url, intervalMs(interval), known.get(key), { ...context, signal: stop }));
        known.set(key, found);
      }
      if (found.result instanceof SourceError) throw found.result;
      return { text: found.result, lookAgainMs: Math.max(found.until - Date.now(), 1000) };
    },
  };

  async function look(url: string, everyMs: number, before: Known | undefined, context: SourceContext): Promise<Known> {
    try {
      return { result: await fetchText(url, context), until: Date.now() + everyMs };
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      // What was there is still good: the source may be away for a moment.
      const kept = typeof before?.result === 'string' ? before.result : error;
      return { result: kept, until: Date.now() + retryMs };
    }
  }
}

async function fetchText(url: string, context: SourceContext): Promise<string> {
  if (url.startsWith('oci:')) return folderText((await fetchFolder({ repository: url }, context)).bytes);
  const address = new URL(url);
  const bytes = await fetchArchive(address, address, context);
  return isZipped(bytes) ? folderText(bytes) : bytes.toString('utf8');
}

const isZipped = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

function folderText(archive: Buffer): string {
  try {
    return manifestsIn(archive, '').bytes.toString('utf8');
  } catch (cause) {
    throw new SourceError('what is there cannot be used', { cause, isFinal: true });
  }
}
