import type { WorkflowRun } from '../../../dialects/workflows/kinds/workflow-run.ts';
import { useUrlValue } from '../../app/place.tsx';
import { useLineStream } from '../../data/use-line-stream.ts';
import { LineFilter } from '../../parts/line-filter.tsx';
import { CommandLine } from '../../parts/command-line.tsx';
import { Lines } from '../../parts/lines.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';

interface LogLine {
  readonly ts: string;
  readonly level: string;
  readonly cluster: string | null;
  readonly step: string;
  readonly unit: string;
  readonly msg: string;
}

/** What the steps of a run say, of all clusters or of one. */
export function RunLogs({ run }: { run: WorkflowRun }) {
  const { namespace = '', name = '' } = run.metadata;
  const [cluster, setCluster] = useUrlValue('of');
  const [filter, setFilter] = useUrlValue('q');
  const query = new URLSearchParams({ follow: 'true', ...(cluster !== '' && { cluster }) });
  const place = `namespaces/${encodeURIComponent(namespace)}/workflowruns/${encodeURIComponent(name)}`;
  const { lines, isLive, error } = useLineStream<LogLine>(`/delivery/v1/${place}/logs?${query.toString()}`);
  const wanted = filter.toLowerCase();
  const shown = wanted === '' ? lines : lines.filter(one => `${one.step} ${one.unit} ${one.msg}`.toLowerCase().includes(wanted));
  return (
    <div className="stack tight">
      <div className="row">
        <LineFilter words={filter} onChange={setFilter} />
        <select
          className="input log-filter"
          aria-label="Of which cluster"
          value={cluster}
          onChange={event => setCluster(event.target.value)}
        >
          <option value="">All clusters</option>
          <option value="run">The run itself</option>
          {(run.status?.resolvedClusters ?? []).map(one => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
        </select>
        <StateBadge tone={isLive ? 'good' : 'idle'} word={isLive ? 'Live' : 'Ended'} />
        <span className="muted">{shown.length.toLocaleString()} lines</span>
      </div>
      {error && <ErrorNote error={error} about="Log" />}
      <Lines
        name={`Log of ${name}`}
        lines={shown}
        keyOf={(_one, i) => i}
        draw={one => (
          <span className={one.level === 'ERROR' ? 'log-bad' : one.level === 'WARN' ? 'log-warn' : ''}>
            <span className="muted">{one.ts.slice(11, 19)} </span>
            <span className="log-from">
              {one.cluster ?? 'run'} · {one.step}
              {one.unit && ` · ${one.unit}`}{' '}
            </span>
            {one.level !== 'INFO' && `${one.level} `}
            {one.msg.replaceAll('\n', ' ⏎ ')}
          </span>
        )}
      />
      <CommandLine command={`drover logs run/${name} -n ${namespace} --follow`} />
    </div>
  );
}
