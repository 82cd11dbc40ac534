import { Cluster } from '../../api/cluster.ts';
import { apiVersionOf, lastAppliedAnnotation } from '../../api/object.ts';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { TabWriter } from '../output/tab-writer.ts';
import { visibleText } from '../output/visible-text.ts';
import { describeEvents } from './describe-events.ts';
import { labelFor } from './label-for.ts';

const told = new Set(['.metadata.managedFields', '.metadata.name', '.metadata.namespace', '.metadata.labels', '.metadata.annotations']);
const maxAnnotation = 140;

export interface Described {
  readonly object: JsonObject;
  /** The member it was read from. */
  readonly cluster?: string | undefined;
  readonly events: readonly JsonObject[];
}

/** An object for people, whatever its kind, as kubectl describes objects of kinds that it does not know. */
export function describeObject({ object, cluster, events }: Described, now: Date): string {
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
  const table = new TabWriter({ minWidth: 0, padding: 2, remembers: false });
  const line = (text: string) => table.line(visibleText(text));
  line(`Name:\t${textOf(metadata['name'])}`);
  line(`Namespace:\t${textOf(metadata['namespace'])}`);
  if (cluster !== undefined) line(`Cluster:\t${cluster}`);
  for (const text of labelLines(metadata['labels'])) line(text);
  for (const text of annotationLines(metadata['annotations'])) line(text);
  for (const text of contentLines(withoutBulk(object), '', 0)) line(text);
  if (events.length === 0) line('Events:\t<none>');
  return `${table.flush()}${describeEvents(events, now)}`;
}

/** A hub knows of each of its members every kind that it serves: nobody reads that here. */
function withoutBulk(object: JsonObject): JsonObject {
  if (object['kind'] !== Cluster.kind || object['apiVersion'] !== apiVersionOf(Cluster) || !isJsonObject(object['status'])) return object;
  const { apiResources: _, ...status } = object['status'];
  return { ...object, status };
}

function* contentLines(content: JsonObject, path: string, level: number): Generator<string> {
  const indent = '  '.repeat(level);
  for (const field of Object.keys(content).sort()) {
    const at = `${path}.${field}`;
    const value = content[field]!;
    if (told.has(at)) continue;
    if (isJsonObject(value)) {
      yield `${indent}${labelFor(field)}:`;
      yield* contentLines(value, at, level + 1);
    } else if (Array.isArray(value)) {
      yield `${indent}${labelFor(field)}:`;
      for (const item of value) {
        if (isJsonObject(item)) yield* contentLines(item, at, level + 1);
        else yield `${indent}  ${valueText(item)}`;
      }
    } else yield `${indent}${labelFor(field)}:\t${valueText(value)}`;
  }
}

const valueText = (value: Json): string => (value === null ? '<nil>' : typeof value === 'string' ? value : JSON.stringify(value));
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

function labelLines(labels: Json | undefined): string[] {
  const entries = isJsonObject(labels) ? Object.entries(labels).sort(byName) : [];
  if (entries.length === 0) return ['Labels:\t<none>'];
  return entries.map(([name, value], i) => `${i === 0 ? 'Labels:' : ''}\t${name}=${textOf(value)}`);
}

function annotationLines(annotations: Json | undefined): string[] {
  const entries = isJsonObject(annotations) ? Object.entries(annotations).filter(([name]) => name !== lastAppliedAnnotation) : [];
  if (entries.length === 0) return ['Annotations:\t<none>'];
  const lines = entries.sort(byName).flatMap(([name, given]) => {
    const value = textOf(given).replace(/\n$/, '');
    if (value.length + name.length + 2 <= maxAnnotation && !value.includes('\n')) return [`${name}: ${value}`];
    return [`${name}:`, ...value.split('\n').map(part => `  ${shortened(part, maxAnnotation - 2)}`)];
  });
  return lines.map((text, i) => `${i === 0 ? 'Annotations:' : ''}\t${text}`);
}

const shortened = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}...` : text);
const byName = ([a]: [string, Json], [b]: [string, Json]): number => (a < b ? -1 : a > b ? 1 : 0);
