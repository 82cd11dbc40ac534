import type { GoFunction, GoValue } from '../go/go-value.ts';
import { builtins } from './builtins.ts';
import { compileTemplate } from './compile.ts';
import { execute, type CompiledTemplate, type Environment, type Limits } from './execution.ts';
import { GoError } from '../go/go-value.ts';
import { goQuote } from '../../util/go-quote.ts';
import type { FixedFunctions } from './scope.ts';
import { parseTemplate } from './parser.ts';

/** Templates that know each other, and the functions they call. */
export class TemplateSet implements Environment {
  readonly #templates = new Map<string, CompiledTemplate>();
  readonly #functions: Map<string, GoFunction>;
  readonly #parent: TemplateSet | undefined;
  readonly isStrict: boolean;
  readonly limits: Limits;

  constructor(functions: ReadonlyMap<string, GoFunction>, options: { isStrict?: boolean; limits: Limits }, parent?: TemplateSet) {
    this.#functions = new Map(functions);
    this.#parent = parent;
    this.isStrict = options.isStrict ?? false;
    this.limits = options.limits;
  }

  /** A set that knows what this one knows and goes its own way. This one must not learn more meanwhile. */
  child(): TemplateSet {
    return new TemplateSet(new Map(), this, this);
  }

  setFunction(name: string, call: GoFunction): void {
    this.#functions.set(name, call);
  }

  /** Adds the templates of a text. Of two with the same name the later wins, unless it is empty. Throws TemplateParseError. */
  parse(name: string, text: string): CompiledTemplate {
    for (const template of compileText(name, text, one => this.function(one) !== undefined)) this.add(template);
    return this.template(name)!;
  }

  add(template: CompiledTemplate): void {
    if (template.isEmpty && this.template(template.name)) return;
    this.#templates.set(template.name, template);
  }

  /** Adds a template whatever was there before. */
  replace(template: CompiledTemplate): void {
    this.#templates.set(template.name, template);
  }

  template(name: string): CompiledTemplate | undefined {
    return this.#templates.get(name) ?? this.#parent?.template(name);
  }

  function(name: string): GoFunction | undefined {
    return this.#functions.get(name) ?? this.#parent?.function(name) ?? builtins.get(name);
  }

  execute(name: string, dot: GoValue, from = name): string {
    const template = this.template(name);
    if (!template) throw new GoError(`template: no template ${goQuote(name)} associated with template ${goQuote(from)}`);
    return execute(this, template, dot);
  }
}

/** The compiled templates of a text: they can be added to many sets whose functions have the same names. */
export function compileText(
  name: string,
  text: string,
  hasFunction: (name: string) => boolean,
  fixed: FixedFunctions = () => undefined,
): CompiledTemplate[] {
  return [...parseTemplate(name, text, hasFunction).values()].map(definition => compileTemplate(definition, fixed));
}
