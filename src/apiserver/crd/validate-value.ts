import { invalid, notSupported, required, tooLong, tooMany, typeInvalid, type FieldError } from '../../api/field-error.ts';
import { goQuote } from '../../util/go-quote.ts';
import { isJsonObject, jsonEqual, printJson, type Json, type JsonObject } from '../../util/json.ts';
import { sharedItems } from '../../util/shared-items.ts';
import { compileGoRegExp, type GoRegExp } from '../../cel/go-regexp.ts';
import { printDouble } from '../../cel/standard-library.ts';
import { findOldItem } from './correlate-items.ts';
import { fieldOf, isIntOrString, itemsOf, type SchemaProps } from './schema-props.ts';
import { isKnownFormat, stringFormat } from './string-formats.ts';

/** Collects what is wrong. Paths in messages are relative to the value; `prefix` says where the value itself lies. */
export interface Findings {
  readonly prefix: string;
  readonly errors: FieldError[];
  /** Whether the old value broke nothing: then what is the very same part of it does not either. */
  readonly isOldProven?: boolean;
  /** Whether something wrong was let pass because it was there before. */
  hasForgiven?: boolean;
}

/**
 * Checks a value; `old` is the value it replaces, if there is one at the same place, and what it shares with it is not complained
 * about. Returns how many checks applied: alternatives that match better are the ones whose errors are shown.
 */
export type ValidateValue = (value: Json, path: string, old: Json | undefined, findings: Findings) => number;

const compiled = new WeakMap<SchemaProps, ValidateValue>();

/** The checks that a schema asks for, with the messages of the real server. */
export function valueValidator(schema: SchemaProps): ValidateValue {
  let validate = compiled.get(schema);
  if (!validate) compiled.set(schema, (validate = compileValidator(schema)));
  return validate;
}

/** As `valueValidator`, but children are compiled on first use. */
const lazily = (schema: SchemaProps): ValidateValue => {
  let validate: ValidateValue | undefined;
  return (value, path, old, findings) => (validate ??= valueValidator(schema))(value, path, old, findings);
};

function fieldAt(findings: Findings, path: string): string {
  const name = path.startsWith('.') ? path.slice(1) : path;
  if (name === '') return findings.prefix === '' ? '<nil>' : findings.prefix;
  return findings.prefix === '' ? name : `${findings.prefix}.${name}`;
}

const named = (path: string): string => `${path} in body`;

/** An error about alternatives names no field of its own. */
function composite(findings: Findings, message: string): void {
  findings.errors.push(invalid(findings.prefix === '' ? '<nil>' : findings.prefix, '', message));
}

function compileValidator(schema: SchemaProps): ValidateValue {
  const type = typeCheck(schema);
  const alternatives = alternativesCheck(schema);
  const text = textCheck(schema);
  const number = numberCheck(schema);
  const list = listCheck(schema);
  const object = objectCheck(schema);
  const choice = enumCheck(schema);

  return (value, path, old, findings) => {
    if (findings.isOldProven && value === old) return 1;
    const { errors } = findings;
    const before = errors.length;
    let matches = 1;
    if (value === null) {
      matches = type(value, path, findings) + choice(value, path, findings);
    } else {
      matches += type(value, path, findings) + 1;
      matches += alternatives(value, path, old, findings) + 1;
      if (typeof value === 'string') text(value, path, findings);
      else if (typeof value === 'number' || typeof value === 'bigint') matches += number(value, path, findings) + 1;
      else if (Array.isArray(value)) matches += list(value, path, old, findings) + 1;
      choice(value, path, findings);
      if (isJsonObject(value)) matches += object(value, path, old, findings) + 1;
    }
    if (errors.length > before && old !== undefined && jsonEqual(value, old)) {
      errors.length = before;
      findings.hasForgiven = true;
    }
    return matches;
  };
}

function jsonTypeOf(value: Json): { type: string; format: string } {
  if (typeof value === 'string') return { type: 'string', format: '' };
  if (typeof value === 'boolean') return { type: 'boolean', format: '' };
  if (typeof value === 'bigint') return { type: 'integer', format: 'int64' };
  if (typeof value === 'number')
    return Number.isInteger(value) ? { type: 'integer', format: 'int64' } : { type: 'number', format: 'float64' };
  return Array.isArray(value) ? { type: 'array', format: '' } : { type: 'object', format: '' };
}

function typeCheck(schema: SchemaProps): (value: Json, path: string, findings: Findings) => number {
  const types = isIntOrString(schema) ? ['integer', 'string'] : schema.type === undefined || schema.type === '' ? [] : [schema.type];
  const format = formatOf(schema, types);
  const isNumeric = types.includes('number') || types.includes('integer');
  const fail = (path: string, wanted: string, found: string, findings: Findings): number => {
    findings.errors.push(typeInvalid(fieldAt(findings, path), found, `${named(path)} must be of type ${wanted}: ${goQuote(found)}`));
    return 0;
  };
  return (value, path, findings) => {
    if (value === null) return types.length > 0 && schema.nullable !== true ? fail(path, types.join(','), 'null', findings) : 1;
    if (types.length === 0 && format === '') return 0;
    const found = jsonTypeOf(value);
    const fits = types.includes(found.type) || (found.type === 'integer' && types.includes('number'));
    const isTextOrList = found.type === 'string' || found.type === 'array';
    if (!isTextOrList && format !== '' && !fits && found.format !== format) return fail(path, format, found.format, findings);
    if (!isNumeric && format !== '' && isTextOrList) return 1;
    return fits ? 1 : fail(path, types.join(','), found.type, findings);
  };
}

function formatOf({ format }: SchemaProps, types: readonly string[]): string {
  return format !== undefined && isKnownFormat(format, types.length === 1 ? types[0]! : '') ? format : '';
}

function textCheck(schema: SchemaProps): (value: string, path: string, findings: Findings) => void {
  const { minLength, maxLength, pattern } = schema;
  const types = isIntOrString(schema) ? ['integer', 'string'] : [schema.type ?? ''];
  const format = formatOf(schema, types.length === 1 && types[0] !== '' ? types : []);
  const hasFormat = format === '' ? undefined : stringFormat(format);
  let regExp: GoRegExp | undefined;
  let problem: string | undefined;
  const lengthMatters = minLength !== undefined || maxLength !== undefined;

  function check(value: string, path: string, findings: Findings): void {
    const length = lengthMatters ? codePoints(value) : 0;
    if (maxLength !== undefined && length > maxLength) {
      findings.errors.push(tooLong(fieldAt(findings, path), maxLength));
    } else if (minLength !== undefined && length < minLength) {
      findings.errors.push(invalid(fieldAt(findings, path), value, `${named(path)} should be at least ${minLength} chars long`));
    } else if (pattern !== undefined && pattern !== '' && !matches(value)) {
      const shown = problem === undefined ? pattern : `${pattern}, but pattern is invalid: ${problem}`;
      findings.errors.push(invalid(fieldAt(findings, path), value, `${named(path)} should match '${shown}'`));
    }
  }

  function matches(value: string): boolean {
    if (regExp === undefined && problem === undefined) {
      try {
        regExp = compileGoRegExp(pattern ?? '');
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error);
      }
    }
    return regExp?.test(value) ?? false;
  }

  return (value, path, findings) => {
    check(value, path, findings);
    if (hasFormat && !hasFormat(value))
      findings.errors.push(typeInvalid(fieldAt(findings, path), value, `${named(path)} must be of type ${format}: ${goQuote(value)}`));
  };
}

function codePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0xd800 && code <= 0xdbff) count--;
  }
  return count;
}

function numberCheck(schema: SchemaProps): (value: number | bigint, path: string, findings: Findings) => number {
  const { exclusiveMinimum = false, exclusiveMaximum = false } = schema;
  // Those beyond 2^53 are bigints.
  const [minimum, maximum, multipleOf] = [schema.minimum, schema.maximum, schema.multipleOf].map(limit => limit && Number(limit));
  const isInteger = schema.type === 'integer' && !isIntOrString(schema);
  const format = isInteger && (schema.format === 'int32' || schema.format === 'int64') ? schema.format : '';
  const [least, most] = format === 'int32' ? [-2147483648, 2147483647] : [-9223372036854775808, 9223372036854775807];
  return (value, path, findings) => {
    const number = Number(value);
    const isWhole = Number.isInteger(number);
    if (isInteger && (!isWhole || number < least! || number > most!)) {
      const wanted = format === '' ? '(default format)' : `with format ${format}`;
      composite(findings, `Checked value must be of type integer ${wanted} in ${path}`);
    }
    // Bounds of whole numbers are whole.
    const bound = (limit: number): number => (isWhole ? Math.trunc(limit) : limit);
    const fail = (text: string): number =>
      findings.errors.push(invalid(fieldAt(findings, path), value, `${named(path)} should be ${text}`));
    if (multipleOf !== undefined) checkMultiple(number, bound(multipleOf), path, findings, fail);
    if (minimum !== undefined && (exclusiveMinimum ? number <= bound(minimum) : number < bound(minimum)))
      fail(`greater than ${exclusiveMinimum ? '' : 'or equal to '}${printDouble(bound(minimum))}`);
    if (maximum !== undefined && (exclusiveMaximum ? number >= bound(maximum) : number > bound(maximum)))
      fail(`less than ${exclusiveMaximum ? '' : 'or equal to '}${printDouble(bound(maximum))}`);
    return 1;
  };
}

function checkMultiple(value: number, factor: number, path: string, findings: Findings, fail: (text: string) => void): void {
  if (factor <= 0) {
    const text = `factor MultipleOf declared for ${path} must be positive: ${printDouble(factor)}`;
    findings.errors.push(invalid(fieldAt(findings, path), factor, text));
    return;
  }
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  const isMultiple = Math.abs(quotient - Math.round(quotient)) < 1e-9 * Math.max(1, Math.abs(quotient));
  if (!isMultiple) fail(`a multiple of ${printDouble(factor)}`);
}

function enumCheck({ enum: choices }: SchemaProps): (value: Json, path: string, findings: Findings) => number {
  if (!choices || choices.length === 0) return () => 0;
  const shown = choices.map(choice => (typeof choice === 'string' ? choice : printJson(choice)));
  return (value, path, findings) => {
    if (value !== null && choices.some(choice => jsonEqual(choice, value))) return 0;
    findings.errors.push(notSupported(fieldAt(findings, path), value, shown));
    return 0;
  };
}

function listCheck(schema: SchemaProps): (value: Json[], path: string, old: Json | undefined, findings: Findings) => number {
  const items = itemsOf(schema);
  const item = items && lazily(items);
  const { minItems, maxItems } = schema;
  return (value, path, old, findings) => {
    let matches = 1;
    if (item) {
      const isProven = findings.isOldProven && Array.isArray(old) ? sharedItems(old) : undefined;
      for (let i = 0; i < value.length; i++) {
        if (isProven?.(value[i])) continue;
        const oldItem = old === undefined ? undefined : findOldItem(schema, value[i]!, old);
        matches += item(value[i]!, `${path}[${i}]`, oldItem, findings);
      }
    }
    if (minItems !== undefined && value.length < minItems)
      findings.errors.push(invalid(fieldAt(findings, path), value.length, `${named(path)} should have at least ${minItems} items`));
    if (maxItems !== undefined && value.length > maxItems) findings.errors.push(tooMany(fieldAt(findings, path), value.length, maxItems));
    return matches;
  };
}

function objectCheck(schema: SchemaProps): (value: JsonObject, path: string, old: Json | undefined, findings: Findings) => number {
  const properties = new Map(Object.entries(schema.properties ?? {}).map(([name, child]) => [name, lazily(child)]));
  const { additionalProperties, minProperties, maxProperties } = schema;
  const requiredNames = schema.required ?? [];
  const values = typeof additionalProperties === 'object' ? lazily(additionalProperties) : undefined;
  const isClosed = additionalProperties === false;
  const oldOf = (old: Json | undefined, path: string, key: string): Json | undefined => {
    if (!isJsonObject(old) || !Object.hasOwn(old, key) || fieldOf(schema, key) === undefined) return undefined;
    return path === '' && (key === 'apiVersion' || key === 'kind') ? undefined : old[key];
  };
  return (value, path, old, findings) => {
    let matches = 0;
    const size = minProperties === undefined && maxProperties === undefined ? 0 : Object.keys(value).length;
    if (minProperties !== undefined && size < minProperties)
      findings.errors.push(invalid(fieldAt(findings, path), size, `${named(path)} should have at least ${minProperties} properties`));
    if (maxProperties !== undefined && size > maxProperties) findings.errors.push(tooMany(fieldAt(findings, path), size, maxProperties));
    for (const key in value) {
      const property = properties.get(key);
      if (property) matches += property(value[key]!, path === '' ? key : `${path}.${key}`, oldOf(old, path, key), findings);
      else if (values) matches += values(value[key]!, `${path}.${key}`, oldOf(old, path, key), findings);
      else if (isClosed) findings.errors.push(invalid(fieldAt(findings, path), key, `${path}.${key} in body is a forbidden property`));
    }
    for (const name of requiredNames)
      if (!Object.hasOwn(value, name) || value[name] === undefined) findings.errors.push(required(fieldAt(findings, `${path}.${name}`)));
    return matches;
  };
}

type Alternatives = (value: Json, path: string, old: Json | undefined, findings: Findings) => number;

function alternativesCheck(schema: SchemaProps): Alternatives {
  const { anyOf = [], oneOf = [], allOf = [], not } = schema;
  if (anyOf.length + oneOf.length + allOf.length === 0 && !not) return () => 1;
  const any = anyOf.map(lazily);
  const one = oneOf.map(lazily);
  const all = allOf.map(lazily);
  const forbidden = not && lazily(not);

  return (value, path, old, findings) => {
    const quoted = goQuote(path);
    const attempt = (validate: ValidateValue): Attempt => {
      const trial: Findings = { prefix: findings.prefix, errors: [] };
      const matches = validate(value, path, old, trial);
      if (trial.hasForgiven) findings.hasForgiven = true;
      return { matches, errors: trial.errors };
    };
    let matches = 1;
    if (any.length > 0) {
      const { valid, best } = tryUntilValid(any, attempt);
      if (!valid) composite(findings, `${quoted} must validate at least one schema (anyOf)`);
      findings.errors.push(...(valid ? [] : (best?.errors ?? [])));
      matches += (valid ?? best)?.matches ?? 0;
    }
    if (one.length > 0) {
      const attempts = one.map(attempt);
      const valid = attempts.filter(({ errors }) => errors.length === 0);
      if (valid.length !== 1) {
        const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
        composite(findings, `${quoted} must validate one and only one schema (oneOf). ${found}`);
        if (valid.length === 0) findings.errors.push(...(bestOf(attempts)?.errors ?? []));
      }
      matches += (valid[0] ?? bestOf(attempts))?.matches ?? 0;
    }
    if (all.length > 0) {
      const attempts = all.map(attempt);
      for (const { errors, matches: counted } of attempts) {
        findings.errors.push(...errors);
        matches += counted;
      }
      const valid = attempts.filter(({ errors }) => errors.length === 0).length;
      if (valid !== all.length)
        composite(findings, `${quoted} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
    }
    if (forbidden && attempt(forbidden).errors.length === 0) composite(findings, `${quoted} must not validate the schema (not)`);
    return matches;
  };
}

interface Attempt {
  readonly matches: number;
  readonly errors: FieldError[];
}

function bestOf(attempts: readonly Attempt[]): Attempt | undefined {
  return attempts.reduce<Attempt | undefined>((best, attempt) => (!best || attempt.matches > best.matches ? attempt : best), undefined);
}

function tryUntilValid(
  alternatives: readonly ValidateValue[],
  attempt: (validate: ValidateValue) => Attempt,
): { valid?: Attempt; best?: Attempt } {
  const failed: Attempt[] = [];
  for (const alternative of alternatives) {
    const tried = attempt(alternative);
    if (tried.errors.length === 0) return { valid: tried };
    failed.push(tried);
  }
  const best = bestOf(failed);
  return best ? { best } : {};
}
