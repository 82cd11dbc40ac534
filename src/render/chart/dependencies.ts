import { checkConstraint } from '../semver/semver.ts';
import { printValue } from '../go/go-format.ts';
import { isMap, type GoMap, type GoValue } from '../go/go-value.ts';
import { toGoValue } from '../go/to-go-value.ts';
import { deepCopy } from '../sprig/dicts.ts';
import type { Json } from '../../util/json.ts';
import type { Chart, ChartDependency } from './chart.ts';
import { coalesceTables, coalesceValues } from './coalesce.ts';

/** A chart that one release may change: its subcharts chosen, its imported values taken over. The loaded chart stays as it was. */
export function forRelease(chart: Chart, given: GoMap): Chart {
  const copy = copyChart(chart, undefined);
  chooseDependencies(copy, given, '');
  importValues(copy);
  return copy;
}

function copyChart(chart: Chart, parent: Chart | undefined, name = chart.metadata.name): Chart {
  const dependencies = chart.metadata.dependencies?.map(one => ({ ...one }));
  const copy: Chart = { ...chart, metadata: { ...chart.metadata, name, dependencies }, parent, dependencies: [] };
  copy.dependencies = chart.dependencies.map(child => copyChart(child, copy));
  return copy;
}

function chooseDependencies(chart: Chart, given: GoMap, path: string): void {
  const wanted = chart.metadata.dependencies;
  if (!wanted) return;
  const isListed = (child: Chart): boolean => wanted.some(one => fits(child, one));
  const chosen = chart.dependencies.filter(child => !isListed(child));
  for (const dependency of wanted) {
    const child = chart.dependencies.find(one => fits(one, dependency));
    if (child) chosen.push(copyChart(child, chart, dependency.alias === '' ? child.metadata.name : dependency.alias));
  }
  for (const dependency of wanted) {
    if (dependency.alias !== '') dependency.name = dependency.alias;
    dependency.enabled = true;
  }
  chart.dependencies = chosen;
  const values = coalesceValues(chart, given);
  applyTags(wanted, values);
  applyConditions(wanted, values, path);
  const isOff = (name: string): boolean => wanted.some(one => one.name === name && !one.enabled);
  chart.dependencies = chosen.filter(child => !isOff(child.metadata.name));
  for (const child of chart.dependencies) chooseDependencies(child, values, `${path}${child.metadata.name}.`);
  chart.metadata.dependencies = wanted.filter(one => !isOff(one.name));
}

function fits(child: Chart, { name, version }: ChartDependency): boolean {
  if (child.metadata.name !== name) return false;
  try {
    return checkConstraint(version, child.metadata.version);
  } catch {
    return false;
  }
}

function applyTags(dependencies: readonly ChartDependency[], values: GoMap): void {
  const tags = values.get('tags');
  if (!isMap(tags)) return;
  for (const dependency of dependencies) {
    const said = dependency.tags.map(tag => tags.get(tag)).filter(value => typeof value === 'boolean');
    dependency.enabled = said.length === 0 || said.includes(true);
  }
}

function applyConditions(dependencies: readonly ChartDependency[], values: GoMap, path: string): void {
  for (const dependency of dependencies) {
    for (const condition of dependency.condition.trim().split(',')) {
      const value = condition === '' ? undefined : valueAt(values, `${path}${condition}`.split('.'));
      if (typeof value !== 'boolean') continue;
      dependency.enabled = value;
      break;
    }
  }
}

/** The value at a path; tables do not count as values. */
function valueAt(values: GoMap, path: readonly string[]): GoValue {
  let at: GoValue = values;
  for (const key of path) {
    if (!isMap(at)) return undefined;
    at = at.get(key);
  }
  return isMap(at) ? undefined : at;
}

export function tableAt(values: GoMap, path: readonly string[]): GoMap | undefined {
  let at: GoValue = values;
  for (const key of path) {
    if (!isMap(at)) return undefined;
    at = at.get(key);
  }
  return isMap(at) ? at : undefined;
}

function importValues(chart: Chart): void {
  for (const child of chart.dependencies) importValues(child);
  const { dependencies } = chart.metadata;
  if (!dependencies) return;
  const values = coalesceValues(chart, new Map(), { merges: true });
  let imported: GoMap = new Map();
  for (const dependency of dependencies) {
    for (const wish of dependency.importValues) {
      const { child, parent } = pathsOf(wish as Json);
      const table = child === undefined ? undefined : tableAt(values, [dependency.name, ...child.split('.')]);
      if (table) imported = coalesceTables(imported, nested(parent, table), { merges: true });
    }
  }
  chart.values = coalesceTables(deepCopy(values) as GoMap, imported, { merges: true });
}

function pathsOf(wish: Json): { child: string | undefined; parent: string } {
  if (typeof wish === 'string') return { child: `exports.${wish}`, parent: '.' };
  if (typeof wish !== 'object' || wish === null || Array.isArray(wish)) return { child: undefined, parent: '.' };
  return { child: printValue(toGoValue(wish['child'])), parent: printValue(toGoValue(wish['parent'])) };
}

function nested(path: string, table: GoMap): GoMap {
  if (path === '.') return table;
  return path.split('.').reduceRight<GoMap>((inner, key) => new Map([[key, inner]]), table);
}
