import { PlaceLink } from '../../../app/place.tsx';
import { kinds, objectPlace } from '../../../data/kinds.ts';
import { useList } from '../../../data/use-list.ts';
import type { PrintedObject } from '../../../data/watched-list.ts';
import { ErrorNote, Loading } from '../../../parts/notes.tsx';
import { SmallTable } from '../../../parts/small-table.tsx';
import { Time } from '../../../parts/time.tsx';
import { PrintedState } from '../../explore/printed-state.tsx';

interface PodsCardProps {
  readonly cluster: string;
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** What is said when there are none. */
  readonly empty: string;
}

const mostPods = 50;

/** The pods of something, as the server prints them. */
export function PodsCard({ cluster, namespace, labelSelector, fieldSelector, empty }: PodsCardProps) {
  const { items, columns, state, error } = useList<PrintedObject>({
    cluster,
    kind: kinds.pod,
    namespace,
    labelSelector,
    fieldSelector,
    isTable: true,
  });
  const cell = ({ cells }: PrintedObject, name: string) => String(cells[columns.findIndex(one => one.name === name)] ?? '');
  const shown = items.toSorted((a, b) => (a.metadata.name ?? '').localeCompare(b.metadata.name ?? '')).slice(0, mostPods);
  return (
    <section className="card stack tight">
      <h2>Pods</h2>
      {error && <ErrorNote error={error} about="Pods" />}
      {items.length === 0 && state === 'loading' && <Loading />}
      {items.length === 0 && state !== 'loading' && !error && <p className="muted">{empty}</p>}
      {items.length > 0 && (
        <SmallTable
          name="Pods"
          heads={['Name', 'Ready', 'State', 'Restarts', 'Node', 'Address', 'Age']}
          rows={shown.map(one => [
            <PlaceLink key="name" to={objectPlace(kinds.pod, { cluster, namespace: one.metadata.namespace, name: one.metadata.name })}>
              {namespace === undefined && `${one.metadata.namespace ?? ''}/`}
              {one.metadata.name}
            </PlaceLink>,
            <PrintedState key="ready" text={cell(one, 'Ready')} />,
            <PrintedState key="state" text={cell(one, 'Status')} />,
            cell(one, 'Restarts'),
            cell(one, 'Node'),
            cell(one, 'IP'),
            <Time key="age" at={one.metadata.creationTimestamp} />,
          ])}
        />
      )}
      {items.length > mostPods && <p className="muted">and {(items.length - mostPods).toLocaleString()} more</p>}
    </section>
  );
}
