import { createHash } from 'node:crypto';
import type { KubeObject } from '../../api/object.ts';
import { printJson, sortKeys, type Json } from '../../util/json.ts';
import type { Owner } from './owner.ts';

const maxNameLength = 63;
const suffixLength = 8;
/** Those of Kubernetes' own suffixes: no vowels, so that no words come about. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * An object that asks for a name of the server's choice gets one that follows from its content and owner: the same delivery, tried twice,
 * must not leave two objects.
 */
export function withGeneratedName<T extends KubeObject>(obj: T, owner: Owner | undefined): T {
  const { name = '', generateName = '', ...metadata } = obj.metadata;
  if (name !== '' || generateName === '') return obj;
  const hash = createHash('sha256')
    .update(printJson([sortKeys(obj as unknown as Json), sortKeys((owner ?? null) as Json)]))
    .digest();
  const suffix = [...hash.subarray(0, suffixLength)].map(byte => alphabet[byte % alphabet.length]).join('');
  return { ...obj, metadata: { ...metadata, name: `${generateName.slice(0, maxNameLength - suffixLength)}${suffix}` } };
}
