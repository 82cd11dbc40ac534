import { createHash } from 'node:crypto';
import type { Cluster } from '../../api/cluster.ts';

/** The id of a cluster, also the name of its namespace on the hub: fixed by the spec, or made from the uid, so that it never has to be remembered. */
export function clusterId({ metadata, spec }: Pick<Cluster, 'metadata' | 'spec'>): string {
  if (spec.id !== undefined) return spec.id;
  const { name, uid } = metadata;
  if (uid === undefined) throw new Error(`cluster "${name}" has no uid yet`);
  return idFromUid(uid);
}

/** The id that an object with this uid stands for. */
export const idFromUid = (uid: string): string => `c-m-${shortHash(uid, 8)}`;

/** So many lower-case letters and digits that follow from a text. */
export function shortHash(text: string, length: number): string {
  const number = createHash('sha256').update(text).digest().readBigUInt64BE();
  return number.toString(36).padStart(length, '0').slice(-length);
}
