import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { ageOf } from '../../apiserver/table/human-duration.ts';
import type { Table, TableColumn, TableRow } from '../output/table.ts';

/** What servers show of objects for which they have no columns of their own. */
const plainColumns: readonly TableColumn[] = [
  { name: 'Name', type: 'string', format: 'name' },
  { name: 'Age', type: 'string' },
];

export const isTable = (answer: JsonObject): boolean => answer['kind'] === 'Table';

/** The answer as a Table; servers that make none send objects, of which name and age are shown. */
export function tableOf(answer: JsonObject, now: Date): Table {
  if (!isTable(answer)) return { columnDefinitions: plainColumns, rows: objectsOf(answer).map(obj => plainRow(obj, now)) };
  return {
    columnDefinitions: list(answer['columnDefinitions']) as unknown as TableColumn[],
    rows: list(answer['rows']) as unknown as TableRow[],
    ...(isJsonObject(answer['metadata']) && { metadata: answer['metadata'] as NonNullable<Table['metadata']> }),
  };
}

function plainRow(obj: JsonObject, now: Date): TableRow {
  const metadata = isJsonObject(obj['metadata']) ? obj['metadata'] : {};
  const { name = '', creationTimestamp } = metadata;
  const age = ageOf(typeof creationTimestamp === 'string' ? creationTimestamp : undefined, now);
  return { cells: [name, age], object: obj as unknown as NonNullable<TableRow['object']> };
}

/** The objects of a list, which leave out their type, or the object itself. */
export function objectsOf(answer: JsonObject): JsonObject[] {
  if (!Array.isArray(answer['items'])) return [answer];
  const { apiVersion = '', kind } = answer;
  const itemKind = typeof kind === 'string' ? kind.replace(/List$/, '') : '';
  return answer['items'].filter(isJsonObject).map(item => ({ apiVersion, kind: itemKind, ...item }));
}

const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
