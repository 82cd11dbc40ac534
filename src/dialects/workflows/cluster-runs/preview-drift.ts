import type { KubeClient } from '../../../client/kube-client.ts';
import type { Member } from '../../../core/delivery/member.ts';
import { refKey } from '../../../core/delivery/object-ref.ts';
import { ClusterRun } from '../kinds/cluster-run.ts';
import type { LogLine } from '../logs/run-logs.ts';
import { refLine, unitLog } from '../release/step-log.ts';
import { clusterRunName } from '../runs/cluster-run-object.ts';
import { readObjects } from './member-sight.ts';
import type { StepContext } from './step-context.ts';
import { substanceDigest } from './substance.ts';

/** What others changed on a member since the preview that a run goes by was made. It is told, and keeps nobody from anything. */
export async function sayPreviewDrift(
  hub: KubeClient,
  member: Member,
  { preview, run, cluster }: StepContext,
  signal: AbortSignal,
): Promise<readonly LogLine[]> {
  if (preview === undefined) return [];
  const key = { namespace: run.namespace, name: clusterRunName(preview, cluster.id) };
  const { seen = [] } = (await hub.get(ClusterRun, key, { signal }))?.status?.preview ?? {};
  if (seen.length === 0) return [];
  const live = await readObjects(member, seen, signal);
  const changed = seen.filter(one => substanceDigest(live.get(refKey(one))) !== one.digest);
  const log = unitLog('Preview');
  for (const one of changed) log.warn(`${refLine(one)} has changed since preview ${preview}`);
  return log.done().lines;
}
