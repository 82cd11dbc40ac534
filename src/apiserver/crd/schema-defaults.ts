import { cloneJson, setMember, type Json, type JsonObject } from '../../util/json.ts';
import { itemsOf, propertyOf, valuesOf, type SchemaProps } from './schema-props.ts';

/** What a schema fills in, found once: most of a large object has no defaults and is not visited. */
interface DefaultsPlan {
  readonly own: readonly (readonly [name: string, property: SchemaProps])[];
  /** Properties with defaults further down. */
  readonly below: readonly (readonly [name: string, property: SchemaProps])[];
  readonly items: SchemaProps | undefined;
  readonly values: SchemaProps | undefined;
}

const plans = new WeakMap<SchemaProps, DefaultsPlan | undefined>();

/** Undefined when there is nothing to fill in. */
function planOf(schema: SchemaProps): DefaultsPlan | undefined {
  if (plans.has(schema)) return plans.get(schema);
  const properties = Object.entries(schema.properties ?? {});
  const hasDefault = (child: SchemaProps) => child.default !== undefined && child.default !== null;
  const ifFilled = (child: SchemaProps | undefined) => (child && (hasDefault(child) || planOf(child)) ? child : undefined);
  const plan = {
    own: properties.filter(([, property]) => hasDefault(property)),
    below: properties.filter(([, property]) => planOf(property)),
    items: ifFilled(itemsOf(schema)),
    values: ifFilled(valuesOf(schema)),
  };
  const found = plan.own.length + plan.below.length > 0 || plan.items || plan.values ? plan : undefined;
  plans.set(schema, found);
  return found;
}

const isUnset = (value: Json | undefined, schema: SchemaProps): boolean =>
  value === undefined || (value === null && schema.nullable !== true);

/**
 * Fills the schema's defaults where a value is absent, or null and may not be. In place; but objects and lists inside are replaced by copies where something is
 * filled in, because they may be those of the stored object.
 */
export function setSchemaDefaults(object: JsonObject, schema: SchemaProps): void {
  const filled = withDefaults(object, schema) as JsonObject;
  if (filled === object) return;
  for (const name in filled) if (filled[name] !== object[name]) setMember(object, name, filled[name]!);
}

function withDefaults(value: Json, schema: SchemaProps): Json {
  const plan = typeof value === 'object' && value !== null ? planOf(schema) : undefined;
  if (!plan) return value;
  return Array.isArray(value) ? filledList(value, plan) : filledObject(value as JsonObject, schema, plan);
}

const filledElement = (value: Json, schema: SchemaProps): Json =>
  withDefaults(value === null && schema.nullable !== true ? cloneJson(schema.default ?? null) : value, schema);

function filledList(list: Json[], { items }: DefaultsPlan): Json[] {
  if (!items) return list;
  let filled: Json[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const item = filledElement(list[i]!, items);
    if (item !== list[i]) (filled ??= [...list])[i] = item;
  }
  return filled ?? list;
}

const lacks = (object: JsonObject, name: string, property: SchemaProps): boolean =>
  !Object.hasOwn(object, name) || isUnset(object[name], property);

function filledObject(object: JsonObject, schema: SchemaProps, plan: DefaultsPlan): JsonObject {
  const { own, below, values } = plan;
  // Thousands of items that have everything are the rule.
  if (below.length === 0 && !values && !own.some(([name, property]) => lacks(object, name, property))) return object;
  let filled = object;
  const fill = (name: string, value: Json): void => {
    if (filled === object) filled = { ...object };
    setMember(filled, name, value);
  };
  for (const [name, property] of own) if (lacks(object, name, property)) fill(name, cloneJson(property.default!));
  for (const [name, property] of below) {
    if (!Object.hasOwn(filled, name)) continue;
    const member = withDefaults(filled[name]!, property);
    if (member !== filled[name]) fill(name, member);
  }
  if (!values) return filled;
  for (const name of Object.keys(filled)) {
    if (propertyOf(schema, name)) continue;
    const member = filledElement(filled[name]!, values);
    if (member !== filled[name]) fill(name, member);
  }
  return filled;
}
