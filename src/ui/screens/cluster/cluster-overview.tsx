import type { Cluster } from '../../../api/cluster.ts';
import { taintText } from '../../../api/cluster-taints.ts';
import { percentOf } from '../../../api/percent-of.ts';
import { seesHub } from '../../data/hub-sight.ts';
import { Share } from '../../parts/share.tsx';
import { Tags } from '../../parts/tags.tsx';
import { Time } from '../../parts/time.tsx';
import { idOf } from '../clusters/cluster-kind.ts';
import { LastSeen } from '../clusters/last-seen.tsx';
import { Conditions } from '../object/object-facts.tsx';

const ways = {
  Direct: 'The hub calls its API server',
  Tunnel: 'An agent there dials the hub',
  Sandbox: 'It lives inside the hub',
  Local: 'It is the hub itself',
} as const;

export function ClusterOverview({ cluster }: { cluster: Cluster }) {
  const { spec, status, metadata } = cluster;
  const asked = (name: string) => ({
    value: status?.requested ? String(status.requested[name] ?? 0) : '–',
    whole: status?.allocatable?.[name],
    percent: percentOf(status?.requested && (status.requested[name] ?? 0), status?.allocatable?.[name]),
  });
  return (
    <div className="stack">
      <div className="figures four">
        <Figure title="Nodes ready" value={status?.nodes ? `${status.nodes.ready} of ${status.nodes.total}` : '–'} />
        <Figure title="CPU requests" {...asked('cpu')} />
        <Figure title="Memory requests" {...asked('memory')} />
        <Figure title="Pods" {...asked('pods')} />
      </div>
      <section className="card">
        <dl className="facts">
          <dt>Id</dt>
          <dd>
            <code>{idOf(cluster)}</code>
          </dd>
          <dt>Kubernetes</dt>
          <dd>
            {status?.version ?? '–'} {status?.platform && <span className="muted">{status.platform}</span>}
          </dd>
          <dt>Provider</dt>
          <dd>{status?.provider ?? '–'}</dd>
          <dt>Region</dt>
          <dd>{status?.regions?.join(', ') || '–'}</dd>
          {seesHub() && (
            <>
              <dt>Reached by</dt>
              <dd>
                {spec.connection.mode} <span className="muted">{ways[spec.connection.mode]}</span>
              </dd>
            </>
          )}
          {status?.agentVersion && (
            <>
              <dt>Agent</dt>
              <dd>{status.agentVersion}</dd>
            </>
          )}
          <dt>Last seen</dt>
          <dd>
            <LastSeen cluster={cluster} isAgo />
          </dd>
          <dt>Added</dt>
          <dd>
            <Time at={metadata.creationTimestamp} isAgo />
          </dd>
          <dt>Labels</dt>
          <dd>
            <Tags labels={metadata.labels} />
          </dd>
          {(spec.taints?.length ?? 0) > 0 && (
            <>
              <dt>Taints</dt>
              <dd>
                {spec.taints!.map(one => (
                  <code key={taintText(one)}>{taintText(one)} </code>
                ))}
              </dd>
            </>
          )}
          {spec.paused && (
            <>
              <dt>Paused</dt>
              <dd>The hub changes nothing there for now.</dd>
            </>
          )}
        </dl>
      </section>
      <Conditions conditions={status?.conditions ?? []} />
    </div>
  );
}

interface FigureProps {
  readonly title: string;
  readonly value: string;
  readonly whole?: string | number | undefined;
  readonly percent?: number | undefined;
}

function Figure({ title, value, whole, percent }: FigureProps) {
  return (
    <div className="card">
      <p className="muted">{title}</p>
      <p className="figure">{value}</p>
      {whole !== undefined && (
        <p className="row muted">
          of {whole} {percent !== undefined && <Share percent={percent} />}
        </p>
      )}
    </div>
  );
}
