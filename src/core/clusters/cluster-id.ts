import { createHash } from 'node:crypto';
import type { Cluster } from '../../api/cluster.ts';

/** The id of a cluster, also the name of its namespace on the hub: fixed by the spec, or made from the uid, so that it never has to be remembered. */
export function clusterId({ metadata, spec }: Pick<Cluster, 'metadata' | 'spec'>): string {
  if (spec.id !== undefined) return spec.id;
  const { name, uid } = metadata;
  if (uid === undefined) throw new Error(`cluster "${name}" has no uid yet`);
  const number = createHash('sha256').update(uid).digest().readBigUInt64BE();
  return `c-m-${number.toString(36).padStart(8, '0').slice(-8)}`;
}
