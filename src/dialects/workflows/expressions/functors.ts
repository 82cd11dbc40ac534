import { compileGoRegExp, type GoRegExp } from '../../../cel/go-regexp.ts';
import { errorText } from '../../../util/error-text.ts';
import { parseJson, printJson, type Json } from '../../../util/json.ts';
import { compileJsonPath, type JsonPath } from '../../../util/jsonpath.ts';
import { ExpressionError } from './expression-error.ts';
import type { Functor } from './expression-node.ts';
import { bounded } from './text-methods.ts';

const mostReplaced = 256 * 1024 * 1024;

/** The value of `regex.extract(…)` and the like; undefined when an argument, or what is selected, is not there. Throws ExpressionError. */
export function callFunctor(functor: Functor, args: readonly unknown[], at: number): unknown {
  if (args.some(one => one === undefined || one === null)) return undefined;
  if (functor === 'json.select') return select(String(args[0]), args[1], at);
  const texts = args.map(one => (typeof one === 'object' ? printJson(one) : String(one)));
  const pattern = patternOf(texts[0]!, at);
  if (functor === 'regex.extract') return pattern.find(texts[1]!) ?? '';
  // Whatever it finds: what may become too long by far is not made first.
  if ((texts[2]!.length + 1) * texts[1]!.length > mostReplaced) throw new ExpressionError('the replacement may become too long', at);
  try {
    return bounded(pattern.replaceAll(texts[2]!, texts[1]!), at);
  } catch (cause) {
    if (cause instanceof ExpressionError) throw cause;
    throw new ExpressionError(`"${texts[1]}" cannot replace what "${texts[0]}" finds: ${errorText(cause)}`, at, { cause });
  }
}

function patternOf(text: string, at: number): GoRegExp {
  try {
    return compileGoRegExp(text);
  } catch (cause) {
    throw new ExpressionError(errorText(cause), at, { cause });
  }
}

/** Paths are written `a.b`, `$.a.b` or `$..b`. */
function select(path: string, data: unknown, at: number): unknown {
  const [compiled, parsed] = [compilePath(path, at), typeof data === 'string' ? parsedJson(data, at) : (data as Json)];
  let found: Json[];
  try {
    found = compiled.find(parsed).flat();
  } catch (cause) {
    throw new ExpressionError(`json path "${path}": ${errorText(cause)}`, at, { cause });
  }
  return found.length > 1 ? found : found[0];
}

function compilePath(path: string, at: number): JsonPath {
  const plain = path.trim().replace(/^\$/, '');
  try {
    return compileJsonPath(`{${/^[.[]/.test(plain) ? '' : '.'}${plain}}`, { allowMissing: true });
  } catch (cause) {
    throw new ExpressionError(`json path "${path}": ${errorText(cause)}`, at, { cause });
  }
}

function parsedJson(text: string, at: number): Json {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new ExpressionError('the text to select from is not JSON', at, { cause });
  }
}
