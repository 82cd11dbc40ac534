import type { JsonObject } from '../../util/json.ts';

/** What a release is called on a member. */
export interface ReleaseKey {
  readonly name: string;
  readonly namespace: string;
}

export type ReleaseStatus =
  | 'unknown'
  | 'deployed'
  | 'uninstalled'
  | 'superseded'
  | 'failed'
  | 'uninstalling'
  | 'pending-install'
  | 'pending-upgrade'
  | 'pending-rollback';

export type HookPhase = '' | 'Unknown' | 'Running' | 'Succeeded' | 'Failed';

/** When a hook last ran and how it ended. */
export interface HookRun {
  readonly startedAt?: string;
  readonly completedAt?: string;
  readonly phase: HookPhase;
}

export interface ReleaseHook {
  readonly name: string;
  readonly kind: string;
  /** The template it came from. */
  readonly path: string;
  readonly manifest: string;
  readonly events: readonly string[];
  readonly weight: number;
  readonly deletePolicies: readonly string[];
  readonly lastRun: HookRun;
  /** What else the record says of it. */
  readonly rest: JsonObject;
}

/** A chart as Helm writes it down. Subcharts are not part of it. */
export interface HelmChart {
  /** What Chart.yaml says. */
  readonly metadata: JsonObject;
  /**
   * Texts that are the chart as JSON when they are put together: metadata, lock, templates, values, schema, files. A large part that many
   * releases share is best one text on its own: it is compressed once.
   */
  readonly parts: readonly string[];
}

/** One revision of a release, as Helm records it. */
export interface HelmRelease {
  readonly name: string;
  readonly namespace: string;
  readonly revision: number;
  readonly status: ReleaseStatus;
  readonly description: string;
  readonly firstDeployedAt?: string;
  readonly lastDeployedAt?: string;
  readonly deletedAt?: string;
  /** The revision that was gone back to, for a rollback. */
  readonly rollbackRevision?: number;
  readonly notes: string;
  readonly chart: HelmChart;
  /** The values that were given. */
  readonly config: JsonObject;
  readonly manifest: string;
  readonly hooks: readonly ReleaseHook[];
  readonly applyMethod: '' | 'csa' | 'ssa';
  /** Labels that people gave it; Helm keeps them on the record. */
  readonly labels: Readonly<Record<string, string>>;
  /** What else the record says: kept as it is. */
  readonly rest: { readonly release: JsonObject; readonly info: JsonObject };
}

export const isPending = (status: ReleaseStatus): boolean => status.startsWith('pending-');

/** `nginx-1.2.3`, as Helm's lists show it. */
export const chartTitle = ({ metadata }: Pick<HelmChart, 'metadata'>): string =>
  `${textOf(metadata['name'])}-${textOf(metadata['version'])}`;

export const appVersionOf = ({ metadata }: HelmChart): string => textOf(metadata['appVersion']);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * What our records say about how objects were applied. Helm uses the same way when it rolls back or upgrades what we delivered; server-side it
 * would meet our fields and refuse ("conflict with drover"), client-side it does what it is told.
 */
export const recordedApplyMethod = 'csa';
