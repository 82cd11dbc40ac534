import { parseJson } from '../../util/json.ts';
import { errorText } from '../../util/error-text.ts';
import type { Chart } from '../chart/chart.ts';
import { toJson } from '../go/go-json.ts';
import { isMap, typeOf, type GoMap } from '../go/go-value.ts';
import { SchemaDocument } from './schema-document.ts';
import { printFaults, quoted } from './schema-error.ts';
import { validateValue } from './validate-value.ts';

/** Throws with Helm's words when values do not meet the schemas of the chart and its subcharts. */
export function validateValues(chart: Chart, values: GoMap): void {
  const faults = faultsOf(chart, values);
  if (faults === '') return;
  throw new Error(`values don't meet the specifications of the schema(s) in the following chart(s):\n${faults}`);
}

function faultsOf(chart: Chart, values: GoMap): string {
  let text = '';
  const { name } = chart.metadata;
  if (chart.schema) {
    const own = schemaFaults(chart.schema, values);
    if (own !== '') text += `${name}:\n${own}`;
  }
  for (const child of chart.dependencies) {
    const inside = values.get(child.metadata.name);
    if (inside === undefined || inside === null) continue;
    if (isMap(inside)) text += faultsOf(child, inside);
    else text += `${child.metadata.name}:\ninvalid type for values: expected object (map), got ${typeOf(inside).name}\n`;
  }
  return text;
}

/** Schemas that were read before, by their bytes. */
const documents = new WeakMap<Buffer, SchemaDocument>();

function documentOf(schema: Buffer): SchemaDocument {
  let document = documents.get(schema);
  if (!document) {
    document = new SchemaDocument(parseJson(schema.toString()));
    documents.set(schema, document);
  }
  return document;
}

function schemaFaults(schema: Buffer, values: GoMap): string {
  try {
    const document = documentOf(schema);
    const faults = validateValue(document, toJson(values));
    if (faults.length === 0) return '';
    const head = `jsonschema validation failed with ${quoted(`${document.location}#`)}`;
    const text = `${head}${printFaults(faults)}`;
    return `${text.replace("jsonschema validation failed with 'file:///values.schema.json#'\n", '')}\n`;
  } catch (error) {
    return errorText(error);
  }
}
