import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { decodeText } from '../go/decode-text.ts';
import type { ChartDependency, ChartMetadata, Maintainer } from './chart.ts';

/** Reads what Chart.yaml and requirements.yaml may say; anything of the wrong type is refused with the words of Go's decoder. */
export function parseMetadata(value: Json): ChartMetadata {
  const fields = objectAt(value, 'Metadata');
  const text = (name: string): string => textAt(fields[name], `Metadata.${name}`);
  return {
    name: text('name'),
    home: text('home'),
    sources: textsAt(fields['sources'], 'Metadata.sources'),
    version: text('version'),
    description: text('description'),
    keywords: textsAt(fields['keywords'], 'Metadata.keywords'),
    maintainers: listAt(fields['maintainers'], 'Metadata.maintainers').map(parseMaintainer),
    icon: text('icon'),
    apiVersion: text('apiVersion'),
    condition: text('condition'),
    tags: text('tags'),
    appVersion: text('appVersion'),
    deprecated: flagAt(fields['deprecated'], 'Metadata.deprecated'),
    annotations: annotationsAt(fields['annotations']),
    kubeVersion: text('kubeVersion'),
    dependencies: fields['dependencies'] === undefined ? undefined : parseDependencies(fields['dependencies']),
    type: text('type'),
  };
}

/** The `dependencies` of requirements.yaml, where the first generation of charts keeps them. */
export function parseRequirements(value: Json): ChartDependency[] {
  return parseDependencies(objectAt(value, 'Metadata')['dependencies']);
}

function parseDependencies(value: Json | undefined): ChartDependency[] {
  return listAt(value, 'Metadata.dependencies').map(item => {
    const fields = objectAt(item, 'Dependency');
    const text = (name: string): string => textAt(fields[name], `Dependency.dependencies.${name}`);
    return {
      name: text('name'),
      version: text('version'),
      repository: text('repository'),
      condition: text('condition'),
      tags: textsAt(fields['tags'], 'Dependency.dependencies.tags'),
      enabled: flagAt(fields['enabled'], 'Dependency.dependencies.enabled'),
      importValues: listAt(fields['import-values'], 'Dependency.dependencies.import-values'),
      alias: text('alias'),
    };
  });
}

function parseMaintainer(value: Json): Maintainer {
  const fields = objectAt(value, 'Maintainer');
  const text = (name: string): string => textAt(fields[name], `Maintainer.maintainers.${name}`);
  return { name: text('name'), email: text('email'), url: text('url') };
}

function annotationsAt(value: Json | undefined): Record<string, string> | undefined {
  if (value === undefined || value === null) return undefined;
  const fields = objectAt(value, 'Metadata.annotations');
  return Object.fromEntries(Object.entries(fields).map(([key, item]) => [key, textAt(item as Json, 'Metadata.annotations')]));
}

function objectAt(value: Json | undefined, field: string): JsonObject {
  if (value === undefined || value === null) return {};
  if (isJsonObject(value)) return value;
  throw wrongType(value, field, 'object');
}

function textAt(value: Json | undefined, field: string): string {
  const text = decodeText(value);
  if (text === undefined) throw wrongType(value as Json, field, 'string');
  return text;
}

function flagAt(value: Json | undefined, field: string): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  throw wrongType(value, field, 'bool');
}

function listAt(value: Json | undefined, field: string): Json[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw wrongType(value, field, '[]interface {}');
}

const textsAt = (value: Json | undefined, field: string): string[] => listAt(value, field).map(item => textAt(item, field));

function wrongType(value: Json, field: string, wanted: string): Error {
  const name = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value === 'boolean' ? 'bool' : typeof value;
  return new Error(
    `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${name} into Go struct field ${field} of type ${wanted}`,
  );
}
