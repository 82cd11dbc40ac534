import type { KubeObject } from '../../api/object.ts';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { printLabelSelector, type LabelSelector } from '../validation/label-selector.ts';
import { ageOf } from './human-duration.ts';

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 is always shown, anything more only on request. */
  readonly priority: number;
}

export type Cell = string | number | boolean | null;

export interface RowCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** How a kind appears in a table. */
export interface Printer {
  readonly columns: readonly Column[];
  cells(obj: KubeObject, now: Date): Cell[];
  conditions?(obj: KubeObject): readonly RowCondition[] | undefined;
}

type ColumnOptions = Partial<Omit<Column, 'name'>>;

export const column = (name: string, description = '', options: ColumnOptions = {}): Column => ({
  name,
  type: 'string',
  format: '',
  description,
  priority: 0,
  ...options,
});
export const integer = (name: string, description = '') => column(name, description, { type: 'integer' });
export const boolean = (name: string, description = '') => column(name, description, { type: 'boolean' });
export const wide = (name: string, description = '') => column(name, description, { priority: 1 });
export const nameColumn = column('Name', '', { format: 'name' });
export const ageColumn = column('Age');
export const containerColumns = [
  wide('Containers', 'Names of each container in the template.'),
  wide('Images', 'Images referenced by each container in the template.'),
];

/** What lies at a path; undefined where the path breaks off. */
export function at(value: unknown, ...path: readonly string[]): Json | undefined {
  let current = value;
  for (const key of path) current = isJsonObject(current) ? current[key] : undefined;
  return current as Json | undefined;
}

export function text(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : found === undefined || found === null ? '' : String(found as number);
}

export const textOr = (otherwise: string, value: unknown, ...path: readonly string[]) => text(value, ...path) || otherwise;

export function count(value: unknown, ...path: readonly string[]): number {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : 0;
}

export const isTrue = (value: unknown, ...path: readonly string[]) => at(value, ...path) === true;

export function list(value: unknown, ...path: readonly string[]): JsonObject[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? (found as JsonObject[]) : [];
}

export function texts(value: unknown, ...path: readonly string[]): string[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? (found as string[]) : [];
}

export function entries(value: unknown, ...path: readonly string[]): [string, Json][] {
  const found = at(value, ...path);
  return isJsonObject(found) ? Object.entries(found) : [];
}

export const age = (obj: KubeObject, now: Date) => ageOf(obj.metadata.creationTimestamp, now);
export const nameOf = (obj: KubeObject) => obj.metadata.name ?? '';

export function containerCells(template: unknown): [string, string] {
  const containers = list(template, 'spec', 'containers');
  return [containers.map(c => text(c, 'name')).join(','), containers.map(c => text(c, 'image')).join(',')];
}

/** `a=1,b=2`, sorted. */
export function labelsCell(labels: unknown): string {
  const pairs = entries(labels).map(([key, value]) => `${key}=${text(value)}`);
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',');
}

export function selectorCell(selector: unknown): string {
  return selectorText(selector) || '<none>';
}

export function selectorText(selector: unknown): string {
  return isJsonObject(selector) ? printLabelSelector(selector as LabelSelector) : '';
}

/** The first items, and how many more there are. */
export function someOf(items: readonly string[], max: number, separator = ','): string {
  const shown = items.slice(0, max).join(separator);
  return items.length > max ? `${shown} + ${items.length - max} more...` : shown;
}

export function conditionOf(obj: unknown, type: string): JsonObject | undefined {
  return list(obj, 'status', 'conditions').find(condition => condition['type'] === type);
}
