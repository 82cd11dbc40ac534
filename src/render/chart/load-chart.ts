import { baseName } from '../go/base-name.ts';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { isMap, type GoMap } from '../go/go-value.ts';
import { toGoValue } from '../go/to-go-value.ts';
import { readChartArchive } from './chart-archive.ts';
import { parseMetadata, parseRequirements } from './chart-metadata.ts';
import type { Chart, ChartFile, ChartMetadata } from './chart.ts';
import { unmarshalYaml } from './unmarshal-yaml.ts';

/** A chart from its files, whose names are relative to its folder. Throws with Helm's words when they are no chart. */
export function loadChart(files: readonly ChartFile[]): Chart {
  const metadata = readMetadata(files);
  let values: GoMap = new Map();
  let schema: Buffer | undefined;
  let lock: JsonObject | undefined;
  const templates: ChartFile[] = [];
  const others: ChartFile[] = [];
  const subcharts = new Map<string, ChartFile[]>();
  for (const file of files) {
    const { name, data } = file;
    if (name === 'Chart.yaml') continue;
    if (name === 'Chart.lock' || name === 'requirements.lock') {
      lock = inContext(`cannot load ${name}`, () => readLock(data.toString()));
      if (name === 'requirements.lock' && metadata.apiVersion === 'v1') others.push(file);
      continue;
    }
    if (name === 'values.yaml') values = inContext('cannot load values.yaml', () => readValues(data.toString()));
    else if (name === 'values.schema.json') schema = data;
    else if (name === 'requirements.yaml') {
      const listed = inContext('cannot load requirements.yaml', () => parseRequirements(unmarshalYaml(data.toString())));
      if (listed.length > 0) metadata.dependencies = listed;
      if (metadata.apiVersion === 'v1') others.push(file);
    } else if (name.startsWith('templates/')) templates.push(file);
    else if (name.startsWith('charts/') && !name.endsWith('.prov')) {
      const path = name.slice('charts/'.length);
      const folder = path.split('/', 1)[0]!;
      subcharts.set(folder, [...(subcharts.get(folder) ?? []), { name: path, data }]);
    } else others.push(file);
  }
  validateMetadata(metadata);
  const chart: Chart = { metadata, ...(lock && { lock }), values, schema, templates, files: others, dependencies: [], parent: undefined };
  for (const [folder, inside] of subcharts) {
    const child = loadSubchart(folder, inside, metadata.name);
    if (!child) continue;
    child.parent = chart;
    chart.dependencies.push(child);
  }
  return chart;
}

function readMetadata(files: readonly ChartFile[]): ChartMetadata {
  const file = files.find(one => one.name === 'Chart.yaml');
  if (!file) throw new Error('Chart.yaml file is missing');
  const metadata = inContext('cannot load Chart.yaml', () => parseMetadata(unmarshalYaml(file.data.toString())));
  return metadata.apiVersion === '' ? { ...metadata, apiVersion: 'v1' } : metadata;
}

/** What `helm dependency build` wrote down; nobody but readers of releases looks at it. */
function readLock(text: string): JsonObject {
  const value = unmarshalYaml(text);
  const { generated = '0001-01-01T00:00:00Z', digest = '', dependencies = null } = isJsonObject(value) ? value : {};
  return { generated, digest, dependencies };
}

function validateMetadata({ apiVersion, name, version, type }: ChartMetadata): void {
  if (apiVersion === '') throw new Error('validation: chart.metadata.apiVersion is required');
  if (name === '') throw new Error('validation: chart.metadata.name is required');
  if (name !== baseName(name)) throw new Error(`validation: chart.metadata.name ${JSON.stringify(name)} is invalid`);
  if (version === '') throw new Error('validation: chart.metadata.version is required');
  if (type !== '' && type !== 'application' && type !== 'library') {
    throw new Error('validation: chart.metadata.type must be application or library');
  }
}

function loadSubchart(folder: string, files: readonly ChartFile[], parent: string): Chart | undefined {
  if (/^[_.]/.test(folder)) return undefined;
  return inContext(`error unpacking subchart ${folder} in ${parent}`, () => {
    if (folder.endsWith('.tgz')) return loadChart(readChartArchive(files[0]!.data));
    const inside = files.filter(file => file.name.includes('/'));
    return loadChart(inside.map(file => ({ name: file.name.slice(file.name.indexOf('/') + 1), data: file.data })));
  });
}

/** Values from YAML of one or more documents; later ones win, maps are merged. */
export function readValues(text: string): GoMap {
  let values: GoMap = new Map();
  for (const document of text.split(/^---[ \t]*(?:\r?\n|$)/m)) {
    const value = inContext('cannot unmarshal yaml document', () => unmarshalYaml(document));
    if (value === null) continue;
    if (!isJsonObject(value)) {
      throw new Error(
        `cannot unmarshal yaml document: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${kindOf(value)} into Go value of type map[string]interface {}`,
      );
    }
    values = mergeMaps(values, toGoValue(value) as GoMap);
  }
  return values;
}

const kindOf = (value: Json): string => (Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value);

/** Maps merged deeply; where the two disagree, the second wins. */
export function mergeMaps(first: GoMap, second: GoMap): GoMap {
  const merged: GoMap = new Map(first);
  for (const [key, value] of second) {
    const present = merged.get(key);
    merged.set(key, isMap(value) && isMap(present) ? mergeMaps(present, value) : value);
  }
  return merged;
}

function inContext<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Error(what, { cause: error });
  }
}
