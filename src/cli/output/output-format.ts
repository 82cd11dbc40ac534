import { readFileSync } from 'node:fs';
import { compileJsonPath } from '../../util/jsonpath.ts';
import { CommandError, usageError } from '../exit-codes.ts';
import { parseCustomColumns, readCustomColumns } from './custom-columns.ts';
import { columnsPrinter, jsonPathPrinter, jsonPrinter, namePrinter, yamlPrinter, type ObjectPrinter } from './object-printers.ts';

/** The form in which a command shows objects: the server's own table, or a printer of whole objects. */
export type OutputFormat = { readonly as: 'table'; readonly wide: boolean } | { readonly as: 'objects'; readonly printer: ObjectPrinter };

export interface OutputOptions {
  readonly noHeaders?: boolean;
  readonly showManagedFields?: boolean;
  /** Objects come from members and say from which. */
  readonly ofMembers?: boolean;
}

/** Formats that are one word, and those that take a value: `jsonpath=…`. */
export const plainFormats = ['wide', 'json', 'yaml', 'name'] as const;
export const formatsWithValue = ['jsonpath', 'jsonpath-as-json', 'jsonpath-file', 'custom-columns', 'custom-columns-file'] as const;

/** Reads the value of `-o`. Throws before anything is asked of a server. */
export function parseOutputFormat(text: string, options: OutputOptions = {}): OutputFormat {
  if (text === '' || text === 'wide') return { as: 'table', wide: text === 'wide' };
  const equals = text.indexOf('=');
  const [format, value] = equals < 0 ? [text, undefined] : [text.slice(0, equals), text.slice(equals + 1)];
  const printer = value === undefined ? plainPrinter(format, options) : printerWithValue(format, value, options);
  if (!printer) throw unknownFormat(text);
  return { as: 'objects', printer };
}

function plainPrinter(format: string, { showManagedFields = false, ofMembers = false }: OutputOptions): ObjectPrinter | undefined {
  if (format === 'json') return jsonPrinter({ showManagedFields });
  if (format === 'yaml') return yamlPrinter({ showManagedFields });
  if (format === 'name') return namePrinter({ ofMembers });
  if (formatsWithValue.some(one => one === format))
    throw usageError(`template format specified but no template given`, `write -o ${format}=…`);
  return undefined;
}

function printerWithValue(format: string, value: string, { noHeaders = false }: OutputOptions): ObjectPrinter | undefined {
  switch (format) {
    case 'jsonpath':
    case 'jsonpath-as-json':
      return jsonPathPrinter(compile(value), { asJson: format === 'jsonpath-as-json' });
    case 'jsonpath-file':
      return jsonPathPrinter(compile(readTemplate(value)), { asJson: false });
    case 'custom-columns':
      return columnsPrinter(parseCustomColumns(value), { noHeaders });
    case 'custom-columns-file':
      return columnsPrinter(readCustomColumns(value), { noHeaders });
    default:
      return undefined;
  }
}

function compile(template: string) {
  try {
    return compileJsonPath(template, { allowMissing: true });
  } catch (cause) {
    throw new CommandError(`error parsing jsonpath ${template}`, {
      cause,
      exitCode: 2,
      hint: `for example: -o jsonpath='{.metadata.name}'`,
    });
  }
}

function readTemplate(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CommandError(`error reading --template ${file}`, { cause, hint: 'name a file that you can read' });
  }
}

function unknownFormat(text: string): CommandError {
  const allowed = [...plainFormats, ...formatsWithValue].sort().join(',');
  return usageError(
    `unable to match a printer suitable for the output format ${JSON.stringify(text)}, allowed formats are: ${allowed}`,
    'for example: -o yaml',
  );
}
