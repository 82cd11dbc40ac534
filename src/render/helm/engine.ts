import { baseName } from '../go/base-name.ts';
import { goQuote } from '../../util/go-quote.ts';
import { LRUCache } from 'lru-cache';
import { fullPath, isLibrary, type Chart, type ChartFile } from '../chart/chart.ts';
import { chartValue, valuesType, valuesValue } from './chart-value.ts';
import { filesValue } from './files.ts';
import { anyType, stringType } from '../go/go-type.ts';
import { inRendering, LimitError, newRendering, type Rendering } from '../go/rendering.ts';
import { GoError, GoFunction, isMap, typed, type GoMap, type GoValue } from '../go/go-value.ts';
import { TemplateExecError, type CompiledTemplate, type Limits } from '../template/execution.ts';
import { builtins } from '../template/builtins.ts';
import { compileText, TemplateSet } from '../template/template-set.ts';
import { TemplateParseError } from '../template/parser.ts';
import { helmFunctions } from './helm-functions.ts';
import { readableExecError, readableParseError, wrapWarning } from './render-error.ts';

/** What a lookup finds on the member: an object, a list, or nothing. */
export type Lookup = (apiVersion: string, kind: string, namespace: string, name: string) => GoMap;

export interface EngineOptions {
  readonly limits: Limits;
  readonly lookup?: Lookup;
  readonly isStrict?: boolean;
  readonly rendering?: Rendering;
}

interface Renderable {
  readonly file: ChartFile;
  readonly depth: number;
  readonly values: GoMap;
  readonly basePath: string;
}

const maxIncludes = 1000;
const root = 'gotpl';
const engineFunctions = ['include', 'tpl', 'required', 'fail', 'lookup'];
const fixedFunction = (name: string): GoFunction | undefined =>
  engineFunctions.includes(name) ? undefined : (helmFunctions.get(name) ?? builtins.get(name));
const isKnown = (name: string): boolean => engineFunctions.includes(name) || helmFunctions.has(name) || builtins.has(name);

/** Texts for `tpl` that were compiled before. */
const compiledTexts = new LRUCache<string, CompiledTemplate[]>({ maxSize: 16 * 1024 * 1024, sizeCalculation: (_, key) => key.length + 1 });

/** Forgets what was compiled: for measuring. */
export function clearCompiled(): void {
  compiledTexts.clear();
  compiledFiles = new WeakMap();
}

function compiledText(text: string): CompiledTemplate[] {
  let known = compiledTexts.get(text);
  if (!known) {
    known = compileText(root, text, isKnown, fixedFunction);
    compiledTexts.set(text, known);
  }
  return known;
}

/** Templates of files that were compiled before, by the names they go by: a subchart may have several. */
let compiledFiles = new WeakMap<ChartFile, Map<string, readonly CompiledTemplate[]>>();

function compiledFile(name: string, file: ChartFile): readonly CompiledTemplate[] {
  let names = compiledFiles.get(file);
  if (!names) compiledFiles.set(file, (names = new Map()));
  let known = names.get(name);
  if (!known) {
    known = compileText(name, file.data.toString(), isKnown, fixedFunction);
    names.set(name, known);
  }
  return known;
}

/** Renders all templates of a chart and its subcharts: file names to texts. Throws with the words Helm prints. */
export function renderTemplates(chart: Chart, top: GoMap, options: EngineOptions): Map<string, string> {
  return inRendering(options.rendering ?? newRendering(), () => renderAll(chart, top, options));
}

function renderAll(chart: Chart, top: GoMap, options: EngineOptions): Map<string, string> {
  const templates = new Map<string, Renderable>();
  collect(chart, top, templates);
  const set = new TemplateSet(helmFunctions, options);
  addEngineFunctions(set, options.lookup, new Map());
  // Templates of subcharts are read first, so that a parent's definitions win.
  const names = [...templates.keys()].sort((a, b) => templates.get(b)!.depth - templates.get(a)!.depth || (a < b ? 1 : a > b ? -1 : 0));
  for (const name of names) {
    try {
      for (const template of compiledFile(name, templates.get(name)!.file)) set.add(template);
    } catch (error) {
      throw error instanceof TemplateParseError ? readableParseError(name, error) : error;
    }
  }
  const rendered = new Map<string, string>();
  for (const name of names) {
    if (baseName(name).startsWith('_')) continue;
    const { values, basePath } = templates.get(name)!;
    values.set('Template', typed<GoMap>(new Map(Object.entries({ Name: name, BasePath: basePath })), valuesType));
    try {
      rendered.set(name, set.execute(name, values, root).replaceAll('<no value>', ''));
    } catch (error) {
      if (error instanceof LimitError) throw new Error(`execution error in (${name}): ${error.message}`);
      throw error instanceof GoError ? readableExecError(name, error) : error;
    }
  }
  return rendered;
}

function collect(chart: Chart, values: GoMap, templates: Map<string, Renderable>): GoMap {
  const subcharts: GoMap = new Map();
  const own = values.get('Values');
  const inherited = isMap(own) ? own.get(chart.metadata.name) : undefined;
  const next = typed<GoMap>(
    new Map<string, GoValue>([
      ['Chart', chartValue(chart)],
      ['Files', filesValue(chart.files)],
      ['Release', values.get('Release')],
      ['Capabilities', values.get('Capabilities')],
      ['Values', valuesValue(chart.parent ? (isMap(inherited) ? inherited : new Map()) : isMap(own) ? own : new Map())],
      ['Subcharts', subcharts],
    ]),
    valuesType,
  );
  for (const child of chart.dependencies) subcharts.set(child.metadata.name, collect(child, next, templates));
  const path = fullPath(chart);
  for (const file of chart.templates) {
    if (isLibrary(chart) && !baseName(file.name).startsWith('_')) continue;
    const name = `${path}/${file.name}`;
    templates.set(name, { file, depth: name.split('/').length, values: next, basePath: `${path}/templates` });
  }
  return next;
}

function addEngineFunctions(set: TemplateSet, lookup: Lookup | undefined, included: Map<string, number>): void {
  bindTemplates(set, included);
  set.setFunction(
    'required',
    new GoFunction([stringType, anyType], ([message, value]) => {
      if (value === null || value === undefined || value === '') throw new GoError(wrapWarning(message as string));
      return value;
    }),
  );
  set.setFunction(
    'fail',
    new GoFunction([stringType], ([message]) => {
      throw new GoError(wrapWarning(message as string));
    }),
  );
  set.setFunction(
    'lookup',
    new GoFunction(
      [stringType, stringType, stringType, stringType],
      args => lookup?.(...(args as [string, string, string, string])) ?? new Map(),
    ),
  );
}

/** `include` and `tpl`, which see the templates of the set they are called in. */
function bindTemplates(set: TemplateSet, included: Map<string, number>): void {
  set.setFunction(
    'include',
    new GoFunction([stringType, anyType], ([name, data]) => {
      const wanted = name as string;
      const count = included.get(wanted) ?? 0;
      if (count > maxIncludes) {
        throw new GoError(`rendering template has a nested reference name: ${wanted}: unable to execute template`);
      }
      included.set(wanted, count + 1);
      const text = set.execute(wanted, data ?? undefined, root);
      included.set(wanted, included.get(wanted)! - 1);
      return text;
    }),
  );
  set.setFunction('tpl', new GoFunction([stringType, anyType], ([text, data]) => renderText(set, included, text as string, data)));
}

function renderText(parent: TemplateSet, included: Map<string, number>, text: string, data: GoValue): string {
  if (!text.includes('{{')) return text.replaceAll('<no value>', '');
  const set = parent.child();
  bindTemplates(set, included);
  try {
    for (const template of compiledText(text)) {
      if (template.name === root) set.replace(template);
      else set.add(template);
    }
  } catch (error) {
    if (!(error instanceof TemplateParseError)) throw error;
    throw new GoError(`cannot parse template ${goQuote(text)}: ${error.message}`);
  }
  try {
    return set.execute(root, data ?? undefined, root).replaceAll('<no value>', '');
  } catch (error) {
    if (!(error instanceof TemplateExecError)) throw error;
    throw new GoError(`error during tpl function execution for ${goQuote(text)}: ${error.message}`, { cause: error });
  }
}
