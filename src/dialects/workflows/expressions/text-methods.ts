import { ExpressionError } from './expression-error.ts';
import type { Method } from './expression-node.ts';

const maxText = 1024 * 1024;

type TextMethod = Exclude<Method, 'get' | 'getSHA'>;
type Call = (text: string, args: readonly string[]) => unknown;

const calls: Readonly<Record<Exclude<TextMethod, 'substring'>, Call>> = {
  split: (text, [by]) => text.split(by!),
  replace: (text, [from, to]) => text.replaceAll(from!, () => to!),
  toLowerCase: text => text.toLowerCase(),
  toUpperCase: text => text.toUpperCase(),
  trim: text => text.trim(),
  contains: (text, [part]) => text.includes(part!),
  startsWith: (text, [part]) => text.startsWith(part!),
  endsWith: (text, [part]) => text.endsWith(part!),
  concat: (text, [more]) => text + more!,
};

export function callMethod(method: TextMethod, text: string, { args, at }: { args: readonly unknown[]; at: number }): unknown {
  if (method === 'substring') return substring(text, args, at);
  if (method === 'replace') checkGrowth(text, args.map(String), at);
  const result = calls[method](text, args.map(String));
  return typeof result === 'string' ? bounded(result, at) : result;
}

function substring(text: string, args: readonly unknown[], at: number): string {
  const [from, to = text.length] = args.map(Number);
  const isRange = Number.isInteger(from) && Number.isInteger(to) && from! >= 0 && to >= from! && to <= text.length;
  if (!isRange) throw new ExpressionError(`substring(${args.join(', ')}) is outside a text of ${text.length} characters`, at);
  return text.slice(from, to);
}

/** What would be too long is not made first. */
function checkGrowth(text: string, [from = '', to = '']: readonly string[], at: number): void {
  if (to.length <= from.length) return;
  const count = from === '' ? text.length + 1 : text.split(from).length - 1;
  checkLength(text.length + count * (to.length - from.length), at);
}

function checkLength(length: number, at: number): void {
  if (length > maxText) throw new ExpressionError(`the value is longer than ${maxText} characters`, at);
}

/** Expressions can double a text again and again. */
export function bounded(text: string, at: number): string {
  checkLength(text.length, at);
  return text;
}
