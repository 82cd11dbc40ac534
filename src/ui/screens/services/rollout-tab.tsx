import { useState } from 'react';
import type { ClusterEntry, RolloutState, WaveStatus } from '../../../api/rollout.ts';
import { PlaceLink } from '../../app/place.tsx';
import { pathOf } from '../../data/kinds.ts';
import { useMay } from '../../data/permissions.ts';
import { request } from '../../data/request.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { Empty } from '../../parts/notes.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { StateBadge, words } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { isUnderWay, phaseTone } from '../../parts/phase-tone.ts';
import { droverName, kindOf, type Cluster, type MultiClusterService } from './service-kinds.ts';

/** How a change goes from wave to wave, and what can be done about it. */
export function RolloutTab({ mcs, members }: { mcs: MultiClusterService; members: ReadonlyMap<string, Cluster> }) {
  const state = mcs.status?.rollout;
  if (!mcs.spec.rollout)
    return (
      <Empty title="All clusters get every change at once" command="kubectl explain multiclusterservices.spec.rollout">
        spec.rollout names waves of clusters, how many may fail, and how long each must stay well before the next.
      </Empty>
    );
  if (!state)
    return <Empty title="Nothing has been rolled out yet">The first change goes through the waves as soon as the hub has seen it.</Empty>;
  return (
    <div className="stack">
      <RolloutSummary mcs={mcs} state={state} />
      <div className="waves" role="group" aria-label="Waves, in order" tabIndex={0}>
        {state.waves.map((wave, i) => (
          <Wave key={wave.name} wave={wave} number={i + 1} spec={mcs.spec.rollout?.waves?.find(one => one.name === wave.name)} />
        ))}
      </div>
      <SmallTable
        name="Clusters by wave"
        heads={['Wave', 'Cluster', 'State', 'Since', 'Why']}
        rows={state.waves.flatMap(wave =>
          wave.clusters.map(one => [
            wave.name,
            <ClusterName key="name" entry={one} members={members} />,
            <StateBadge key="state" tone={phaseTone(one.state)} word={words(one.state)} isBusy={isUnderWay(one.state)} />,
            <Time key="since" at={one.since} />,
            one.message ?? one.reason ?? '',
          ]),
        )}
      />
    </div>
  );
}

function ClusterName({ entry, members }: { entry: ClusterEntry; members: ReadonlyMap<string, Cluster> }) {
  const name = members.get(entry.name)?.metadata.name;
  return name === undefined ? <bdi>{entry.name}</bdi> : <PlaceLink to={`/clusters/${encodeURIComponent(name)}`}>{name}</PlaceLink>;
}

function RolloutSummary({ mcs, state }: { mcs: MultiClusterService; state: RolloutState }) {
  const { phase, message, updated, revision, verified, startedAt, finishedAt, breach, clusters } = state;
  const limit = mcs.spec.rollout?.maxFailures;
  return (
    <section className="card stack tight" aria-label="Where the rollout is">
      <div className="row">
        <StateBadge tone={phaseTone(phase)} word={words(phase)} isBusy={isUnderWay(phase)} />
        <strong>{updated && `${updated} clusters have the change`}</strong>
        <span className="grow" />
        <RolloutDeeds mcs={mcs} state={state} />
      </div>
      {message && <p>{message}</p>}
      {breach && (
        <p>
          Stopped: {breach.message} ({words(breach.reason).toLowerCase()})
        </p>
      )}
      <dl className="facts">
        <dt>Revision</dt>
        <dd>
          <code>{revision}</code>
          {verified !== undefined && verified !== revision && (
            <>
              {' '}
              after <code>{verified}</code>, which is verified
            </>
          )}
        </dd>
        <dt>Began</dt>
        <dd>
          <Time at={startedAt} isAgo />
          {finishedAt !== undefined && (
            <>
              , ended <Time at={finishedAt} isAgo />
            </>
          )}
        </dd>
        <dt>Failed</dt>
        <dd>
          {clusters?.failed ?? 0} of {clusters?.total ?? 0}
          {limit !== undefined && `, at most ${limit} may`}
        </dd>
      </dl>
    </section>
  );
}

function Wave({ wave, number, spec }: { wave: WaveStatus; number: number; spec: { soak?: string; maxFailures?: unknown } | undefined }) {
  const counts = new Map<string, number>();
  for (const { state } of wave.clusters) counts.set(state, (counts.get(state) ?? 0) + 1);
  return (
    <section className={`wave ${phaseTone(wave.phase)}`} aria-label={`Wave ${wave.name}`}>
      <div className="row">
        <h2 className="grow cut">
          {number}. <bdi>{wave.name}</bdi>
        </h2>
        <StateBadge tone={phaseTone(wave.phase)} word={wave.phase} isBusy={isUnderWay(wave.phase)} />
      </div>
      <ul>
        {[...counts].map(([state, count]) => (
          <li key={state}>
            <StateBadge tone={phaseTone(state)} word={words(state)} />
            <span className="number">{count}</span>
          </li>
        ))}
      </ul>
      {wave.clusters.length === 0 && <p className="muted">No clusters</p>}
      {wave.soakUntil !== undefined && wave.phase === 'Soaking' && (
        <p className="muted">
          Goes on <Time at={wave.soakUntil} /> if all stays well
        </p>
      )}
      {spec?.soak && wave.phase !== 'Soaking' && <p className="muted">Then watched for {spec.soak}</p>}
    </section>
  );
}

interface RolloutDeed {
  readonly verb: string;
  readonly word: string;
  readonly about: string;
  readonly body: () => object;
  readonly isDanger?: boolean;
}

const requestAnnotation = 'drover.io/rollout-request';

function deedsFor(mcs: MultiClusterService, state: RolloutState): RolloutDeed[] {
  const { phase, revision, verified, previous } = state;
  const ask = (verb: string) => () => ({
    metadata: { annotations: { [requestAnnotation]: `${verb} ${revision} ${new Date().toISOString()}` } },
  });
  const isOver = ['Succeeded', 'Aborted', 'RollingBack', 'RolledBack'].includes(phase);
  const goesBackTo = verified === revision ? previous : verified;
  const isPaused = mcs.spec.rollout?.paused === true;
  return [
    ...(isPaused
      ? [
          {
            verb: 'Resume',
            word: 'resume',
            about: 'Further clusters get the change again.',
            body: () => ({ spec: { rollout: { paused: null } } }),
          },
        ]
      : isOver
        ? []
        : [
            {
              verb: 'Pause',
              word: 'pause',
              about: 'No further cluster gets the change for now.',
              body: () => ({ spec: { rollout: { paused: true } } }),
            },
          ]),
    ...(phase === 'Succeeded' || phase === 'RollingBack'
      ? []
      : [{ verb: 'Retry', word: 'retry', about: 'It begins again with the same revision.', body: ask('retry') }]),
    ...(isOver
      ? []
      : [{ verb: 'Abort', word: 'abort', about: 'It stops, and every cluster stays as it is.', body: ask('abort'), isDanger: true }]),
    ...(goesBackTo === undefined
      ? []
      : [
          {
            verb: 'Roll back',
            word: 'undo',
            about: `Clusters go back to revision ${goesBackTo}, which was verified.`,
            body: ask('undo'),
            isDanger: true,
          },
        ]),
  ];
}

function RolloutDeeds({ mcs, state }: { mcs: MultiClusterService; state: RolloutState }) {
  const [asked, setAsked] = useState<RolloutDeed>();
  const { namespace, name = '' } = mcs.metadata;
  const kind = kindOf(mcs);
  const mayPatch = useMay({ verb: 'patch', kind, namespace, name });
  if (!mayPatch) return null;
  return (
    <>
      {deedsFor(mcs, state).map(deed => (
        <button key={deed.verb} type="button" className="button" onClick={() => setAsked(deed)}>
          {deed.verb}
        </button>
      ))}
      {asked && (
        <ActionDialog
          title={`${asked.verb} the rollout of ${name}`}
          verb={asked.verb}
          isDanger={asked.isDanger ?? false}
          command={`drover rollout ${asked.word} ${droverName(mcs)}`}
          onDo={() =>
            request(pathOf(kind, { namespace, name }), { method: 'PATCH', body: asked.body(), contentType: 'application/merge-patch+json' })
          }
          onClose={() => setAsked(undefined)}
        >
          <p>{asked.about}</p>
        </ActionDialog>
      )}
    </>
  );
}
