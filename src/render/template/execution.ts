import { goQuote } from '../../util/go-quote.ts';
import { GoError, type GoFunction, type GoValue } from '../go/go-value.ts';
import { LimitError } from '../go/rendering.ts';
import { locate, printNode, type AnyNode, type Source } from './node.ts';

/** A template that failed while it ran, in Go's words: where, at which expression, and why. */
export class TemplateExecError extends GoError {
  override name = 'TemplateExecError';
}

/** Ends a statement: go on, or leave one or all rounds of the range around it. */
export type Signal = 0 | 1 | 2;
export const proceed = 0;
export const breakRange = 1;
export const continueRange = 2;

export type Statement = (run: Run, dot: GoValue) => Signal;
export type Expression = (run: Run, dot: GoValue) => GoValue;

export interface CompiledTemplate {
  readonly name: string;
  readonly source: Source;
  readonly isEmpty: boolean;
  readonly slots: number;
  readonly body: Statement;
}

/** What a run of templates may ask for: other templates, functions, and how far it may go. */
export interface Environment {
  template(name: string): CompiledTemplate | undefined;
  function(name: string): GoFunction | undefined;
  /** Keys that are missing from maps are errors. */
  readonly isStrict: boolean;
  readonly limits: Limits;
}

/** Shared by everything that renders for one purpose: when it runs out, the rendering ends with an error. */
export interface Limits {
  /** Counts down with every statement and round. */
  steps: number;
  /** Counts down with every character of output. */
  output: number;
  readonly deadline: number;
}

const maxDepth = 100_000;

/** One template at work: its output, its variables, and the place it has reached. */
export class Run {
  readonly env: Environment;
  readonly limits: Limits;
  template: CompiledTemplate;
  out = '';
  node: AnyNode | undefined;
  depth = 0;
  variables: GoValue[];
  /** Slots whose value came out of a list or map of interfaces: errors name them `interface {}`. */
  isInterface: boolean[] = [];
  isDotInterface = false;

  constructor(env: Environment, template: CompiledTemplate, dot: GoValue) {
    this.env = env;
    this.limits = env.limits;
    this.template = template;
    this.variables = new Array<GoValue>(template.slots);
    this.variables[0] = dot;
  }

  write(text: string): void {
    this.out += text;
    if ((this.limits.output -= text.length) < 0) throw this.error('the output is too large');
  }

  /** Called once per statement and round. */
  step(): void {
    const { limits } = this;
    if (--limits.steps < 0) throw this.error('the template takes too many steps');
    if ((limits.steps & 1023) === 0 && performance.now() > limits.deadline) throw this.error('the template takes too long');
  }

  error(message: string, cause?: GoError): TemplateExecError {
    const name = this.template.name;
    const at = this.node ? `${locate(this.node)}: executing ${goQuote(name)} at <${printNode(this.node)}>` : name;
    return new TemplateExecError(`template: ${at}: ${message}`, cause && { cause });
  }

  /** Runs another template with nothing but a dot, into the same output. */
  invoke(name: string, dot: () => GoValue): void {
    const template = this.env.template(name);
    if (!template) throw this.error(`template ${goQuote(name)} not defined`);
    if (this.depth === maxDepth) throw this.error(`exceeded maximum template depth (${maxDepth})`);
    const value = dot();
    const kept = {
      template: this.template,
      variables: this.variables,
      isInterface: this.isInterface,
      isDotInterface: this.isDotInterface,
    };
    this.template = template;
    this.variables = new Array<GoValue>(template.slots);
    this.variables[0] = value;
    this.isInterface = [];
    this.isDotInterface = false;
    this.depth++;
    template.body(this, value);
    this.depth--;
    Object.assign(this, kept);
  }
}

/** Said once, where it happened: templates may run others. */
const located = (run: Run, message: string): string => (message.startsWith('template: ') ? message : run.error(message).message);

/** Renders one template. Throws TemplateExecError. */
export function execute(env: Environment, template: CompiledTemplate, dot: GoValue): string {
  const run = new Run(env, template, dot);
  try {
    template.body(run, dot);
  } catch (error) {
    if (error instanceof LimitError) throw new LimitError(located(run, error.message));
    // The stack of JavaScript is smaller than that of Go: what Go would stop later stops here.
    if (error instanceof RangeError) throw new TemplateExecError(run.error(`exceeded maximum template depth (${maxDepth})`).message);
    throw error;
  }
  return run.out;
}
