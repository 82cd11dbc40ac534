import type { Json } from '../../util/json.ts';
import { GoTypeError, type GoJsonError } from './go-json-error.ts';

/** A step from the root of a document: a struct's field, a key of a map, or an index. */
export type Step = FieldStep | string | number;

export interface FieldStep {
  readonly name: string;
  /** The short Go name of the struct that has the field. */
  readonly owner: string;
  readonly embedded: readonly string[];
}

const maxProblems = 100;

/** Where the decoder is in a document, and what it has found wrong so far. */
export class ShapeContext {
  readonly path: Step[] = [];
  private firstError: GoJsonError | undefined;
  private readonly problems: string[];

  constructor(problems: string[]) {
    this.problems = problems;
  }

  addUnknownField(name: string): void {
    if (this.problems.length >= maxProblems) return;
    const problem = `unknown field ${JSON.stringify(this.strictPath(name))}`;
    if (!this.problems.includes(problem)) this.problems.push(problem);
  }

  /** Go goes on after a wrong type and reports the first one at the end. */
  addTypeError(value: Json, goType: string): void {
    this.firstError ??= this.typeError(describeJson(value), goType);
  }

  addError(error: GoJsonError): void {
    this.firstError ??= error;
  }

  /** For numbers that do not fit, and for errors that come out of a nested decoder. */
  typeError(described: string, goType: string, below: readonly string[] = []): GoTypeError {
    const fields = this.path.filter(step => typeof step === 'object');
    const names = fields.flatMap(step => [...step.embedded, step.name]);
    return new GoTypeError(described, goType, fields.at(-1)?.owner, [...names, ...below]);
  }

  throwFirstError(): void {
    if (this.firstError) throw this.firstError;
  }

  private strictPath(name: string): string {
    let text = '';
    for (const step of this.path) {
      if (typeof step === 'number') text += `[${step}]`;
      else {
        const key = typeof step === 'string' ? step : step.name;
        text += text === '' ? key : `.${key}`;
      }
    }
    return text === '' ? name : `${text}.${name}`;
  }
}

/** Go's word for a JSON value in messages about its type. */
function describeJson(value: Json): string {
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'object':
      return value === null ? 'null' : 'object';
    default:
      return 'number';
  }
}
