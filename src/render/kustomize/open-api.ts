import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { readYaml } from '../../yaml/read-yaml.ts';
import { kustomizeFacts, type TypeFact } from './facts.ts';
import { KustomizeError } from './kustomize-error.ts';
import { builtinClusterScoped } from './res-id.ts';

/** What is known of a field: how its value merges, and of what its parts are. */
export interface Schema {
  /** Of a list whose items merge: the names of the fields that tell them apart; none for scalars. */
  readonly mergeKeys?: readonly string[];
  field(name: string): Schema | undefined;
  items(): Schema | undefined;
}

const builtinVersion = 'v1.21.2';

/**
 * The schemas one build knows: the built-in ones, or the ones a kustomization names instead. As in kustomize, the first kustomization that names some
 * decides, and what was already learned stays.
 */
export class OpenApi {
  private custom: string | undefined;
  private version = '';
  private readonly documents: SchemaDocument[] = [];
  private isBuiltinKnown = false;
  private isBuiltinDue = false;
  private isReady = false;

  /** `isFirst` for the kustomization that is built, whose word goes over that of all others. */
  choose(field: Readonly<Record<string, string>>, schema: string | undefined, isFirst: boolean): void {
    if ((this.version !== '' || this.custom !== undefined) && !isFirst) return;
    const version = field['version'];
    if (schema !== undefined) {
      if (version !== undefined) throw new KustomizeError('builtin version and custom schema provided, cannot use both');
      this.custom = schema;
      this.version = 'custom';
      this.isReady = false;
      return;
    }
    this.version = version ?? '';
    if (this.version === '') return;
    if (this.version !== builtinVersion) throw new KustomizeError('the specified OpenAPI version is not built in');
    this.custom = undefined;
    this.isReady = false;
  }

  schemaOf(apiVersion: string, kind: string): Schema | undefined {
    this.prepare();
    const name = `${apiVersion} ${kind}`;
    for (const document of this.documents.toReversed()) {
      const found = document.schemaOf(name);
      if (found) return found;
    }
    const type = this.isBuiltinKnown && Object.hasOwn(kustomizeFacts.kinds, name) ? kustomizeFacts.kinds[name] : undefined;
    return type === undefined ? undefined : builtinSchema(type);
  }

  isClusterScoped(apiVersion: string, kind: string): boolean {
    const name = `${apiVersion} ${kind}`;
    if (builtinClusterScoped.has(name)) return true;
    if (Object.hasOwn(kustomizeFacts.kinds, name)) return false;
    if (this.custom !== undefined) this.prepare();
    else this.isBuiltinDue = true;
    return this.documents.some(document => document.clusterScoped.has(name));
  }

  private prepare(): void {
    if (this.isReady) return;
    this.isReady = true;
    if (this.custom !== undefined) this.documents.push(new SchemaDocument(this.custom));
    else this.isBuiltinKnown = true;
    if (this.isBuiltinDue) this.isBuiltinKnown = true;
  }
}

const opaque: Schema = { field: () => undefined, items: () => undefined };

function builtinSchema(type: number): Schema {
  const fields = type < 0 ? undefined : kustomizeFacts.types[type];
  return fields ? { field: name => builtinField(fields, name), items: () => undefined } : opaque;
}

function builtinField(fields: TypeFact, name: string): Schema | undefined {
  const fact = Object.hasOwn(fields, name) ? fields[name] : fields['*'];
  if (fact === undefined) return undefined;
  if (!Array.isArray(fact)) return builtinSchema(fact);
  const [items, ...mergeKeys] = fact;
  return { mergeKeys, field: () => undefined, items: () => builtinSchema(items) };
}

const gvkExtension = 'x-kubernetes-group-version-kind';

/** An OpenAPI document of a kustomization's own. */
class SchemaDocument {
  readonly clusterScoped = new Set<string>();
  private readonly definitions: JsonObject;
  private readonly byKind = new Map<string, JsonObject>();

  constructor(text: string) {
    let document: Json;
    try {
      document = readYaml(text).value;
    } catch (cause) {
      throw new KustomizeError(`invalid schema file: ${(cause as Error).message}`, { cause });
    }
    if (!isJsonObject(document)) throw new KustomizeError('invalid schema file: no object');
    this.definitions = asObject(document['definitions']);
    for (const definition of Object.values(this.definitions)) {
      if (!isJsonObject(definition)) continue;
      const gvks = definition[gvkExtension];
      for (const gvk of Array.isArray(gvks) ? gvks : []) this.byKind.set(kindName(gvk), definition);
    }
    this.findScopes(asObject(document['paths']));
  }

  schemaOf(name: string): Schema | undefined {
    const definition = this.byKind.get(name);
    return definition && this.schema(definition);
  }

  private findScopes(paths: JsonObject): void {
    const namespaced = new Set<string>();
    for (const [path, info] of Object.entries(paths)) {
      const gvk = asObject(asObject(info)['get'])[gvkExtension];
      if (!isJsonObject(gvk)) continue;
      if (path.includes('namespaces/{namespace}')) namespaced.add(kindName(gvk));
      else this.clusterScoped.add(kindName(gvk));
    }
    for (const name of namespaced) this.clusterScoped.delete(name);
  }

  private schema(written: JsonObject): Schema | undefined {
    const definition = this.resolve(written);
    if (!definition) return undefined;
    const mergeKeys = mergeKeysOf(definition);
    return {
      ...(mergeKeys && { mergeKeys }),
      field: name => this.field(definition, name),
      items: () => (definition['type'] === 'array' && isJsonObject(definition['items']) ? this.schema(definition['items']) : undefined),
    };
  }

  private field(definition: JsonObject, name: string): Schema | undefined {
    const properties = asObject(definition['properties']);
    const property = Object.hasOwn(properties, name) ? properties[name] : definition['additionalProperties'];
    return isJsonObject(property) ? this.schema(property) : undefined;
  }

  private resolve(definition: JsonObject): JsonObject | undefined {
    let found = definition;
    for (let hops = 0; typeof found['$ref'] === 'string'; hops++) {
      const name = found['$ref'].replace('#/definitions/', '');
      const next = Object.hasOwn(this.definitions, name) ? this.definitions[name] : undefined;
      if (!isJsonObject(next) || hops > 100) return undefined;
      found = next;
    }
    return found;
  }
}

function mergeKeysOf(definition: JsonObject): string[] | undefined {
  const strategy = definition['x-kubernetes-patch-strategy'];
  if (typeof strategy !== 'string' || !strategy.split(',').includes('merge')) return undefined;
  const keys = definition['x-kubernetes-list-map-keys'];
  if (Array.isArray(keys)) return keys.map(String);
  const key = definition['x-kubernetes-patch-merge-key'];
  return typeof key === 'string' ? [key] : [];
}

function kindName(gvk: Json): string {
  const { group, version, kind } = asObject(gvk);
  const prefix = typeof group === 'string' && group !== '' ? `${group}/` : '';
  return `${prefix}${String(version)} ${String(kind)}`;
}

const asObject = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
