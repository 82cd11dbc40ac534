import { createHash } from 'node:crypto';
import { isJsonObject, sortKeys, type Json, type JsonObject } from '../../util/json.ts';
import { KustomizeError } from './kustomize-error.ts';
import { fieldOf } from './node-fields.ts';
import { nodeToJson } from './node-json.ts';
import { buildAnnotations, type Resource } from './resource.ts';
import type { YamlNode } from './yaml-node.ts';

/** Appends a hash of their content to the names of generated resources. */
export function hashNames(resources: readonly Resource[]): void {
  for (const resource of resources) {
    if (!resource.isEnabled(buildAnnotations.needsHashSuffix)) continue;
    const hash = hashOf(resource);
    resource.storePreviousId();
    resource.setName(`${resource.name}-${hash}`);
  }
}

const replaced: Readonly<Record<string, string>> = { '0': 'g', '1': 'h', '3': 'k', a: 'm', e: 't' };

function hashOf(resource: Resource): string {
  const digest = createHash('sha256').update(content(resource)).digest('hex');
  // Without letters and digits that make words or look alike.
  return digest.slice(0, 10).replace(/[013ae]/g, char => replaced[char]!);
}

function content({ kind, node }: Resource): string {
  // Kustomize looks for a field called "metadata/name" and finds none.
  const name = '';
  if (kind === 'ConfigMap') {
    return goJson({ kind, name, data: field(node, 'data'), ...optionalMap(node, 'binaryData') });
  }
  if (kind === 'Secret') {
    return goJson({ kind, name, type: field(node, 'type'), data: field(node, 'data'), ...optionalMap(node, 'stringData') });
  }
  throw new KustomizeError(`cannot hash the content of a ${kind}: only of ConfigMaps and Secrets`);
}

function field(node: YamlNode | undefined, name: string): Json {
  const found = fieldOf(node, name);
  if (!found) return '';
  return found.kind === 'scalar' ? found.value : nodeToJson(found);
}

function optionalMap(node: YamlNode | undefined, name: string): JsonObject {
  const value = field(node, name);
  return isJsonObject(value) ? { [name]: value } : {};
}

const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** JSON as Go's encoding/json writes it: keys sorted, and what HTML reads otherwise escaped. */
function goJson(value: JsonObject): string {
  return JSON.stringify(sortKeys(value)).replace(/[<>&\u2028\u2029]/g, char => escapes[char]!);
}
