import { useState } from 'react';
import type { Cluster } from '../../../api/cluster.ts';
import { PlaceLink } from '../../app/place.tsx';
import { LeftOut, useOfScope } from '../../app/scope.tsx';
import { seesHub } from '../../data/hub-sight.ts';
import { kinds } from '../../data/kinds.ts';
import { useMay } from '../../data/permissions.ts';
import { useList } from '../../data/use-list.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty, ErrorNote, NoClustersForYou } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { isUnderWay } from '../../parts/phase-tone.ts';
import { judgeObject, type Tone } from '../../parts/state-badge.tsx';
import { ImportDialog } from '../clusters/import-dialog.tsx';
import { judgeService } from '../services/judge-service.ts';
import { useServices } from '../services/use-services.ts';
import { FleetPicture } from './fleet-picture.tsx';
import { NeedsAPerson } from './needs-a-person.tsx';
import { WhatChanged } from './what-changed.tsx';

const nameOf = ({ metadata }: Cluster) => metadata.name;

/** How the fleet is at a glance, and what to do about it. */
export function Home() {
  const { items: all, state, error } = useList<Cluster>({ kind: kinds.cluster });
  const items = useOfScope(all, nameOf);
  const services = useServices();
  const [isAdding, setAdding] = useState(false);
  const mayAdd = useMay({ verb: 'create', kind: kinds.cluster });
  const tones = items.map(one => judgeObject(one).tone);
  const count = (...wanted: Tone[]) => tones.filter(tone => wanted.includes(tone)).length;
  const nodes = items.reduce((sum, one) => sum + (one.status?.nodes?.total ?? 0), 0);
  const rolling = services.filter(({ status }) => isUnderWay(status?.rollout?.phase)).length;
  const stuck = services.filter(one => judgeService(one).tone === 'bad').length;
  const isEmpty = state !== 'loading' && all.length === 0 && !error;
  return (
    <Page
      title="Home"
      actions={
        mayAdd && (
          <button type="button" className="button" onClick={() => setAdding(true)}>
            <Icon name="add" />
            Add a cluster
          </button>
        )
      }
    >
      {error && <ErrorNote error={error} about="Clusters" />}
      {isEmpty && !seesHub() && <NoClustersForYou />}
      {isEmpty && seesHub() && (
        <Empty title="No clusters yet" command="drover sandbox create east --wait">
          Here you will see how your clusters are and what needs you. Begin with one that you have, or with a sandbox.
        </Empty>
      )}
      <LeftOut count={all.length - items.length} />
      {items.length > 0 && (
        <>
          <div className={`figures ${seesHub() ? 'six' : 'four'}`}>
            <Figure title="Clusters" value={items.length} to="/clusters" />
            <Figure title="Ready" value={count('good')} to="/clusters?q=state:ready" />
            <Figure title="Not ready" value={count('bad', 'warn')} to="/clusters?sort=state" isBad={count('bad', 'warn') > 0} />
            {!seesHub() && <Figure title="Nodes" value={nodes} to="/explore/core/v1/nodes" />}
            {seesHub() && (
              <>
                <Figure title="Rolling out" value={rolling} to="/services?sort=rollout" />
                <Figure title="Services" value={services.length} to="/services" />
                <Figure title="Services stuck" value={stuck} to="/services" isBad={stuck > 0} />
              </>
            )}
          </div>
          <FleetPicture clusters={items} />
        </>
      )}
      {(!isEmpty || seesHub()) && (
        <>
          <NeedsAPerson clusters={items} services={services} isLoading={state === 'loading'} />
          <WhatChanged clusters={items} services={services} isLoading={state === 'loading'} />
        </>
      )}
      {isAdding && <ImportDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}

function Figure({ title, value, to, isBad = false }: { title: string; value: number; to: string; isBad?: boolean }) {
  return (
    <PlaceLink to={to} className={`card figure-card ${isBad ? 'bad' : ''}`}>
      <span className="muted row">
        {isBad && <Icon name="bad" size={13} />}
        {title}
      </span>
      <span className="figure">{value.toLocaleString()}</span>
    </PlaceLink>
  );
}
