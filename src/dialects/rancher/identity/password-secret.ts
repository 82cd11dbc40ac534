import { createHash } from 'node:crypto';
import { Secret } from '../../../api/builtin-kinds.ts';
import { apiVersionOf } from '../../../api/object.ts';
import { User } from '../kinds/user.ts';
import { identityAnnotations, passwordNamespace } from './identity-names.ts';
import type { StoredPassword } from './password-hash.ts';

/** The Secret of a user's password. It goes with the User. */
export function passwordSecret(user: User, phc: string): Secret {
  const { name = '', uid = '' } = user.metadata;
  return {
    apiVersion: apiVersionOf(Secret),
    kind: Secret.kind,
    metadata: {
      name,
      namespace: passwordNamespace,
      labels: { 'app.kubernetes.io/managed-by': 'drover' },
      ownerReferences: [{ apiVersion: apiVersionOf(User), kind: User.kind, name, uid }],
    },
    type: 'Opaque',
    data: { password: Buffer.from(phc).toString('base64') },
  };
}

/** Undefined when the Secret is that of another user of the same name, or holds nothing to check a password with. */
export function readPassword(secret: Secret | undefined, user: User): StoredPassword | undefined {
  const owner = secret?.metadata.ownerReferences?.find(ref => ref.kind === User.kind);
  if (!secret || (owner && owner.uid !== user.metadata.uid)) return undefined;
  const kept = bytesOf(secret, 'password');
  if (secret.metadata.annotations?.[identityAnnotations.passwordHash] === 'pbkdf2sha3512')
    return { rancher: { salt: bytesOf(secret, 'salt'), hash: kept } };
  return kept.length === 0 ? undefined : { phc: kept.toString('utf8') };
}

/** Tells passwords apart without saying anything about them. */
export function passwordId(secret: Secret): string {
  return createHash('sha256')
    .update(secret.metadata.uid ?? '')
    .update(bytesOf(secret, 'salt'))
    .update(bytesOf(secret, 'password'))
    .digest('hex')
    .slice(0, 16);
}

const idKey = 'id';

/** What stays in memory of it. */
export function keepPasswordId(secret: Secret): Secret {
  const { managedFields: _, ...metadata } = secret.metadata;
  return { ...secret, metadata, data: { [idKey]: passwordId(secret) } };
}

export const keptPasswordId = (kept: Secret | undefined): string | undefined => kept?.data?.[idKey];

const bytesOf = ({ data }: Secret, key: string) => Buffer.from(data?.[key] ?? '', 'base64');
