import type { ObjectRef } from '../delivery/object-ref.ts';
import { appVersionOf, chartTitle, type HelmRelease } from './helm-release.ts';
import type { ReleaseOutcome } from './release-input.ts';

export function outcomeOf(
  release: HelmRelease,
  objects: readonly ObjectRef[],
  { isUnchanged, tookOver }: Pick<ReleaseOutcome, 'isUnchanged' | 'tookOver'>,
): ReleaseOutcome {
  return {
    revision: release.revision,
    chart: chartTitle(release.chart),
    appVersion: appVersionOf(release.chart),
    notes: release.notes,
    objects,
    isUnchanged,
    ...(tookOver !== undefined && { tookOver }),
  };
}
