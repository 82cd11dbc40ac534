import type { TableColumn } from '../../data/watched-list.ts';
import type { PrintedRow } from './printed-rows.ts';

/** The same object on several clusters. */
export interface ObjectGroup {
  readonly key: string;
  readonly namespace: string | undefined;
  readonly name: string;
  /** By the name of the cluster. */
  readonly members: readonly PrintedRow[];
  /** What is printed of it, where all clusters print the same. */
  readonly common: readonly (string | undefined)[];
  readonly differences: readonly Deviation[];
}

/** What some clusters print otherwise than most do. */
export interface Deviation {
  readonly column: string;
  readonly value: string;
  readonly clusters: readonly string[];
}

/** What differs by nature says nothing. */
const incidental = /^(name|namespace|age|node|nominated node|duration|uid|.*\bips?|.*ip\(s\)|last .*|first .*|restarts)$/i;

/** One entry for each name in each namespace: an object alone as it is, and as one group what several clusters have. */
export function groupRows(rows: readonly PrintedRow[], columns: readonly TableColumn[]): readonly (PrintedRow | ObjectGroup)[] {
  const byKey = new Map<string, PrintedRow[]>();
  for (const row of rows) {
    const { namespace = '', name = '' } = row.object.metadata;
    const key = `${namespace}/${name}`;
    const present = byKey.get(key);
    if (present) present.push(row);
    else byKey.set(key, [row]);
  }
  return [...byKey].map(([key, found]) => (found.length === 1 ? found[0]! : groupOf(key, found, columns)));
}

function groupOf(key: string, found: readonly PrintedRow[], columns: readonly TableColumn[]): ObjectGroup {
  const { namespace, name = '' } = found[0]!.object.metadata;
  const members = found.toSorted((a, b) => (a.cluster < b.cluster ? -1 : 1));
  const byValue = columns.map((_, at) => clustersByValue(members, at));
  return {
    key,
    namespace,
    name,
    members,
    common: byValue.map(values => (values.size === 1 ? [...values.keys()][0] : undefined)),
    differences: columns.flatMap(({ name: column, type }, at) =>
      type === 'date' || incidental.test(column) ? [] : deviations(column, byValue[at]!),
    ),
  };
}

function clustersByValue(members: readonly PrintedRow[], at: number): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const { cluster, object } of members) {
    const value = String(object.cells[at] ?? '');
    const present = values.get(value);
    if (present) present.push(cluster);
    else values.set(value, [cluster]);
  }
  return values;
}

/** What most have is how it is meant to be; where as many have one as the other, what comes first. */
function deviations(column: string, values: ReadonlyMap<string, readonly string[]>): Deviation[] {
  const byNumber = [...values].toSorted(([, a], [, b]) => b.length - a.length);
  return byNumber.slice(1).map(([value, clusters]) => ({ column, value, clusters }));
}

const mostNamed = 3;

/** `Ready is 1/2 on east and west`, for people. */
export function deviationText({ column, value, clusters }: Deviation): string {
  const named = clusters.slice(0, mostNamed);
  const more = clusters.length - named.length;
  const where = [...named, ...(more > 0 ? [`${more} more`] : [])];
  const last = where.pop()!;
  return `${column} is ${value === '' ? 'empty' : value} on ${where.length > 0 ? `${where.join(', ')} and ${last}` : last}`;
}

/** Which clusters of a group are not as most are. */
export const deviatingClusters = ({ differences }: ObjectGroup): ReadonlySet<string> => new Set(differences.flatMap(one => one.clusters));
