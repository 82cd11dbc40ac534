import type { KubeObject } from '../../data/kinds.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { Time } from '../../parts/time.tsx';

export interface EventObject extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly note?: string;
  readonly count?: number;
  readonly lastTimestamp?: string | null;
  readonly firstTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
  readonly involvedObject?: { readonly kind?: string; readonly name?: string; readonly namespace?: string };
}

const lastOf = (one: EventObject) =>
  one.series?.lastObservedTime ?? one.lastTimestamp ?? one.eventTime ?? one.firstTimestamp ?? one.metadata.creationTimestamp;

export const eventColumns: readonly Column<EventObject>[] = [
  {
    id: 'last',
    title: 'Last',
    width: '6rem',
    value: one => -Date.parse(lastOf(one) ?? ''),
    cell: one => <Time at={lastOf(one) ?? undefined} />,
  },
  {
    id: 'type',
    title: 'Type',
    width: '8rem',
    value: one => one.type,
    cell: one => <StateBadge tone={one.type === 'Warning' ? 'warn' : 'idle'} word={one.type ?? 'Normal'} />,
  },
  { id: 'reason', title: 'Reason', width: '12rem', value: one => one.reason },
  {
    id: 'object',
    title: 'Object',
    width: 'minmax(12rem, 1fr)',
    value: ({ involvedObject: about }) => `${about?.kind ?? ''} ${about?.name ?? ''}`,
  },
  { id: 'namespace', title: 'Namespace', width: '9rem', value: one => one.metadata.namespace },
  {
    id: 'message',
    title: 'Message',
    width: 'minmax(20rem, 3fr)',
    value: one => one.message ?? one.note,
    cell: one => <span title={one.message ?? one.note}>{one.message ?? one.note}</span>,
  },
  { id: 'count', title: 'Times', width: '5rem', isNumber: true, value: one => one.series?.count ?? one.count ?? 1 },
];
