import { useMemo } from 'react';
import { kinds, type KubeObject } from '../../data/kinds.ts';
import { useList } from '../../data/use-list.ts';
import { Empty, ErrorNote } from '../../parts/notes.tsx';
import { Table } from '../../parts/table/table.tsx';
import { commandFor } from './command-for.ts';
import { eventColumns, type EventObject } from './event-columns.tsx';

/** What happened to one object. */
export function ObjectEvents({ object, cluster }: { object: KubeObject; cluster: string }) {
  const { uid, namespace } = object.metadata;
  const { items, state, error } = useList<EventObject>({
    cluster,
    kind: kinds.event,
    namespace: namespace ?? 'default',
    fieldSelector: `involvedObject.uid=${uid ?? ''}`,
  });
  const columns = useMemo(() => eventColumns.filter(one => one.id !== 'object' && one.id !== 'namespace'), []);
  return (
    <>
      {error && <ErrorNote error={error} about="Events" />}
      <Table
        name="Events"
        rows={items}
        columns={columns}
        keyOf={one => one.metadata.uid!}
        state={state}
        sort="last"
        empty={
          <Empty
            title="No events"
            command={commandFor(cluster, `events --for ${(object.kind ?? '').toLowerCase()}/${object.metadata.name ?? ''}`, namespace)}
          >
            Nothing has been said about it for an hour or so: events are not kept for longer.
          </Empty>
        }
      />
    </>
  );
}
