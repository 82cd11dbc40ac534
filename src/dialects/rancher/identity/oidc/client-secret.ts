import { Secret } from '../../../../api/builtin-kinds.ts';
import type { KubeClient } from '../../../../client/kube-client.ts';
import { authSecretsNamespace } from './oidc-config.ts';

const secretKey = 'clientsecret';

/** Reads what the hub shares with its provider. Throws when it is not there. */
export function clientSecrets(hub: KubeClient) {
  return async function readSecret(name: string, signal: AbortSignal): Promise<string> {
    const secret = await hub.get(Secret, { namespace: authSecretsNamespace, name }, { signal });
    const value = secret?.data?.[secretKey];
    if (value === undefined) throw new Error(`there is no Secret "${authSecretsNamespace}/${name}" with the key "${secretKey}"`);
    return Buffer.from(value, 'base64').toString('utf8');
  };
}
