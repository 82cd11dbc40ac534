import { useMemo, useState } from 'react';
import type { Cluster } from '../../../api/cluster.ts';
import { cordonedTaints } from '../../../api/cluster-taints.ts';
import { planDrain, releaseText, type DrainedWork } from '../../../api/plan-drain.ts';
import type { Work } from '../../../api/work.ts';
import { deliveryKinds } from '../../data/delivery-kinds.ts';
import { kinds } from '../../data/kinds.ts';
import { useList } from '../../data/use-list.ts';
import { useListIfServed } from '../../data/use-served.ts';
import { TypedWord } from '../../parts/action-dialog.tsx';
import { CommandLine } from '../../parts/command-line.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNote, Loading } from '../../parts/notes.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { keyOf, type MultiClusterService, type ServiceSet } from '../services/service-kinds.ts';
import { useServices } from '../services/use-services.ts';
import { idOf } from './cluster-kind.ts';
import { writeTaints } from './cordon-dialog.tsx';

/** What would go from a cluster and what would stay; then how it goes. The hub goes on with it when the dialog is closed. */
export function DrainClusterDialog({ cluster, onClose }: { cluster: Cluster; onClose(): void }) {
  const name = cluster.metadata.name!;
  const works = useList<Work>({ kind: kinds.work, namespace: idOf(cluster) });
  const sets = useListIfServed<ServiceSet>({ kind: deliveryKinds.serviceSet });
  const services = useServices();
  const [begun, setBegun] = useState<readonly DrainedWork[]>();
  const [text, setText] = useState('');
  const [error, setError] = useState<unknown>();
  const plan = useMemo(() => planOf(works.items, sets.items, services), [works.items, sets.items, services]);
  const fates = begun ?? plan;
  const present = new Set(works.items.map(one => one.metadata.uid));
  const going = fates.filter(one => one.whyItStays === undefined);
  const left = going.filter(({ work }) => present.has(work.metadata.uid)).length;
  const isLoading = works.state === 'loading' || sets.isServed === undefined || (sets.isServed && sets.state === 'loading');
  const isDone = begun !== undefined && left === 0;

  async function begin(): Promise<void> {
    setBegun(plan);
    setError(undefined);
    try {
      await writeTaints(cluster, cordonedTaints(cluster.spec.taints, true, new Date()));
    } catch (failure) {
      setError(failure);
      setBegun(undefined);
    }
  }

  return (
    <Dialog title={`Drain ${name}`} isWide onClose={onClose}>
      <p>
        Nothing new comes to the cluster, and what services placed on it goes away, in order. What was made for this cluster alone stays.
        Uncordon undoes it: what went comes back.
      </p>
      {works.error && <ErrorNote error={works.error} about={`Works of ${name}`} />}
      {isLoading && <Loading />}
      {!isLoading && fates.length === 0 && <p className="muted">The hub delivers nothing to it.</p>}
      {!isLoading && fates.length > 0 && (
        <SmallTable
          name={`Releases on ${name}`}
          heads={['Release', 'Wanted by', 'What happens', 'Why']}
          rows={fates.map(one => [
            <bdi key="release">{releaseText(one.work)}</bdi>,
            <bdi key="owner">{one.owner}</bdi>,
            <Fate key="fate" fate={one} isGone={!present.has(one.work.metadata.uid)} hasBegun={begun !== undefined} />,
            one.whyItStays ?? 'it chose the cluster by its labels',
          ])}
        />
      )}
      {begun && (
        <p role="status">
          {isDone
            ? 'The cluster is drained: nothing comes to it until you uncordon it.'
            : `${left} of ${going.length} releases are still there. The hub goes on when you close this.`}
        </p>
      )}
      {!begun && <TypedWord word={name} text={text} onChange={setText} />}
      {error !== undefined && <ErrorNote error={error} about={name} />}
      <CommandLine command={`drover drain cluster ${name}`} />
      <div className="dialog-end">
        <button type="button" className="button" data-first onClick={onClose}>
          {begun ? 'Close' : 'Cancel'}
        </button>
        {!begun && (
          <button type="button" className="button danger" disabled={isLoading || text !== name} onClick={() => void begin()}>
            Drain
          </button>
        )}
      </div>
    </Dialog>
  );
}

function planOf(works: readonly Work[], sets: readonly ServiceSet[], services: readonly MultiClusterService[]): readonly DrainedWork[] {
  const keeping = new Set(services.filter(one => one.spec.keepServicesOnSelectorMismatch).map(keyOf));
  return planDrain({ works, sets, isKeeping: service => keeping.has(service) });
}

function Fate({ fate, isGone, hasBegun }: { fate: DrainedWork; isGone: boolean; hasBegun: boolean }) {
  if (isGone) return <StateBadge tone="good" word="Gone" />;
  if (fate.whyItStays !== undefined) return <StateBadge tone="idle" word="Stays" />;
  return hasBegun ? <StateBadge tone="info" word="Leaving" isBusy /> : <StateBadge tone="warn" word="Goes" />;
}
