import type { DeliveryOptions, DriftExclusion } from '../../api/work.ts';
import type { RenderedRelease } from '../../render/render-pool.ts';
import type { JsonObject } from '../../util/json.ts';
import type { ObjectRef } from '../delivery/object-ref.ts';
import type { ReleaseKey, ReleaseStatus } from './helm-release.ts';

/** What a chart is told about the release it is rendered for. */
export interface RenderFacts {
  readonly revision: number;
  readonly isUpgrade: boolean;
}

/** What to deliver as a release. */
export interface ReleaseInput {
  readonly release: ReleaseKey;
  /** The values that were given, for the record. */
  readonly values: JsonObject;
  readonly options: DeliveryOptions;
  /** Names this delivery: with the same inputs one that was begun is continued, and one that is done is not done again. */
  readonly inputs: string;
  /**
   * Called when something is to be delivered; not when a delivery that was begun is continued. A second time when definitions of the chart were
   * created: what the member can do has changed then.
   */
  render(facts: RenderFacts, signal: AbortSignal): Promise<Pick<RenderedRelease, 'manifest' | 'hooks' | 'definitions' | 'notes' | 'chart'>>;
}

/** What is being done: `step` is one word for the state of a Work, `object` the hook that is waited for. */
export interface ReleaseProgress {
  readonly revision: number;
  readonly status: ReleaseStatus;
  readonly step: 'Definitions' | 'Hooks' | 'Applying' | 'Pruning' | 'Waiting' | 'RollingBack' | 'Uninstalling';
  readonly object?: ObjectRef;
}

export interface ReleaseContext {
  /** What others may change: it stays as they made it. */
  readonly exclusions?: readonly DriftExclusion[] | undefined;
  /** Stops at the next step: what was begun stays pending and is continued by the next call. */
  readonly signal: AbortSignal;
  now(): Date;
  onProgress?(progress: ReleaseProgress): void;
}

/** A release that is deployed. */
export interface ReleaseOutcome {
  readonly revision: number;
  /** Name and version, `nginx-1.2.3`. */
  readonly chart: string;
  readonly appVersion: string;
  readonly notes: string;
  /** Everything of the manifest that is on the member, hooks left out. */
  readonly objects: readonly ObjectRef[];
  /** Whether the inputs were those of the deployed revision, so that nothing was done. */
  readonly isUnchanged: boolean;
  /** What was found and taken over, for an event: a release that another program left pending, for instance. */
  readonly tookOver?: string;
}
