import { at, duplicate, forbidden, invalid, required, type FieldError, type FieldErrorType } from '../../api/field-error.ts';
import { isJsonObject, jsonEqual, type Json } from '../../util/json.ts';
import { CelCostError, CelError, type CelBudget, type CelProgram } from '../../cel/cel.ts';
import { celTypes, type CelType } from '../../cel/cel-type.ts';
import { Optional } from '../../cel/cel-values.ts';
import { compileCel } from '../../cel/compile-cel.ts';
import { findOldItem } from './correlate-items.ts';
import { resolveFieldPath } from './field-path.ts';
import { celTypeOfSchema } from './schema-cel-type.ts';
import { isEmbedded, itemsOf, propertyOf, schemaHas, valuesOf, type SchemaProps, type ValidationRule } from './schema-props.ts';

/** What all rules of one object may cost together. */
const objectBudget = 10_000_000;

export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly program?: CelProgram;
  readonly error?: string;
  readonly messageProgram?: CelProgram;
  readonly messageError?: string;
  readonly usesOldSelf: boolean;
  readonly fieldPath: string;
}

/** Compiles the rules of one node. Rules that do not compile carry the reason. */
export function compileRules(schema: SchemaProps, type: CelType): CompiledRule[] {
  return (schema['x-kubernetes-validations'] ?? []).map(rule => compileRule(rule, schema, type));
}

/** What the expressions of a rule see. */
export function ruleVariables({ optionalOldSelf }: ValidationRule, type: CelType): Record<'self' | 'oldSelf', CelType> {
  return { self: type, oldSelf: optionalOldSelf === true ? celTypes.optional(type) : type };
}

const ruleTexts = ['compilation failed', 'program instantiation failed', 'cel expression must evaluate to a bool'] as const;
const messageTexts = [
  'messageExpression compilation failed',
  'messageExpression instantiation failed',
  'messageExpression must evaluate to a string',
] as const;

function compileRule(rule: ValidationRule, schema: SchemaProps, type: CelType): CompiledRule {
  const variables = ruleVariables(rule, type);
  const none = { rule, usesOldSelf: false, fieldPath: '' };
  if ((rule.rule ?? '').trim() === '') return none;
  const compiled = compile(rule.rule ?? '', variables, celTypes.bool, ruleTexts);
  if (!compiled.program) return { ...none, ...compiled };
  const usesOldSelf = compiled.program.references.has('oldSelf');
  const base = { rule, program: compiled.program, usesOldSelf, fieldPath: normalisedPath(rule.fieldPath, schema) };
  if ((rule.messageExpression ?? '') === '') return base;
  const message = compile(rule.messageExpression ?? '', variables, celTypes.string, messageTexts);
  return message.program ? { ...base, messageProgram: message.program } : { ...base, messageError: message.error ?? '' };
}

function compile(
  expression: string,
  variables: Readonly<Record<string, CelType>>,
  wanted: CelType,
  [compilation, instantiation, wrongType]: readonly [string, string, string],
): { program: CelProgram; error?: never } | { program?: never; error: string } {
  try {
    const program = compileCel(expression, { variables });
    const { resultType } = program;
    const isWanted = resultType.kind === 'simple' && wanted.kind === 'simple' && resultType.name === wanted.name;
    return isWanted ? { program } : { error: wrongType };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { error: error instanceof CelError ? `${instantiation}: ${message}` : `${compilation}: ${message}` };
  }
}

function normalisedPath(fieldPath: string | undefined, schema: SchemaProps): string {
  if (fieldPath === undefined || fieldPath === '') return '';
  try {
    return resolveFieldPath(fieldPath, schema).path;
  } catch {
    return '';
  }
}

/** The nodes of a schema that have rules, or have nodes below them that do. */
interface RuleNode {
  readonly schema: SchemaProps;
  readonly rules: readonly CompiledRule[];
  /** Set when the value cannot be seen by expressions. */
  readonly problem?: string;
  readonly items?: RuleNode;
  readonly values?: RuleNode;
  readonly properties: ReadonlyMap<string, RuleNode>;
}

const nodes = new WeakMap<SchemaProps, RuleNode | undefined>();
const hasRules = (schema: SchemaProps): boolean => schemaHas(schema, node => (node['x-kubernetes-validations']?.length ?? 0) > 0);

function ruleNode(schema: SchemaProps, isResourceRoot: boolean): RuleNode | undefined {
  if (nodes.has(schema)) return nodes.get(schema);
  const node = hasRules(schema) ? buildNode(schema, isResourceRoot) : undefined;
  nodes.set(schema, node);
  return node;
}

function buildNode(schema: SchemaProps, isResourceRoot: boolean): RuleNode {
  const type = celTypeOfSchema(schema, isResourceRoot);
  const items = itemsOf(schema);
  const values = valuesOf(schema);
  const itemNode = items && ruleNode(items, isEmbedded(items));
  const valueNode = values && ruleNode(values, isEmbedded(values));
  const properties = new Map<string, RuleNode>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const node = celTypeOfSchema(property, isEmbedded(property)) && ruleNode(property, isEmbedded(property));
    if (node) properties.set(name, node);
  }
  return {
    schema,
    rules: type ? compileRules(schema, type) : [],
    ...(!type &&
      (schema['x-kubernetes-validations']?.length ?? 0) > 0 && { problem: 'failed to convert to declType for CEL validation rules' }),
    ...(itemNode && { items: itemNode }),
    ...(valueNode && { values: valueNode }),
    properties,
  };
}

/** A value and what it was before, where the two can be told to be the same thing. */
interface Pair {
  readonly value: Json;
  readonly old: Json;
}

interface Ratchet {
  readonly current?: Pair | undefined;
  readonly parent?: Pair | undefined;
}

export interface RuleOptions {
  /** The object before the update. */
  readonly old?: Json | undefined;
  readonly path?: string;
  readonly isResourceRoot?: boolean;
  /** Hears about rules that the unchanged parts of the object break; without it they are errors. */
  readonly warn?: ((text: string) => void) | undefined;
}

class BudgetSpent extends Error {}

/** Evaluates all rules of a schema on a value. */
export function validateRules(value: Json, schema: SchemaProps, options: RuleOptions = {}): FieldError[] {
  const node = ruleNode(schema, options.isResourceRoot ?? true);
  if (!node) return [];
  const run = new RuleRun(options.warn);
  const { old } = options;
  const ratchet = options.warn && old !== undefined ? { current: { value, old } } : {};
  try {
    run.visit(node, value, old, options.path ?? '', ratchet);
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
  }
  return run.errors.map(error => (error.field === '' ? { ...error, field: '<nil>' } : error));
}

class RuleRun {
  readonly errors: FieldError[] = [];
  readonly #budget: CelBudget = { remaining: objectBudget };
  readonly #warn: ((text: string) => void) | undefined;

  constructor(warn: ((text: string) => void) | undefined) {
    this.#warn = warn;
  }

  visit(node: RuleNode, value: Json, old: Json | undefined, path: string, ratchet: Ratchet): void {
    if (value === null) return;
    const before = old ?? undefined;
    if (node.problem !== undefined)
      this.errors.push(invalid(path, node.schema.type ?? '', `rule compiler initialization error: ${node.problem}`));
    for (const rule of node.rules) this.#evaluate(rule, node.schema, value, before, path, ratchet);
    if (Array.isArray(value)) {
      if (!node.items) return;
      for (let i = 0; i < value.length; i++) {
        const oldItem = before === undefined ? undefined : findOldItem(node.schema, value[i]!, before);
        this.visit(node.items, value[i]!, oldItem, at.index(path, i), below(ratchet, value[i]!, oldItem));
      }
      return;
    }
    if (!isJsonObject(value)) return;
    const oldMembers = isJsonObject(before) ? before : undefined;
    for (const key in value) {
      const property = node.properties.get(key);
      const child = property ?? (propertyOf(node.schema, key) ? undefined : node.values);
      if (!child) continue;
      const oldMember = oldMembers?.[key];
      const isTypeField = ratchet.parent === undefined && (key === 'apiVersion' || key === 'kind');
      this.visit(
        child,
        value[key]!,
        oldMember,
        property ? at.child(path, key) : at.key(path, key),
        isTypeField ? {} : below(ratchet, value[key]!, oldMember),
      );
    }
  }

  #evaluate(compiled: CompiledRule, schema: SchemaProps, value: Json, old: Json | undefined, path: string, ratchet: Ratchet): void {
    const { rule, program, usesOldSelf } = compiled;
    const type = schema.type ?? '';
    if (compiled.error !== undefined) {
      this.errors.push(invalid(path, type, `rule compile error: ${compiled.error}`));
      return;
    }
    const isOptional = rule.optionalOldSelf === true;
    if (!program || (usesOldSelf && old === undefined && !isOptional)) return;
    if (this.#budget.remaining <= 0) this.#stop(path, type, outOfBudget);
    const variables = { self: value, oldSelf: isOptional ? (old === undefined ? Optional.none : new Optional(old)) : old };
    const holds = this.#run(program, variables, rule, path, type);
    if (holds !== false) return;

    const target = compiled.fieldPath === '' ? path : at.child(path, compiled.fieldPath);
    const detail = this.#message(compiled, variables, target, type) ?? messageOf(rule);
    const error = failure(rule.reason, target, isComposite(type) ? undefined : value, detail);
    if (!usesOldSelf && this.#warn && isUnchanged(ratchet)) this.#warn(`${error.field === '' ? '<nil>' : error.field}: ${error.message}`);
    else this.errors.push(error);
  }

  /** What a rule says; undefined when it could not be evaluated, which has then been reported. */
  #run(program: CelProgram, variables: Record<string, unknown>, rule: ValidationRule, path: string, type: string): unknown {
    try {
      const result = program.evaluate(variables, this.#budget);
      if (this.#budget.remaining < 0) this.#stop(path, type, outOfBudget);
      return result;
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      if (this.#budget.remaining < 0) this.#stop(path, type, outOfBudget);
      const shown = shownRule(rule);
      if (error instanceof CelCostError)
        this.#stop(
          path,
          type,
          `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${shown}`,
        );
      const detail = error.message.startsWith('no such overload')
        ? `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${shown}`
        : `${error.message} evaluating rule: ${shown}`;
      this.errors.push(invalid(path, type, detail));
      return undefined;
    }
  }

  #message({ messageProgram, rule }: CompiledRule, variables: Record<string, unknown>, path: string, type: string): string | undefined {
    if (!messageProgram) return undefined;
    try {
      const message = messageProgram.evaluate(variables, this.#budget);
      if (this.#budget.remaining < 0)
        this.#stop(
          path,
          type,
          'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
        );
      const text = typeof message === 'string' ? message.trim() : '';
      return text === '' || text.length > 5 * 1024 || text.includes('\n') ? undefined : text;
    } catch (error) {
      if (error instanceof CelCostError)
        this.#stop(
          path,
          type,
          `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(rule.messageExpression)}`,
        );
      if (error instanceof CelError) return undefined;
      throw error;
    }
  }

  #stop(path: string, type: string, detail: string): never {
    this.errors.push(invalid(path, type, detail));
    throw new BudgetSpent(detail);
  }
}

const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run';

function below({ current, parent }: Ratchet, value: Json, old: Json | undefined): Ratchet {
  if (!current) return { parent };
  return { current: old === undefined ? undefined : { value, old }, parent: current };
}

function isUnchanged({ current, parent }: Ratchet): boolean {
  const pair = current ?? parent;
  return pair !== undefined && jsonEqual(pair.value, pair.old);
}

const isComposite = (type: string): boolean => type === 'object' || type === 'array';
const shownRule = ({ message = '', rule = '' }: ValidationRule): string => (message === '' ? rule : message).trim();
const messageOf = (rule: ValidationRule): string => ((rule.message ?? '') === '' ? `failed rule: ${shownRule(rule)}` : shownRule(rule));

/** Objects and lists are not printed in messages. */
function failure(reason: string | undefined, path: string, value: Json | undefined, detail: string): FieldError {
  if (reason === 'FieldValueForbidden') return forbidden(path, detail);
  if (reason === 'FieldValueRequired') return required(path, detail);
  const isOmitted = value === undefined;
  if (reason === 'FieldValueDuplicate') return isOmitted ? plain('FieldValueDuplicate', path, 'Duplicate value') : duplicate(path, value);
  return isOmitted ? plain('FieldValueInvalid', path, `Invalid value: ${detail}`) : invalid(path, value, detail);
}

const plain = (type: FieldErrorType, field: string, message: string): FieldError => ({ type, field, message });
