import { Secret } from '../../api/builtin-kinds.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { SignatureError } from '../../sources/cosign.ts';

/** The public keys of a Secret, as PEM. Throws SignatureError when there are none. */
export async function readSigners(hub: KubeClient, key: { namespace: string; name: string }, signal: AbortSignal): Promise<string[]> {
  const secret = await hub.get(Secret, key, { signal });
  const what = `Secret "${key.name}" in namespace "${key.namespace}"`;
  if (!secret) throw new SignatureError(`there is no ${what}, which should have the keys of those who sign`, { isFinal: true });
  const keys = Object.entries(secret.data ?? {}).filter(([name]) => name.endsWith('.pub'));
  if (keys.length === 0) throw new SignatureError(`the ${what} has no public key under a name that ends in ".pub"`, { isFinal: true });
  return keys.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => Buffer.from(text, 'base64').toString());
}
