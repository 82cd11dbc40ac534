import { readFileSync } from 'node:fs';
import { goPrint } from '../../util/go-print.ts';
import type { Json } from '../../util/json.ts';
import type { JsonPath } from '../../util/jsonpath.ts';
import { CommandError, usageError } from '../exit-codes.ts';
import { relaxedPath } from './relaxed-path.ts';
import { escapeTerminal } from './table-printer.ts';

export interface CustomColumn {
  readonly header: string;
  readonly path: JsonPath;
}

const example = 'for example: -o custom-columns=NAME:.metadata.name,AGE:.metadata.creationTimestamp';

/** Columns from `NAME:.metadata.name,AGE:.metadata.creationTimestamp`. */
export function parseCustomColumns(spec: string): CustomColumn[] {
  if (spec === '') throw usageError('custom-columns format specified but no custom columns given', example);
  return spec.split(',').map(part => {
    const colon = part.indexOf(':');
    if (colon < 0) throw usageError(`unexpected custom-columns spec: ${part}, expected <header>:<json-path-expr>`, example);
    return { header: part.slice(0, colon), path: relaxedPath(part.slice(colon + 1)) };
  });
}

/** Columns from a file: one line of headers, one line of paths. */
export function readCustomColumns(file: string): CustomColumn[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CommandError(`error reading template ${file}`, { cause, hint: 'name a file that you can read' });
  }
  const [headers = [], paths = []] = text.split('\n').map(line => line.split(/\s+/).filter(word => word !== ''));
  if (headers.length !== paths.length || headers.length === 0)
    throw usageError(`number of headers (${headers.length}) and field specifications (${paths.length}) don't match`);
  return headers.map((header, i) => ({ header, path: relaxedPath(paths[i]!) }));
}

/** One line of cells for an object. */
export function customLine(columns: readonly CustomColumn[], object: Json): string {
  return columns
    .map(({ path }) => {
      const found = path.find(object).flat();
      return found.length === 0 ? '<none>' : found.map(value => escapeTerminal(goPrint(value))).join(',');
    })
    .join('\t');
}
