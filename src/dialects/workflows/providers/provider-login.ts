import { Secret } from '../../../api/builtin-kinds.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import type { RancherSource } from '../kinds/cloud-provider.ts';
import type { RancherLogin } from './rancher-client.ts';
import { providerReasons, RancherError } from './rancher-error.ts';

/** Who signs in at a Rancher, from the Secret that the provider names. Throws RancherError when something is not there. */
export async function readLogin(hub: KubeClient, { auth }: RancherSource, signal: AbortSignal): Promise<RancherLogin> {
  const { bearerTokenSecretRef: bearer, accessKeySecretRef: keys, basicSecretRef: basic } = auth;
  if (bearer) return { token: (await open(hub, bearer, signal))(bearer.key) };
  if (keys) {
    const read = await open(hub, keys, signal);
    return { token: `${read(keys.accessKey ?? 'accessKey')}:${read(keys.secretKey ?? 'secretKey')}` };
  }
  if (!basic) throw missing('the provider names no Secret');
  const read = await open(hub, basic, signal);
  return { username: read(basic.usernameKey ?? 'username'), password: read(basic.passwordKey ?? 'password') };
}

async function open(hub: KubeClient, { namespace, name }: { namespace: string; name: string }, signal: AbortSignal) {
  const secret = await hub.get(Secret, { namespace, name }, { signal });
  if (!secret) throw missing(`there is no Secret "${namespace}/${name}"`);
  return (key: string): string => {
    const value = Buffer.from(secret.data?.[key] ?? '', 'base64')
      .toString('utf8')
      .trim();
    if (value === '') throw missing(`Secret "${namespace}/${name}" has no key "${key}"`);
    if (/[^\x20-\x7e]/.test(value) && !/username|password/i.test(key))
      throw missing(`key "${key}" of Secret "${namespace}/${name}" is no token`);
    return value;
  };
}

const missing = (message: string) => new RancherError(providerReasons.credentialMissing, message);
