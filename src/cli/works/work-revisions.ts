import { ControllerRevision } from '../../api/builtin-kinds.ts';
import { revisionMarks, type Work } from '../../api/work.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { chartTitle } from '../../core/releases/helm-release.ts';
import type { ReleaseRecord } from '../../core/releases/release-record.ts';
import { isJsonObject, type JsonObject } from '../../util/json.ts';

/** An earlier spec of a Work, or the present one, and what became of it on the member. */
export interface WorkRevision {
  readonly revision: number;
  /** The parts of the spec that a rollback brings back. */
  readonly data: JsonObject;
  /** Name and version of the chart, or what else was delivered. */
  readonly what: string;
  /** The last revision of the release on the member that was made from it. */
  readonly helmRevision: number | null;
  readonly state: string | null;
  /** The field manager that wrote it. */
  readonly changedBy: string | null;
  /** When it was delivered; when it was first written, where that is not known. */
  readonly at: string | null;
  readonly isPresent: boolean;
}

/** The kept specs of a Work on the hub, oldest first. */
export async function readRevisions(hub: KubeClient, { metadata }: Work, signal: AbortSignal): Promise<ControllerRevision[]> {
  const { namespace = '', uid = '' } = metadata;
  const { items } = await hub.list(ControllerRevision, { namespace, labelSelector: `${revisionMarks.work}=${uid}`, signal });
  return items.sort((a, b) => Number(a.revision) - Number(b.revision));
}

/** Puts the specs of the hub beside the releases of the member, which are joined by what went into them. */
export function joinRevisions(work: Work, kept: readonly ControllerRevision[], records: readonly ReleaseRecord[]): WorkRevision[] {
  return kept.map((one, i) => {
    const isPresent = i === kept.length - 1;
    const inputs = one.metadata.annotations?.[revisionMarks.inputs];
    const release = records.findLast(({ progress }) => progress !== undefined && progress.inputs === inputs)?.release;
    const data = isJsonObject(one['data']) ? one['data'] : {};
    const { delivered } = work.status ?? {};
    const last = delivered?.inputs === inputs ? delivered : undefined;
    return {
      revision: Number(one.revision),
      data,
      what: (release ? chartTitle(release.chart) : last?.chart) ?? whatOf(data),
      helmRevision: release?.revision ?? last?.revision ?? null,
      // Helm knows for charts; of other Works only the last delivery is known.
      state: release?.status ?? last?.state.toLowerCase() ?? (isPresent ? null : 'superseded'),
      changedBy: one.metadata.annotations?.[revisionMarks.changedBy] ?? null,
      at: release?.lastDeployedAt ?? one.metadata.creationTimestamp ?? null,
      isPresent,
    };
  });
}

function whatOf({ chart, kustomization, manifests }: JsonObject): string {
  if (isJsonObject(chart)) return [chart['name'] ?? 'chart', chart['version']].filter(one => typeof one === 'string').join('-');
  if (isJsonObject(kustomization)) return 'kustomization';
  return Array.isArray(manifests) ? 'manifests' : 'content';
}
