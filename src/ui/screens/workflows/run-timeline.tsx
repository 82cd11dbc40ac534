import type { ClusterRun } from '../../../dialects/workflows/kinds/cluster-run.ts';
import type { GateStatus, WaveState, WorkflowRun } from '../../../dialects/workflows/kinds/workflow-run.ts';
import { PlaceLink } from '../../app/place.tsx';
import { Empty } from '../../parts/notes.tsx';
import { PhaseBadge } from '../../parts/phase-badge.tsx';
import { phaseTone } from '../../parts/phase-tone.ts';
import { printAge, Time } from '../../parts/time.tsx';
import { runGrid, type GridWave, type RunGrid } from './run-grid.ts';

/** Waves from left to right with their gates, then steps by clusters. */
export function RunTimeline({ run, clusterRuns }: { run: WorkflowRun; clusterRuns: readonly ClusterRun[] }) {
  const grid = runGrid(run, clusterRuns);
  const counts = run.status?.clusters;
  if (grid.waves.length === 0 && grid.common.length === 0)
    return (
      <Empty title="It has not begun">{run.status?.queuePosition ? `${run.status.queuePosition} go first.` : 'It is about to.'}</Empty>
    );
  return (
    <div className="stack">
      {grid.common.length > 0 && (
        <section aria-label="Done once for all clusters">
          <ul className="way">
            {grid.common.map((step, i) => (
              <li key={i} className="row">
                <span className="muted">{step.name}</span>
                <PhaseBadge phase={step.status} why={step.message} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <div className="waves" role="group" aria-label="Waves, in order" tabIndex={0}>
        {grid.waves.map((one, i) => (
          <Wave key={one.wave.name} grid={one} number={i + 1} />
        ))}
      </div>
      {counts && (
        <p className="muted">
          {counts.succeeded ?? 0} of {counts.total} clusters are done, {counts.failed ?? 0} failed
          {counts.deferred ? `, ${counts.deferred} catch up when they can` : ''}
          {budgetText(run)}.
        </p>
      )}
      <Grid grid={grid} />
    </div>
  );
}

function budgetText({ status }: WorkflowRun): string {
  const workflow = (status?.snapshot as { workflow?: { spec?: { rollout?: { maxFailures?: number | string } } } } | undefined)?.workflow;
  const limit = workflow?.spec?.rollout?.maxFailures;
  return limit === undefined ? '' : `; at most ${limit} may fail`;
}

function Wave({ grid: { wave, rows }, number }: { grid: GridWave; number: number }) {
  const { name, phase, gates = [], startedAt, finishedAt, soakUntil } = wave;
  const done = rows.filter(one => one.state === 'Succeeded').length;
  return (
    <section className={`wave ${phaseTone(phase)}`} aria-label={`Wave ${name}`}>
      <div className="row">
        <h2 className="grow cut">
          {number}. <bdi>{name}</bdi>
        </h2>
        <PhaseBadge phase={phase} />
      </div>
      <ul>
        {gates
          .filter(one => one.side !== 'after')
          .map(gate => (
            <Gate key={gate.name} gate={gate} />
          ))}
        <li>
          <span>
            {done} of {rows.length} clusters
          </span>
          <span className="muted number">{durationOf(startedAt, finishedAt)}</span>
        </li>
        {gates
          .filter(one => one.side === 'after')
          .map(gate => (
            <Gate key={gate.name} gate={gate} />
          ))}
      </ul>
      {phase === 'Soaking' && soakUntil && (
        <p className="muted">
          Goes on <Time at={soakUntil} /> if all stays well
        </p>
      )}
    </section>
  );
}

function durationOf(startedAt: WaveState['startedAt'], finishedAt: WaveState['finishedAt']): string {
  if (startedAt === undefined) return '';
  return printAge((finishedAt === undefined ? Date.now() : Date.parse(finishedAt)) - Date.parse(startedAt));
}

function Gate({ gate: { name, type, phase, message } }: { gate: GateStatus }) {
  return (
    <li title={message}>
      <span className="cut">
        Gate <bdi>{name}</bdi> <span className="muted">{type}</span>
      </span>
      <PhaseBadge phase={phase === 'Running' ? 'Waiting' : phase} why={message} />
    </li>
  );
}

const mostRows = 500;

function Grid({ grid: { steps, waves } }: { grid: RunGrid }) {
  const total = waves.reduce((sum, one) => sum + one.rows.length, 0);
  let room = mostRows;
  return (
    <div className="small-table" role="region" aria-label="Steps by clusters" tabIndex={0}>
      <table>
        <caption className="unseen">What came of each step on each cluster</caption>
        <thead>
          <tr>
            <th scope="col">Cluster</th>
            <th scope="col">State</th>
            {steps.map(step => (
              <th key={step.key} scope="col">
                <span className="muted">{step.isRollback ? 'Undo' : step.phase}</span>
                <br />
                {step.name}
              </th>
            ))}
            <th scope="col">Says</th>
          </tr>
        </thead>
        {waves.map(({ wave, rows }) => {
          const shown = rows.slice(0, Math.max(0, room));
          room -= shown.length;
          return (
            <tbody key={wave.name}>
              <tr className="group">
                <th scope="rowgroup" colSpan={steps.length + 3}>
                  Wave <bdi>{wave.name}</bdi>
                </th>
              </tr>
              {shown.map(row => (
                <tr key={row.id}>
                  <th scope="row">
                    <PlaceLink to={`/clusters/${encodeURIComponent(row.cluster)}`}>
                      <bdi>{row.cluster}</bdi>
                    </PlaceLink>
                  </th>
                  <td>
                    <PhaseBadge phase={row.state} />
                  </td>
                  {steps.map(step => {
                    const cell = row.cells.get(step.key);
                    return (
                      <td key={step.key}>
                        {cell ? <PhaseBadge phase={cell.status} why={cell.message} /> : <span className="muted">–</span>}
                      </td>
                    );
                  })}
                  <td>{row.message}</td>
                </tr>
              ))}
            </tbody>
          );
        })}
      </table>
      {total > mostRows && (
        <p className="muted">
          The first {mostRows} of {total} clusters.
        </p>
      )}
    </div>
  );
}
