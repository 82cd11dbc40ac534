import type { Cluster } from '../../../api/cluster.ts';
import { cordonedTaints, isCordoned, isDrained, taintText, uncordonedTaints, type ClusterTaint } from '../../../api/cluster-taints.ts';
import { kinds, pathOf } from '../../data/kinds.ts';
import { request } from '../../data/request.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { judgeObject, StateBadge } from '../../parts/state-badge.tsx';

/** Others change the list as well, so it must be the one that was read. */
export function writeTaints({ metadata }: Cluster, taints: readonly ClusterTaint[]): Promise<unknown> {
  const { name, uid, resourceVersion } = metadata;
  return request(pathOf(kinds.cluster, { name }), {
    method: 'PATCH',
    contentType: 'application/merge-patch+json',
    body: { metadata: { uid, resourceVersion }, spec: { taints: taints.length > 0 ? taints : null } },
  });
}

/** What keeps services away from a cluster, the last word for most: one that is drained is cordoned as well. */
export const placingWords = (cluster: Cluster): readonly string[] => [
  ...(isCordoned(cluster) ? ['Cordoned'] : []),
  ...(isDrained(cluster) ? ['Drained'] : []),
];

export function CordonBadge({ cluster }: { cluster: Cluster }) {
  const word = placingWords(cluster).at(-1);
  const why = word === 'Drained' ? 'What services placed on it goes away' : 'Nothing new is placed on it';
  return word === undefined ? null : <StateBadge tone="warn" word={word} why={why} />;
}

/** The same with how the cluster is, where there is room for one. */
export function PlacedState({ cluster }: { cluster: Cluster }) {
  const word = placingWords(cluster).at(-1);
  const { tone, word: state, why } = judgeObject(cluster);
  if (word === undefined) return <StateBadge tone={tone} word={state} why={why} />;
  return <StateBadge tone={tone === 'good' ? 'warn' : tone} word={`${state}, ${word.toLowerCase()}`} why={why} />;
}

export function CordonDialog({ cluster, onClose }: { cluster: Cluster; onClose(): void }) {
  const name = cluster.metadata.name!;
  return (
    <ActionDialog
      title={`Cordon ${name}?`}
      verb="Cordon"
      command={`drover cordon cluster ${name}`}
      onClose={onClose}
      onDo={() => writeTaints(cluster, cordonedTaints(cluster.spec.taints, false, new Date()))}
    >
      <p>What is on it stays, and is brought up to date. Services and runs of workflows that are not on it yet go elsewhere.</p>
    </ActionDialog>
  );
}

export function UncordonDialog({ cluster, onClose }: { cluster: Cluster; onClose(): void }) {
  const name = cluster.metadata.name!;
  const others = uncordonedTaints(cluster.spec.taints).filter(({ effect }) => effect !== 'PreferNoSchedule');
  return (
    <ActionDialog
      title={`Uncordon ${name}?`}
      verb="Uncordon"
      command={`drover uncordon cluster ${name}`}
      onClose={onClose}
      onDo={() => writeTaints(cluster, uncordonedTaints(cluster.spec.taints))}
    >
      <p>What chooses it by its labels comes to it, and what a drain took away comes back.</p>
      {others.length > 0 && (
        <p className="note warn" role="status">
          Taints of others go on keeping services away: {others.map(taintText).join(', ')}.
        </p>
      )}
    </ActionDialog>
  );
}
