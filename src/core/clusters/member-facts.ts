import { Namespace } from '../../api/builtin-kinds.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { readJson } from '../../client/read-answer.ts';
import { readDiscovery, type Discovery } from './read-discovery.ts';

/** What a member is, as far as it seldom changes. */
export interface MemberFacts {
  readonly uid?: string | undefined;
  readonly version?: string | undefined;
  readonly platform?: string | undefined;
  readonly discovery?: Discovery | undefined;
}

const timeoutMs = 30_000;

/** Asks a member what it is. What it does not say stays as it was known; `onError` hears why. */
export async function readFacts(
  client: KubeClient,
  known: MemberFacts,
  { signal, onError }: { signal: AbortSignal; onError(error: unknown): void },
): Promise<MemberFacts> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  // One after the other: they share the connection of the probe, where more at once would each need one of their own.
  const uid =
    known.uid ?? (await attempt(async () => (await client.get(Namespace, { name: 'kube-system' }, { signal: deadline }))?.metadata.uid));
  const version = await attempt(() => readVersion(client, deadline));
  const discovery = await attempt(() => readDiscovery(client, known.discovery, deadline));
  return {
    uid,
    version: version?.gitVersion ?? known.version,
    platform: version?.platform ?? known.platform,
    discovery: discovery ?? known.discovery,
  };

  async function attempt<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      signal.throwIfAborted();
      onError(error);
      return undefined;
    }
  }
}

/** What a server says of its version. */
export async function readVersion(client: KubeClient, signal: AbortSignal): Promise<{ gitVersion?: string; platform?: string }> {
  const res = await client.request({ method: 'GET', path: '/version', headers: { accept: 'application/json' }, signal });
  return (await readJson(res)) as { gitVersion?: string; platform?: string };
}
