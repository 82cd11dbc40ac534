import { Secret } from '../../../../api/builtin-kinds.ts';
import { apiVersionOf } from '../../../../api/object.ts';
import type { KubeClient } from '../../../../client/kube-client.ts';
import { rancherNamespaces } from '../../names.ts';
import { User } from '../../kinds/user.ts';
import { oidcProvider } from './oidc-config.ts';

interface Calling {
  readonly hub: KubeClient;
  readonly signal: AbortSignal;
}

const secretName = (userId: string): string => `${userId}-secret`;

/** Keeps by what the provider can be asked about somebody again; forgets it when there is nothing. */
export async function keepRefreshToken(user: User, refreshToken: string | undefined, { hub, signal }: Calling): Promise<void> {
  const { name = '', uid = '' } = user.metadata;
  const key = { namespace: rancherNamespaces.system, name: secretName(name) };
  if (refreshToken === undefined) {
    await hub.delete(Secret, key, { signal });
    return;
  }
  await hub.apply(
    Secret,
    {
      apiVersion: apiVersionOf(Secret),
      kind: Secret.kind,
      metadata: { ...key, ownerReferences: [{ apiVersion: apiVersionOf(User), kind: User.kind, name, uid }] },
      type: 'Opaque',
      data: { [oidcProvider]: Buffer.from(refreshToken).toString('base64') },
    },
    { fieldManager: 'drover-oidc', signal },
  );
}

export async function readRefreshToken(userId: string, { hub, signal }: Calling): Promise<string | undefined> {
  const secret = await hub.get(Secret, { namespace: rancherNamespaces.system, name: secretName(userId) }, { signal });
  const kept = secret?.data?.[oidcProvider];
  return kept === undefined ? undefined : Buffer.from(kept, 'base64').toString('utf8');
}
