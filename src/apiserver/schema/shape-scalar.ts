import type { Json } from '../../util/json.ts';
import { GoJsonError } from './go-json-error.ts';
import { canonicalMicroTime, canonicalTime, parseGoDuration, printGoDuration, TimeError } from './go-time.ts';
import type { GoScalar, ScalarName } from './go-type.ts';
import { canonicalQuantity, QuantityError } from '../../api/quantity.ts';
import type { ShapeContext } from './shape-context.ts';

/** Turns a JSON value that is not null into what Go would print for it. Undefined when the value was of a wrong type. */
export type Read = (value: Json, ctx: ShapeContext) => Json | undefined;

const integerBounds: Partial<Record<ScalarName, readonly [min: bigint, max: bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
};

/** What Go prints for a scalar that was never set. */
export const zeroScalars: Readonly<Record<ScalarName, Json>> = {
  string: '',
  bool: false,
  int32: 0,
  int64: 0,
  uint32: 0,
  uint64: 0,
  float32: 0,
  float64: 0,
  bytes: null,
  quantity: '0',
  time: null,
  microtime: null,
  duration: '0s',
  intOrString: 0,
  raw: null,
  fieldsV1: null,
  schemaOrArray: null,
  schemaOrBool: false,
  schemaOrStrings: null,
};

/** Readers of all scalars but those that hold schemas. */
export function scalarReader({ scalar, goName }: GoScalar): Read {
  switch (scalar) {
    case 'string':
      return (value, ctx) => (typeof value === 'string' ? value : wrongType(value, ctx, goName));
    case 'bool':
      return (value, ctx) => (typeof value === 'boolean' ? value : wrongType(value, ctx, goName));
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
      return integerReader(scalar, goName);
    case 'float32':
    case 'float64':
      return (value, ctx) => {
        if (typeof value === 'bigint') return Number(value);
        return typeof value === 'number' ? value : wrongType(value, ctx, goName);
      };
    case 'bytes':
      return (value, ctx) => readBytes(value, ctx, goName);
    case 'quantity':
      return readQuantity;
    case 'time':
      return (value, ctx) => readTime(value, ctx, canonicalTime);
    case 'microtime':
      return (value, ctx) => readTime(value, ctx, canonicalMicroTime);
    case 'duration':
      return (value, ctx) => readTime(value, ctx, text => printGoDuration(parseGoDuration(text)));
    case 'intOrString':
      return readIntOrString;
    default:
      return value => value;
  }
}

function wrongType(value: Json, ctx: ShapeContext, goName: string): undefined {
  ctx.addTypeError(value, goName);
  return undefined;
}

function integerReader(scalar: ScalarName, goName: string): Read {
  const [min, max] = integerBounds[scalar]!;
  return (value, ctx) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value === 0 ? 0 : value;
    if (typeof value === 'bigint' && value >= min && value <= max) return value;
    if (typeof value !== 'number' && typeof value !== 'bigint') return wrongType(value, ctx, goName);
    ctx.addError(ctx.typeError(`number ${value}`, goName));
    return undefined;
  };
}

function readQuantity(value: Json): Json {
  const text = typeof value === 'string' ? value.trim() : typeof value === 'object' ? '{' : String(value);
  try {
    return canonicalQuantity(text);
  } catch (error) {
    if (error instanceof QuantityError) throw new GoJsonError(error.message);
    throw error;
  }
}

function readTime(value: Json, ctx: ShapeContext, canonical: (text: string) => string | null): Json {
  if (typeof value !== 'string') throw ctx.typeError(describe(value), 'string');
  try {
    return canonical(value);
  } catch (error) {
    if (error instanceof TimeError) throw new GoJsonError(error.message);
    throw error;
  }
}

function readIntOrString(value: Json, ctx: ShapeContext): Json {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= 2 ** 31 && value !== 2 ** 31) return value;
  throw ctx.typeError(describe(value, true), 'int32');
}

function describe(value: Json, withNumber = false): string {
  if (typeof value === 'number' || typeof value === 'bigint') return withNumber ? `number ${value}` : 'number';
  if (typeof value === 'boolean') return 'bool';
  return Array.isArray(value) ? 'array' : 'object';
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function readBytes(value: Json, ctx: ShapeContext, goName: string): Json | undefined {
  if (Array.isArray(value) && value.every(n => typeof n === 'number' && Number.isInteger(n) && n >= 0 && n <= 255))
    return Buffer.from(value as number[]).toString('base64');
  if (typeof value !== 'string') return wrongType(value, ctx, goName);
  const text = /[\r\n]/.test(value) ? value.replace(/[\r\n]/g, '') : value;
  if (!base64.test(text)) {
    ctx.addError(new GoJsonError(`illegal base64 data at input byte ${illegalByteAt(value)}`));
    return undefined;
  }
  // Bits that the padding leaves over are dropped by decoding.
  return text.endsWith('=') ? Buffer.from(text, 'base64').toString('base64') : text;
}

/** Where Go's decoder gives up: at the first byte that is out of place, or at the end of what cannot be a whole quantum. */
function illegalByteAt(text: string): number {
  const quantum: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (char === '\n' || char === '\r') continue;
    if (char !== '=') {
      if (!/[A-Za-z0-9+/]/.test(char)) return i;
      if (quantum.push(i) === 4) quantum.length = 0;
      continue;
    }
    if (quantum.length < 2) return i;
    let next = skipNewlines(text, i + 1);
    if (quantum.length === 2) {
      if (next === text.length) return text.length;
      if (text[next] !== '=') return next;
      next = skipNewlines(text, next + 1);
    }
    return next;
  }
  return text.length - quantum.length;
}

function skipNewlines(text: string, i: number): number {
  while (text[i] === '\n' || text[i] === '\r') i++;
  return i;
}
