import { parseApiVersion, qualifiedKind } from '../../api/object.ts';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import type { JsonPath } from '../../util/jsonpath.ts';
import { writeYaml } from '../../yaml/write-yaml.ts';
import { clusterOf } from '../clusters/cluster-mark.ts';
import { customLine, type CustomColumn } from './custom-columns.ts';
import { jsonLine, jsonText } from './json-text.ts';
import { TabWriter } from './tab-writer.ts';

/** Prints whole objects. One printer serves one command: some print what depends on what they printed before. */
export interface ObjectPrinter {
  /** The whole answer of a command: the one object that was asked for, or any number. */
  printAll(objects: readonly JsonObject[], isSingle: boolean): string;
  /** An object while watching, with the kind of event when that is asked for. */
  printOne(object: JsonObject, event?: string): string;
}

const listOf = (items: readonly JsonObject[]): JsonObject => ({
  apiVersion: 'v1',
  items: [...items],
  kind: 'List',
  metadata: { resourceVersion: '' },
});

const eventOf = (object: JsonObject, type: string | undefined): JsonObject => (type === undefined ? object : { type, object });

export function jsonPrinter({ showManagedFields }: { showManagedFields: boolean }): ObjectPrinter {
  const shown = showManagedFields ? (object: JsonObject) => object : withoutManagedFields;
  return {
    printAll: (objects, isSingle) => jsonText(isSingle ? shown(objects[0]!) : listOf(objects.map(shown))),
    printOne: (object, event) => (event === undefined ? jsonText(shown(object)) : jsonLine(eventOf(shown(object), event))),
  };
}

export function yamlPrinter({ showManagedFields }: { showManagedFields: boolean }): ObjectPrinter {
  const shown = showManagedFields ? (object: JsonObject) => object : withoutManagedFields;
  let hasPrinted = false;
  const document = (value: Json) => {
    const text = `${hasPrinted ? '---\n' : ''}${writeYaml(value)}`;
    hasPrinted = true;
    return text;
  };
  return {
    printAll: (objects, isSingle) => document(isSingle ? shown(objects[0]!) : listOf(objects.map(shown))),
    printOne: (object, event) => document(eventOf(shown(object), event)),
  };
}

/** `pod/web`, and `east/pod/web` for what comes from a member. */
export function namePrinter({ ofMembers }: { ofMembers: boolean }): ObjectPrinter {
  const line = (object: JsonObject) => {
    const kind = String(object['kind']);
    const { group } = parseApiVersion(String(object['apiVersion']));
    const name = isJsonObject(object['metadata']) ? object['metadata']['name'] : undefined;
    const cluster = ofMembers ? clusterOf(object) : undefined;
    const place = cluster === undefined ? '' : `${cluster}/`;
    return `${place}${qualifiedKind({ group, kind: kind.toLowerCase() })}/${typeof name === 'string' ? name : '<unknown>'}\n`;
  };
  return { printAll: objects => objects.map(line).join(''), printOne: line };
}

export function jsonPathPrinter(path: JsonPath, { asJson }: { asJson: boolean }): ObjectPrinter {
  const print = (value: Json) => (asJson ? path.find(value).map(jsonText).join('') : path.print(value));
  return {
    printAll: (objects, isSingle) => print(isSingle ? objects[0]! : listOf(objects)),
    printOne: (object, event) => print(eventOf(object, event)),
  };
}

export function columnsPrinter(columns: readonly CustomColumn[], { noHeaders }: { noHeaders: boolean }): ObjectPrinter {
  const writer = new TabWriter();
  let needsHeader = !noHeaders;
  const print = (objects: readonly JsonObject[]) => {
    if (needsHeader) writer.line(columns.map(({ header }) => header).join('\t'));
    needsHeader = false;
    for (const object of objects) writer.line(customLine(columns, object));
    return writer.flush();
  };
  return { printAll: print, printOne: (object, event) => print([eventOf(object, event)]) };
}

function withoutManagedFields(object: JsonObject): JsonObject {
  if (!isJsonObject(object['metadata']) || object['metadata']['managedFields'] === undefined) return object;
  const { managedFields: _, ...metadata } = object['metadata'];
  return { ...object, metadata };
}
