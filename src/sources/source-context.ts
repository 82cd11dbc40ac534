import { digestOf } from './digest.ts';
import type { SourceCredentials } from './credentials.ts';
import type { Egress } from './egress.ts';
import type { SourceCaches } from './source-caches.ts';

/** With what a source is asked. */
export interface SourceContext {
  readonly egress: Egress;
  readonly credentials: SourceCredentials;
  readonly caches: SourceCaches;
  readonly signal: AbortSignal;
}

/** Names what is asked for together with who asks. */
export function cacheKey({ credentials }: SourceContext, ...parts: readonly (string | undefined)[]): string {
  const { username, password, tls, sshKey, knownHosts } = credentials;
  const who = [username, password, tls?.ca, tls?.certificate, tls?.key, tls?.insecureSkipVerify, sshKey, knownHosts];
  return digestOf(JSON.stringify([who, parts].map(list => list.map(part => part ?? null))));
}
