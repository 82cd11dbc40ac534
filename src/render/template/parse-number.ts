import { goQuote } from '../../util/go-quote.ts';
import { goUnquoteChar } from '../go/go-unquote.ts';
import { parseGoFloat, parseGoInteger } from '../go/parse-go-number.ts';
import type { NumberForms } from './node.ts';

const maxInt = 2n ** 63n - 1n;
const maxUint = 2n ** 64n - 1n;

/** What a number in a template may mean. Throws with Go's words when it means nothing. */
export function parseNumber(text: string, type: 'charConstant' | 'complex' | 'number'): NumberForms {
  if (type === 'charConstant') {
    const code = goUnquoteChar(text);
    if (code === undefined) throw new Error(`malformed character constant: ${text}`);
    return { int: BigInt(code), uint: BigInt(code), float: code };
  }
  if (type === 'complex' || text.endsWith('i')) return parseComplex(text);
  const whole = parseGoInteger(text);
  if (whole !== undefined) {
    const int = whole >= -(maxInt + 1n) && whole <= maxInt ? whole : undefined;
    const uint = whole >= 0n && whole <= maxUint && !/^[+-]/.test(text) ? whole : whole === 0n ? 0n : undefined;
    if (int !== undefined || uint !== undefined) return { int, uint, float: Number(whole) };
  }
  const float = parseGoFloat(text);
  if (float === undefined) throw new Error(`illegal number syntax: ${goQuote(text)}`);
  if (!/[.eEpP]/.test(text)) throw new Error(`integer overflow: ${goQuote(text)}`);
  const int = Number.isInteger(float) && Math.abs(float) < 2 ** 63 ? BigInt(float) : undefined;
  return { int, uint: int !== undefined && int >= 0n ? int : undefined, float };
}

function parseComplex(text: string): NumberForms {
  const parts = /^([+-]?(?:[^+-]|(?<=[eEpP])[+-])+)([+-](?:[^+-]|(?<=[eEpP])[+-])+)i$/.exec(text);
  const real = parts ? parseGoFloat(parts[1]!) : 0;
  const imaginary = parseGoFloat(parts ? parts[2]! : text.slice(0, -1));
  if (real === undefined || imaginary === undefined) throw new Error(`illegal number syntax: ${goQuote(text)}`);
  const complex = { real, imaginary };
  if (imaginary !== 0) return { int: undefined, uint: undefined, float: undefined, complex };
  // Without an imaginary part it may stand for other numbers too.
  const int = Number.isInteger(real) && Math.abs(real) < 2 ** 63 ? BigInt(real) : undefined;
  return { int, uint: int !== undefined && int >= 0n ? int : undefined, float: real, complex };
}
