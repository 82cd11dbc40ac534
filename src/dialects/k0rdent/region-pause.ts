import { withConditions, type Condition } from '../../api/conditions.ts';
import type { Informer } from '../../runtime/informer.ts';
import { cdConditions } from './cd-status.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import type { Credential, Region } from './kinds/management.ts';

/** On a Region: its ClusterDeployments stay as they are, whatever is written into them. Its being there is enough. */
export const regionPauseAnnotation = 'k0rdent.mirantis.com/region-pause';

export interface RegionPauseDeps {
  readonly credentials: Pick<Informer<Credential>, 'get'>;
  readonly regions: Pick<Informer<Region>, 'get'>;
}

/** The name of the region that holds a ClusterDeployment still; undefined when none does. */
export function pausedRegionOf({ metadata, spec }: ClusterDeployment, { credentials, regions }: RegionPauseDeps): string | undefined {
  const name = credentials.get(`${metadata.namespace}/${spec.credential ?? ''}`)?.spec.region;
  const annotations = name ? regions.get(name)?.metadata.annotations : undefined;
  return annotations?.[regionPauseAnnotation] === undefined ? undefined : name;
}

/** Everything else is told as it was: nobody looked, so the generation that was seen last stays too. */
export function pausedStatus({ metadata, status }: ClusterDeployment, region: string, now: Date): NonNullable<ClusterDeployment['status']> {
  const report = { type: cdConditions.paused, status: 'True', reason: 'Paused', message: `Related Region ${region} is paused` } as const;
  const { generation } = metadata;
  return { ...status, conditions: withConditions(status?.conditions, [report], { now, generation }) as Condition[] };
}
