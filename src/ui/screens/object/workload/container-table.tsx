import { SmallTable } from '../../../parts/small-table.tsx';
import { StateBadge } from '../../../parts/state-badge.tsx';
import {
  amountsText,
  judgeContainer,
  lastEnd,
  portsText,
  probesText,
  type ContainerSpec,
  type ContainerStatus,
  type PodSpec,
} from './workload-shape.ts';

/** The containers that pods are made of; of a pod also how each of them is. */
export function ContainerTable({ spec, statuses }: { spec: PodSpec; statuses?: readonly ContainerStatus[] | undefined }) {
  const { containers = [], initContainers = [] } = spec;
  const all = [...initContainers.map(one => ({ one, isInit: true })), ...containers.map(one => ({ one, isInit: false }))];
  const heads = ['Name', ...(statuses ? ['State', 'Restarts'] : []), 'Image', 'Ports', 'Asks for', 'Probes'];
  return (
    <section className="card stack tight">
      <h2>Containers</h2>
      <SmallTable
        name="Containers"
        heads={heads}
        rows={all.map(({ one, isInit }) => [
          <span key="name">
            <code>{one.name}</code>
            {isInit && <span className="muted"> first</span>}
          </span>,
          ...(statuses ? stateCells(one, statuses) : []),
          <code key="image">{one.image}</code>,
          portsText(one) || none,
          amountsText(one.resources) || none,
          probesText(one) || none,
        ])}
      />
    </section>
  );
}

const none = <span className="muted">–</span>;

function stateCells({ name }: ContainerSpec, statuses: readonly ContainerStatus[]) {
  const status: Partial<ContainerStatus> = statuses.find(one => one.name === name) ?? {};
  const { tone, word, why } = judgeContainer(status);
  const end = lastEnd(status);
  return [
    <span key="state">
      <StateBadge tone={tone} word={word} why={why} />
      {why && <span className="muted"> {why}</span>}
    </span>,
    <span key="restarts">
      {status.restartCount ?? 0}
      {end !== '' && <span className="muted"> last: {end}</span>}
    </span>,
  ];
}
