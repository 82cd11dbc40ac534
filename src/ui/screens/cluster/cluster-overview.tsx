import type { Cluster } from '../../../api/cluster.ts';
import { Tags } from '../../parts/tags.tsx';
import { Time } from '../../parts/time.tsx';
import { idOf } from '../clusters/cluster-kind.ts';
import { Conditions } from '../object/object-facts.tsx';

const ways = {
  Direct: 'The hub calls its API server',
  Tunnel: 'An agent there dials the hub',
  Sandbox: 'It lives inside the hub',
  Local: 'It is the hub itself',
} as const;

export function ClusterOverview({ cluster }: { cluster: Cluster }) {
  const { spec, status, metadata } = cluster;
  const amount = (name: string) => String(status?.allocatable?.[name] ?? '–');
  return (
    <div className="stack">
      <div className="cards">
        <Figure title="Nodes ready" value={status?.nodes ? `${status.nodes.ready} of ${status.nodes.total}` : '–'} />
        <Figure title="CPU for pods" value={amount('cpu')} />
        <Figure title="Memory for pods" value={amount('memory')} />
        <Figure title="Pods at most" value={amount('pods')} />
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
          <dt>Reached by</dt>
          <dd>
            {spec.connection.mode} <span className="muted">{ways[spec.connection.mode]}</span>
          </dd>
          {status?.agentVersion && (
            <>
              <dt>Agent</dt>
              <dd>{status.agentVersion}</dd>
            </>
          )}
          <dt>Last seen</dt>
          <dd>
            <Time at={status?.lastSeen} isAgo />
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
                <Tags labels={Object.fromEntries(spec.taints!.map(({ key, value = '', effect }) => [`${key}=${value}`, effect]))} />
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

function Figure({ title, value }: { title: string; value: string }) {
  return (
    <div className="card">
      <p className="muted">{title}</p>
      <p className="figure">{value}</p>
    </div>
  );
}
