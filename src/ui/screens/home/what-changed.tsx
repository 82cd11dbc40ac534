import { useEffect, useMemo, useState } from 'react';
import type { Cluster } from '../../../api/cluster.ts';
import { PlaceLink } from '../../app/place.tsx';
import { useOfScope } from '../../app/scope.tsx';
import { deliveryKinds } from '../../data/delivery-kinds.ts';
import { seesHub } from '../../data/hub-sight.ts';
import { kinds } from '../../data/kinds.ts';
import { useMayRead } from '../../data/permissions.ts';
import { useLineStream } from '../../data/use-line-stream.ts';
import { useList } from '../../data/use-list.ts';
import { useListIfServed } from '../../data/use-served.ts';
import type { PrintedObject } from '../../data/watched-list.ts';
import { Loading } from '../../parts/notes.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Time, useTick } from '../../parts/time.tsx';
import { clusterOf, type AuditEvent } from '../audit/audit-event.ts';
import type { EventObject } from '../object/event-columns.tsx';
import type { MultiClusterService } from '../services/service-kinds.ts';
import { recentChanges, recentMs } from './recent-changes.ts';

const mostShown = 12;
const auditPath = '/audit/events';
/** More says less: many alike are one line. */
const mostDeeds = 200;
const retryMs = 10_000;
/** On an API that is a cluster too, others tell their events as well. */
const ofRollouts = 'reportingComponent=drover.io/k0rdent-rollout';

interface WhatChangedProps {
  readonly clusters: readonly Cluster[];
  readonly services: readonly MultiClusterService[];
  /** Whether clusters may still be on their way. */
  readonly isLoading: boolean;
}

/** What somebody who is called asks first. Most of it is in what this screen has anyway; of the rest little is asked for. */
export function WhatChanged({ clusters, services, isLoading }: WhatChangedProps) {
  useTick();
  const rollouts = useList<EventObject>(seesHub() ? { kind: kinds.event, fieldSelector: ofRollouts } : undefined);
  const runs = useListIfServed<PrintedObject>({ kind: deliveryKinds.workflowRun, isTable: true });
  const deeds = useOfScope(useDeeds(), clusterOf);
  const facts = useMemo(
    () => ({ clusters, services, rollouts: rollouts.items, runs: runs.items, runColumns: runs.columns, deeds }),
    [clusters, services, rollouts.items, runs.items, runs.columns, deeds],
  );
  const minute = Math.floor(Date.now() / 60_000);
  const changes = useMemo(() => recentChanges(facts, minute * 60_000), [facts, minute]);
  const maySee = useMayRead(auditPath);
  return (
    <section className="card stack tight" aria-labelledby="changed">
      <div className="row">
        <h2 id="changed">What changed in the last hour</h2>
        {maySee && <PlaceLink to="/audit?span=1h">Who did what</PlaceLink>}
      </div>
      {changes.length === 0 && isLoading && <Loading />}
      {changes.length === 0 && !isLoading && (
        <p className="muted">Nothing: no cluster came, went or changed its state, and nothing was rolled out.</p>
      )}
      <ul className="matters">
        {changes.slice(0, mostShown).map(({ id, what, place, tone, word, why, at }) => (
          <li key={id}>
            <StateBadge tone={tone} word={word} />
            <span>
              <PlaceLink to={place}>{what}</PlaceLink> {why && <span className="muted">{why}</span>}
            </span>
            <Time at={at} isAgo />
          </li>
        ))}
      </ul>
      {changes.length > mostShown && <p className="muted">and {changes.length - mostShown} more, older ones</p>}
    </section>
  );
}

/** What people did, for those who may know, as they do it. */
function useDeeds(): readonly AuditEvent[] {
  const maySee = useMayRead(auditPath);
  const [since, setSince] = useState(() => Date.now() - recentMs);
  const path = useMemo(() => {
    const query = { changes: 'true', newest: String(mostDeeds), follow: 'true', since: new Date(since).toISOString() };
    return maySee ? `${auditPath}?${new URLSearchParams(query).toString()}` : undefined;
  }, [maySee, since]);
  const { lines, isLive, isLoading } = useLineStream<AuditEvent>(path);
  const isBroken = path !== undefined && !isLive && !isLoading;
  useEffect(() => {
    if (!isBroken) return;
    const timer = setTimeout(() => setSince(Date.now() - recentMs), retryMs);
    return () => clearTimeout(timer);
  }, [isBroken]);
  return lines;
}
