import type { KubeObject } from '../../api/object.ts';
import type { Json } from '../../util/json.ts';
import { compileJsonPath, printResult, type JsonPath } from '../../util/jsonpath.ts';
import { column, nameColumn, nameOf, type Cell, type Column, type Printer } from './cell.ts';
import { ageOf } from './human-duration.ts';

/** One of `additionalPrinterColumns`. */
export interface PrinterColumn {
  name: string;
  type: string;
  jsonPath: string;
  format?: string;
  description?: string;
  priority?: number;
}

const defaultColumns: readonly PrinterColumn[] = [{ name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }];
const printers = new WeakMap<readonly PrinterColumn[], Printer>();

/** How a custom resource is shown: its name and what its definition asks for, or its age if that is nothing. */
export function customPrinter(columns: readonly PrinterColumn[]): Printer {
  const known = printers.get(columns);
  if (known !== undefined) return known;
  const printer = makePrinter(columns.length === 0 ? defaultColumns : columns);
  printers.set(columns, printer);
  return printer;
}

function makePrinter(columns: readonly PrinterColumn[]): Printer {
  const paths: JsonPath[] = [];
  const headers: Column[] = [nameColumn];
  for (const definition of columns) {
    const path = readPath(definition.jsonPath);
    // A path that cannot be read ends the table there, as it does in the real server.
    if (path === undefined) break;
    paths.push(path);
    headers.push(headerOf(definition));
  }
  return {
    columns: headers,
    cells: (obj, now) => [nameOf(obj), ...paths.map((path, i) => cellOf(path, headers[i + 1]?.type ?? '', obj, now))],
  };
}

function headerOf({ name, type, format = '', description = '', priority = 0, jsonPath }: PrinterColumn): Column {
  const isDefault = description === '' && jsonPath === '.metadata.creationTimestamp' && name === 'Age';
  const fallback = isDefault ? '' : `Custom resource definition column (in JSONPath format): ${jsonPath}`;
  return column(name, description || fallback, { type, format, priority });
}

function readPath(jsonPath: string): JsonPath | undefined {
  try {
    return compileJsonPath(`{${jsonPath}}`, { allowMissing: true });
  } catch {
    return undefined;
  }
}

function cellOf(path: JsonPath, type: string, obj: KubeObject, now: Date): Cell {
  let value: Json | undefined;
  try {
    value = path.find(obj as unknown as Json)[0]?.[0];
  } catch {
    return null;
  }
  if (value === undefined) return null;
  if (type === 'string') return printResult(value);
  if (type === 'boolean') return typeof value === 'boolean' ? value : null;
  if (type === 'date') return dateCell(value, now);
  if (typeof value !== 'number') return null;
  return type === 'integer' ? Math.trunc(value) : type === 'number' ? value : null;
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function dateCell(value: Json, now: Date): Cell {
  if (typeof value !== 'string') return null;
  if (value === '' || value === 'null') return '<unknown>';
  return rfc3339.test(value) ? ageOf(value, now) : '<invalid>';
}
