import type { KindRef } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { Json, JsonObject } from '../../../util/json.ts';
import type { NormanContext } from './norman-context.ts';

/** One field of a type, as schemas describe it. */
export interface Field {
  /** `string`, `int`, `boolean`, `date`, `enum`, `password`, `json`, `reference[x]`, `array[x]`, `map[x]`, or the id of another type. */
  readonly type: string;
  /** Whether POST may set it. */
  readonly create?: boolean;
  /** Whether PUT may set it. */
  readonly update?: boolean;
  readonly required?: boolean;
  readonly nullable?: boolean;
  /** What a filter takes an absent value for. */
  readonly default?: Json;
  /** Of an enum. */
  readonly options?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Where it stands in the Kubernetes object, such as `spec.displayName`. Under its own name, in spec where there is one, when absent. */
  readonly at?: string;
}

export type Fields = Readonly<Record<string, Field>>;

/** One resource that was found. */
export interface Entry {
  readonly id: string;
  /** What it says it is, when that is more special than its type. */
  readonly type?: string;
  /** Without `id`, `type`, `links` and `actions`. Made when it is asked for: most of a long list is never shown. */
  fields(): JsonObject;
  grants(): Grants | Promise<Grants>;
  /** More links than the type gives, absolute. */
  readonly links?: Readonly<Record<string, string>>;
}

/** What a caller is offered to do to a resource. */
export interface Grants {
  readonly mayUpdate: boolean;
  readonly mayRemove: boolean;
  /** Those actions of the type that are on offer. */
  readonly actions: readonly string[];
}

export const noGrants: Grants = { mayUpdate: false, mayRemove: false, actions: [] };

/** What a list is asked for, so that a store need not read what is filtered out anyway. */
export interface ListScope {
  /** The value that a field must be equal to, when the query says so. */
  equals(field: string): string | undefined;
}

/** Where the resources of a type come from and go to. Everything is done with the rights of the caller. */
export interface TypeStore {
  list(ctx: NormanContext, scope: ListScope): Promise<readonly Entry[]>;
  /** Undefined when there is none that the caller may see. */
  get(ctx: NormanContext, id: string): Promise<Entry | undefined>;
  /** `fields` are those that POST may set, checked. */
  create?(ctx: NormanContext, fields: JsonObject): Promise<Entry>;
  /** `fields` are those that PUT may set, checked; the others stay, or go when it `replaces`. */
  update?(ctx: NormanContext, id: string, fields: JsonObject, options: { readonly replaces: boolean }): Promise<Entry>;
  /** What is still there afterwards. */
  remove?(ctx: NormanContext, id: string): Promise<Entry | undefined>;
  /** Whether collections offer to create. */
  mayCreate?(ctx: NormanContext): Promise<boolean>;
}

export interface NormanAnswer {
  readonly status: number;
  /** Nothing when absent. */
  readonly body?: JsonObject;
  /** The body, printed as JSON already. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

export interface NormanAction {
  /** Types of what goes in and comes out, for schemas. */
  readonly input?: string;
  readonly output?: string;
  /** `id` is that of the resource, or '' for actions of the collection. */
  run(ctx: NormanContext, id: string): Promise<NormanAnswer>;
}

/** Which objects the resources of a type are. */
export interface Followed {
  readonly kinds: readonly KindRef[];
  /** The id of the resource that an object of such a kind is. */
  idOf(obj: KubeObject, kind: KindRef): string;
}

/** One type of Rancher's API: its schema and its answers come from here. */
export interface NormanType {
  readonly id: string;
  readonly plural: string;
  readonly fields: Fields;
  readonly collectionMethods: readonly ('GET' | 'POST')[];
  readonly resourceMethods: readonly ('GET' | 'PUT' | 'DELETE')[];
  readonly collectionActions?: Readonly<Record<string, NormanAction>>;
  readonly resourceActions?: Readonly<Record<string, NormanAction>>;
  /** Absent for types that only describe what actions take and give. */
  readonly store?: TypeStore;
  /** The objects that its resources are, for those who follow them. */
  readonly follows?: Followed;
  /** Whether lists can be narrowed by `labelSelector`. */
  readonly hasLabelSelector?: boolean;
  /** Where clients find the schemas below one resource, from the root of the hub; those of the type's own API when absent. */
  schemasOf?(id: string): string;
}

/** The types of one root, by what they are called in a path: id and plural, in lower case. */
export interface TypeTable {
  readonly types: readonly NormanType[];
  find(segment: string): NormanType | undefined;
  /** The types that refer to one, with the field that does. */
  referringTo(type: NormanType): readonly Reference[];
}

export interface Reference {
  readonly type: NormanType;
  readonly field: string;
}

export function typeTable(types: readonly NormanType[]): TypeTable {
  const byName = new Map(types.flatMap(type => [type.id, type.plural].map(name => [name.toLowerCase(), type])));
  const references = new Map(types.map(type => [type, types.flatMap(other => referenceTo(type, other))]));
  return {
    types,
    find: segment => byName.get(segment.toLowerCase()),
    referringTo: type => references.get(type) ?? [],
  };
}

function referenceTo(type: NormanType, other: NormanType): Reference[] {
  if (!other.collectionMethods.includes('GET')) return [];
  const wanted = `reference[${type.id}]`;
  const field = Object.keys(other.fields).find(name => other.fields[name]!.type === wanted && name === `${type.id}Id`);
  return field === undefined ? [] : [{ type: other, field }];
}
