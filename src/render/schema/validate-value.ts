import { isJsonObject, jsonEqual, type Json, type JsonObject } from '../../util/json.ts';
import { checkNumber, checkString, typeFault } from './check-scalar.ts';
import { SchemaDocument, type Schema } from './schema-document.ts';
import { printNumber, quoted, quotedList, type SchemaFault } from './schema-error.ts';
import { matchesPattern } from './schema-pattern.ts';

/** What one schema says of one value, and which parts of the value it has looked at. */
interface Verdict {
  readonly faults: SchemaFault[];
  readonly properties: Set<string>;
  readonly items: Set<number>;
}

/** Many times what the largest schemas of real charts take. */
const maxSteps = 200_000;
const maxDepth = 300;

/** The faults of a value by a schema of draft 4 to 2020-12. Throws when the schema cannot be followed or asks for too much. */
export function validateValue(document: SchemaDocument, value: Json): SchemaFault[] {
  return ungrouped(new Validator(document).check(document.root, value, [], 0).faults);
}

class Validator {
  private readonly document: SchemaDocument;
  private steps = 0;

  constructor(document: SchemaDocument) {
    this.document = document;
  }

  check(schema: Schema, value: Json, path: readonly string[], depth: number): Verdict {
    if (++this.steps > maxSteps || depth > maxDepth) throw new Error('the schema asks for more than can be checked');
    const verdict: Verdict = { faults: [], properties: new Set(), items: new Set() };
    if (schema === true) return verdict;
    if (schema === false) return { ...verdict, faults: [plain(path, 'false schema')] };
    const first = typeFault(schema, value);
    if (first !== undefined) return { ...verdict, faults: [plain(path, first)] };
    const reference = schema['$ref'];
    if (typeof reference === 'string') {
      this.follow(reference, value, path, depth, verdict);
      if (this.document.draft < 2019) return verdict;
    }
    const add = (message: string): void => void verdict.faults.push(plain(path, message));
    if (isJsonObject(value)) this.checkObject(schema, value, path, depth, verdict);
    else if (Array.isArray(value)) this.checkList(schema, value, path, depth, verdict);
    else if (typeof value === 'string') checkString(schema, value, add);
    else if (typeof value === 'number' || typeof value === 'bigint') checkNumber(schema, Number(value), add);
    const recursive = schema['$recursiveRef'] ?? schema['$dynamicRef'];
    if (typeof recursive === 'string' && this.document.draft >= 2019) this.follow(recursive, value, path, depth, verdict);
    this.checkCombined(schema, value, path, depth, verdict);
    if (this.document.draft >= 2019) this.checkUnevaluated(schema, value, path, depth, verdict);
    return verdict;
  }

  private follow(reference: string, value: Json, path: readonly string[], depth: number, into: Verdict): void {
    const { faults, ...seen } = this.check(this.document.resolve(reference), value, path, depth + 1);
    if (faults.length > 0) into.faults.push({ kind: 'reference', path, message: 'validation failed', causes: ungrouped(faults) });
    else takeOver(into, seen);
  }

  /** Checks a part by a schema of its own, and counts the part as looked at. */
  private checkPart(schema: Json | undefined, value: Json, path: readonly string[], depth: number, into: Verdict): void {
    if (!isSchema(schema)) return;
    const fault = grouped(this.check(schema, value, path, depth + 1).faults, path);
    if (fault) into.faults.push(fault);
  }

  private checkObject(schema: JsonObject, value: JsonObject, path: readonly string[], depth: number, verdict: Verdict): void {
    const add = (message: string): void => void verdict.faults.push(plain(path, message));
    const names = Object.keys(value).sort();
    checkSize('Properties', schema, names.length, add);
    const missing = missingOf(schema['required'], value);
    if (missing.length > 0) add(`missing ${missing.length === 1 ? 'property' : 'properties'} ${quotedList(missing)}`);
    for (const keyword of ['dependencies', 'dependentSchemas', 'dependentRequired']) {
      for (const [name, needed] of entriesOf(schema[keyword])) {
        if (!Object.hasOwn(value, name)) continue;
        const lacking = missingOf(needed, value);
        if (lacking.length > 0) add(`properties ${quotedList(lacking)} required, if ${quoted(name)} exists`);
        if (isSchema(needed)) this.checkSame(needed, value, path, depth, verdict);
      }
    }
    const additional: string[] = [];
    const patterns = entriesOf(schema['patternProperties']);
    const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
    const others = schema['additionalProperties'];
    for (const name of names) {
      const inside = [...path, name];
      const matching = patterns.filter(([pattern]) => matchesPattern(pattern, name)).map(([, part]) => part);
      const parts = Object.hasOwn(properties, name) ? [properties[name]!, ...matching] : matching;
      if (parts.length === 0 && others === undefined) continue;
      verdict.properties.add(name);
      if (parts.length === 0 && others === false) additional.push(name);
      for (const part of parts.length > 0 ? parts : [others]) {
        if (part !== false || parts.length > 0) this.checkPart(part, value[name]!, inside, depth, verdict);
      }
    }
    if (additional.length > 0) add(`additional properties ${quotedList(additional)} not allowed`);
    const named = schema['propertyNames'];
    if (!isSchema(named) || this.document.draft === 4) return;
    for (const name of names) {
      const { faults } = this.check(named, name, path, depth + 1);
      const causes = ungrouped(faults);
      if (faults.length > 0) verdict.faults.push({ kind: 'fault', path, message: `invalid propertyName ${quoted(name)}`, causes });
    }
  }

  private checkList(schema: JsonObject, value: readonly Json[], path: readonly string[], depth: number, verdict: Verdict): void {
    const add = (message: string): void => void verdict.faults.push(plain(path, message));
    checkSize('Items', schema, value.length, add);
    if (schema['uniqueItems'] === true) {
      const [first, second] = duplicatesIn(value);
      if (second !== undefined) add(`items at ${printNumber(first!)} and ${printNumber(second)} are equal`);
    }
    const isNew = this.document.draft === 2020;
    const { items } = schema;
    const leading = isNew ? schema['prefixItems'] : Array.isArray(items) ? items : undefined;
    const rest = isNew || !Array.isArray(items) ? items : schema['additionalItems'];
    const count = Array.isArray(leading) ? leading.length : 0;
    if (!isNew && rest === false && Array.isArray(items)) {
      if (value.length > count) add(`last ${printNumber(value.length - count)} additionalItem(s) not allowed`);
    }
    for (const [i, item] of value.entries()) {
      const part = i < count && Array.isArray(leading) ? leading[i] : rest;
      if (part === undefined) continue;
      verdict.items.add(i);
      if (part !== false || !Array.isArray(items)) this.checkPart(part, item, [...path, String(i)], depth, verdict);
    }
    this.checkContains(schema, value, path, depth, verdict);
  }

  private checkContains(schema: JsonObject, value: readonly Json[], path: readonly string[], depth: number, verdict: Verdict): void {
    const { contains } = schema;
    if (!isSchema(contains) || this.document.draft === 4) return;
    const matched: number[] = [];
    const causes: SchemaFault[] = [];
    for (const [i, item] of value.entries()) {
      const inside = [...path, String(i)];
      const fault = grouped(this.check(contains, item, inside, depth + 1).faults, inside);
      if (fault) causes.push(fault);
      else matched.push(i);
    }
    if (this.document.draft === 2020) for (const i of matched) verdict.items.add(i);
    const least = numberOf(schema['minContains']);
    const most = numberOf(schema['maxContains']);
    const found = `matched ${printNumber(matched.length)} items at ${matched.join(' ')}`;
    if (least === undefined) {
      if (matched.length === 0) verdict.faults.push({ kind: 'fault', path, message: 'no items match contains schema', causes });
    } else if (matched.length < least) {
      const message = `min ${printNumber(least)} items required to match contains schema, but ${matched.length === 0 ? 'none matched' : found}`;
      verdict.faults.push({ kind: 'fault', path, message, causes });
    }
    if (most !== undefined && matched.length > most) {
      verdict.faults.push(plain(path, `max ${printNumber(most)} items required to match contains schema, but ${found}`));
    }
  }

  /** Checks the same value by a further schema; what it looked at counts when it has no faults. */
  private checkSame(schema: Schema, value: Json, path: readonly string[], depth: number, into: Verdict): void {
    const { faults, ...seen } = this.check(schema, value, path, depth + 1);
    const fault = grouped(faults, path);
    if (fault) into.faults.push(fault);
    else takeOver(into, seen);
  }

  private checkCombined(schema: JsonObject, value: Json, path: readonly string[], depth: number, verdict: Verdict): void {
    const verdictOf = (part: Schema): Verdict => {
      const found = this.check(part, value, path, depth + 1);
      if (found.faults.length === 0) takeOver(verdict, found);
      return found;
    };
    const failed = (message: string, verdicts: readonly Verdict[]): void => {
      const causes = verdicts.flatMap(({ faults }) => grouped(faults, path) ?? []);
      verdict.faults.push({ kind: 'fault', path, message, causes });
    };
    const { not } = schema;
    if (isSchema(not) && this.check(not, value, path, depth + 1).faults.length === 0) verdict.faults.push(plain(path, "'not' failed"));
    const all = schemasOf(schema['allOf']).map(verdictOf);
    if (all.some(({ faults }) => faults.length > 0)) failed("'allOf' failed", all);
    const any = schemasOf(schema['anyOf']).map(verdictOf);
    if (any.length > 0 && any.every(({ faults }) => faults.length > 0)) failed("'anyOf' failed", any);
    const one = schemasOf(schema['oneOf']).map(verdictOf);
    const [first, second] = one.flatMap(({ faults }, i) => (faults.length === 0 ? [i] : []));
    if (one.length > 0 && first === undefined) failed("'oneOf' failed, none matched", one);
    if (second !== undefined) verdict.faults.push(plain(path, `'oneOf' failed, subschemas ${first}, ${second} matched`));
    if (!isSchema(schema['if']) || this.document.draft < 7) return;
    const branch = verdictOf(schema['if']).faults.length === 0 ? schema['then'] : schema['else'];
    if (isSchema(branch)) this.checkSame(branch, value, path, depth, verdict);
  }

  private checkUnevaluated(schema: JsonObject, value: Json, path: readonly string[], depth: number, verdict: Verdict): void {
    const { unevaluatedProperties: properties, unevaluatedItems: items } = schema;
    if (isJsonObject(value) && properties !== undefined) {
      for (const name of Object.keys(value).sort()) {
        if (!verdict.properties.has(name)) this.checkPart(properties, value[name]!, [...path, name], depth, verdict);
        verdict.properties.add(name);
      }
    }
    if (Array.isArray(value) && items !== undefined) {
      for (const [i, item] of value.entries()) {
        if (!verdict.items.has(i)) this.checkPart(items, item, [...path, String(i)], depth, verdict);
        verdict.items.add(i);
      }
    }
  }
}

const plain = (path: readonly string[], message: string): SchemaFault => ({ kind: 'fault', path, message, causes: [] });

function grouped(faults: readonly SchemaFault[], path: readonly string[]): SchemaFault | undefined {
  return faults.length > 1 ? { kind: 'group', path, message: 'validation failed', causes: faults } : faults[0];
}

/** A group that is alone stands for what it holds. */
function ungrouped(faults: SchemaFault[]): SchemaFault[] {
  return faults.length === 1 && faults[0]!.kind === 'group' ? [...faults[0]!.causes] : faults;
}

function takeOver(into: Verdict, { properties, items }: Pick<Verdict, 'properties' | 'items'>): void {
  for (const name of properties) into.properties.add(name);
  for (const i of items) into.items.add(i);
}

const isSchema = (value: Json | undefined): value is Schema => typeof value === 'boolean' || isJsonObject(value);
const schemasOf = (value: Json | undefined): Schema[] => (Array.isArray(value) ? value.filter(isSchema) : []);
const entriesOf = (value: Json | undefined): [string, Json][] => (isJsonObject(value) ? Object.entries(value) : []);
const numberOf = (value: Json | undefined): number | undefined => (typeof value === 'number' ? value : undefined);

function missingOf(names: Json | undefined, value: JsonObject): string[] {
  if (!Array.isArray(names)) return [];
  return names.filter((name): name is string => typeof name === 'string' && !Object.hasOwn(value, name));
}

function checkSize(what: 'Items' | 'Properties', schema: JsonObject, size: number, add: (message: string) => void): void {
  const least = numberOf(schema[`min${what}`]);
  const most = numberOf(schema[`max${what}`]);
  if (least !== undefined && size < least) add(`min${what}: got ${printNumber(size)}, want ${printNumber(least)}`);
  if (most !== undefined && size > most) add(`max${what}: got ${printNumber(size)}, want ${printNumber(most)}`);
}

function duplicatesIn(list: readonly Json[]): number[] {
  for (let i = 1; i < list.length; i++) {
    const earlier = list.findIndex(item => jsonEqual(item, list[i]));
    if (earlier < i) return [earlier, i];
  }
  return [];
}
