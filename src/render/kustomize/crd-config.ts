import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import type { FieldSpec } from './field-spec.ts';
import { mergeFieldSpecs } from './field-spec.ts';
import { KustomizeError } from './kustomize-error.ts';
import { parseYaml } from './kustomization.ts';
import type { Loader } from './loader.ts';
import { emptyConfig, mergeConfigs, mergeReferences, type NameReference, type TransformerConfig } from './transformer-config.ts';

const maxDepth = 50;

/** The fields that OpenAPI definitions of custom kinds mark as names, labels or annotations. */
export function loadCrdConfig(loader: Loader, files: readonly string[]): TransformerConfig {
  let config = emptyConfig();
  for (const file of files) {
    const definitions = asObject(parseYaml(loader.loadText(file)));
    for (const [name, definition] of Object.entries(definitions)) {
      const properties = propertiesOf(definition);
      if (!['kind', 'apiVersion', 'metadata'].every(field => Object.hasOwn(properties, field))) continue;
      config = mergeConfigs(config, new CrdReader(definitions, name).read());
    }
  }
  return config;
}

class CrdReader {
  private readonly definitions: JsonObject;
  private readonly name: string;
  private annotations: FieldSpec[] = [];
  private labels: FieldSpec[] = [];
  private prefixes: FieldSpec[] = [];
  private references: NameReference[] = [];

  constructor(definitions: JsonObject, name: string) {
    this.definitions = definitions;
    this.name = name;
  }

  read(): TransformerConfig {
    this.readType(this.name, []);
    return {
      ...emptyConfig(),
      commonAnnotations: this.annotations,
      commonLabels: this.labels,
      namePrefix: this.prefixes,
      nameReference: this.references,
    };
  }

  private spec(path: readonly string[]): FieldSpec {
    return { group: '', version: '', kind: this.name.split('.').at(-1)!, path: path.join('/'), create: false };
  }

  private readType(type: string, path: readonly string[]): void {
    if (path.length > maxDepth) throw new KustomizeError(`definition "${this.name}" refers to itself without end`);
    const definition = Object.hasOwn(this.definitions, type) ? this.definitions[type] : undefined;
    for (const [name, value] of Object.entries(propertiesOf(definition))) {
      const property = asObject(value);
      const at = [...path, name];
      const text = (key: string) => (typeof property[key] === 'string' ? property[key] : undefined);
      if (text('x-kubernetes-annotation') !== undefined) this.annotations = mergeFieldSpecs(this.annotations, [this.spec(at)]);
      if (text('x-kubernetes-label-selector') !== undefined) this.labels = mergeFieldSpecs(this.labels, [this.spec(at)]);
      if (text('x-kubernetes-identity') !== undefined) this.prefixes = mergeFieldSpecs(this.prefixes, [this.spec(at)]);
      const version = text('x-kubernetes-object-ref-api-version');
      const kind = text('x-kubernetes-object-ref-kind');
      if (version !== undefined && kind !== undefined) {
        const referrers = [this.spec([...at, text('x-kubernetes-object-ref-name-key') ?? 'name'])];
        this.references = mergeReferences(this.references, [{ group: '', version, kind, referrers }]);
      }
      const ref = text('$ref');
      if (ref !== undefined) this.readType(ref, at);
    }
  }
}

const asObject = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

function propertiesOf(definition: Json | undefined): JsonObject {
  const { Schema: upper, schema: lower } = asObject(definition);
  return asObject(asObject(upper ?? lower)['properties']);
}
