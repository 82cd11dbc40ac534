import { goQuote } from '../../util/go-quote.ts';
import { compareText, toBytes } from './go-bytes.ts';
import { formatFloat } from '../../util/go-float.ts';
import { isUnsigned } from './go-type.ts';
import { GoComplex } from './go-complex.ts';
import { GoDuration } from './go-duration.ts';
import { GoFunction, GoInt, GoObject, isMap, isSlice, typeOf, type GoValue } from './go-value.ts';

/** How one verb of a format is to be printed. */
interface Spec {
  readonly verb: string;
  readonly width: number | undefined;
  readonly precision: number | undefined;
  readonly minus: boolean;
  readonly plus: boolean;
  readonly sharp: boolean;
  readonly space: boolean;
  readonly zero: boolean;
}

const plainV: Spec = {
  verb: 'v',
  width: undefined,
  precision: undefined,
  minus: false,
  plus: false,
  sharp: false,
  space: false,
  zero: false,
};

/** `%v` of Go: what an action prints. */
export function printValue(value: GoValue): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '<nil>';
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (typeof value === 'number') return formatFloat(value, 'g', -1);
  if (value instanceof GoDuration) return value.print();
  if (value instanceof GoInt) return value.value.toString();
  return formatValue(value, plainV);
}

/** fmt.Sprint: operands side by side, with a space where neither neighbour is text. */
export function sprint(values: readonly GoValue[]): string {
  let text = '';
  values.forEach((value, i) => {
    if (i > 0 && typeof value !== 'string' && typeof values[i - 1] !== 'string') text += ' ';
    text += printValue(value);
  });
  return text;
}

/** fmt.Sprintln. */
export const sprintln = (values: readonly GoValue[]): string => `${values.map(printValue).join(' ')}\n`;

/** Keys of a map in the order in which Go prints and visits them. */
export const sortedKeys = (map: ReadonlyMap<string, GoValue>): string[] => [...map.keys()].sort(compareText);

/** fmt.Sprintf, mistakes in the format included. */
export function sprintf(format: string, args: readonly GoValue[]): string {
  let text = '';
  let next = 0;
  let wasReordered = false;
  let i = 0;
  while (i < format.length) {
    const percent = format.indexOf('%', i);
    if (percent < 0) return finish(text + format.slice(i));
    text += format.slice(i, percent);
    i = percent + 1;
    const flags = { minus: false, plus: false, sharp: false, space: false, zero: false };
    for (; i < format.length; i++) {
      const char = format[i]!;
      if (char === '-') flags.minus = true;
      else if (char === '+') flags.plus = true;
      else if (char === '#') flags.sharp = true;
      else if (char === ' ') flags.space = true;
      else if (char === '0') flags.zero = true;
      else break;
    }
    let goodIndex = true;
    let afterIndex = false;
    const index = (): void => {
      const match = /^\[([^\]]*)\]/.exec(format.slice(i));
      if (format[i] !== '[') return;
      wasReordered = true;
      if (!match) {
        goodIndex = false;
        i++;
        return;
      }
      const wanted = Number(match[1]);
      i += match[0].length;
      afterIndex = true;
      if (!/^[0-9]+$/.test(match[1]!) || wanted < 1 || wanted > args.length) goodIndex = false;
      else next = wanted - 1;
    };
    index();
    let width: number | undefined;
    let precision: number | undefined;
    if (format[i] === '*') {
      i++;
      const value = args[next++];
      width = intOf(value);
      if (width === undefined) text += '%!(BADWIDTH)';
      else if (width < 0) {
        width = -width;
        flags.minus = true;
        flags.zero = false;
      }
      afterIndex = false;
    } else {
      const digits = /^[0-9]+/.exec(format.slice(i));
      if (digits) {
        if (afterIndex) goodIndex = false;
        width = Number(digits[0]);
        i += digits[0].length;
      }
    }
    if (format[i] === '.') {
      i++;
      if (afterIndex) goodIndex = false;
      index();
      if (format[i] === '*') {
        i++;
        const value = intOf(args[next++]);
        if (value === undefined || value < 0) text += '%!(BADPREC)';
        else precision = value;
        afterIndex = false;
      } else {
        const digits = /^[0-9]+/.exec(format.slice(i));
        precision = digits ? Number(digits[0]) : 0;
        i += digits?.[0].length ?? 0;
      }
    }
    if (!afterIndex) index();
    if (i >= format.length) return finish(`${text}%!(NOVERB)`);
    const verb = String.fromCodePoint(format.codePointAt(i)!);
    i += verb.length;
    if (verb === '%') text += '%';
    else if (!goodIndex) text += `%!${verb}(BADINDEX)`;
    else if (next >= args.length) text += `%!${verb}(MISSING)`;
    else text += formatValue(args[next++], { verb, width, precision, ...flags });
  }
  return finish(text);

  function finish(done: string): string {
    if (wasReordered || next >= args.length) return done;
    const extra = args.slice(next).map(arg => (arg === null || arg === undefined ? '<nil>' : `${typeOf(arg).name}=${printValue(arg)}`));
    return `${done}%!(EXTRA ${extra.join(', ')})`;
  }
}

const intOf = (value: GoValue): number | undefined =>
  value instanceof GoInt && value.value < 1_000_000n && value.value > -1_000_000n ? Number(value.value) : undefined;

function formatValue(value: GoValue, given: Spec): string {
  // %+v asks for names of fields, not for signs of numbers.
  const spec = given.verb === 'v' && given.plus ? { ...given, plus: false } : given;
  const { verb } = spec;
  if (verb === 'T') return formatText(value === null || value === undefined ? '<nil>' : typeOf(value).name, { ...spec, verb: 's' });
  if (value === null || value === undefined) return verb === 'v' ? pad('<nil>', spec) : badVerb(value, spec);
  if (typeof value === 'string') return formatText(value, spec);
  if (typeof value === 'boolean') return verb === 't' || verb === 'v' ? pad(String(value), spec) : badVerb(value, spec);
  if (typeof value === 'number') return formatNumber(value, spec);
  if (value instanceof GoDuration && (verb === 'v' || verb === 's')) return formatText(value.print(), { ...spec, verb: 's' });
  if (value instanceof GoInt) return formatInteger(value, spec);
  if (isSlice(value)) return formatSlice(value, spec);
  if (isMap(value)) {
    const keys = sortedKeys(value);
    const isGo = spec.sharp && verb === 'v';
    const entries = keys.map(key => `${formatValue(key, spec)}:${formatItem(value.get(key), spec)}`);
    return isGo ? `${typeOf(value).name}{${entries.join(', ')}}` : `map[${entries.join(' ')}]`;
  }
  if (value instanceof GoComplex) return formatComplex(value, spec);
  if (value instanceof GoObject) return formatText(value.print(), verb === 'v' ? { ...spec, verb: 's' } : spec);
  return value instanceof GoFunction ? `%!${verb}(${typeOf(value).name}=0x0)` : '';
}

/** A value inside another: a nil there fits every verb. */
function formatItem(value: GoValue, spec: Spec): string {
  if (value !== null && value !== undefined) return formatValue(value, spec);
  return spec.sharp && spec.verb === 'v' ? 'interface {}(nil)' : pad('<nil>', spec);
}

function formatSlice(value: readonly GoValue[] & { goType?: { name: string } }, spec: Spec): string {
  const { verb } = spec;
  if (value.goType?.name === '[]uint8' && ['s', 'q', 'x', 'X'].includes(verb)) {
    return formatText(Buffer.from(value.map(one => Number((one as GoInt).value))).toString('latin1'), spec);
  }
  const items = value.map(item => formatItem(item, spec));
  return spec.sharp && verb === 'v' ? `${value.goType?.name ?? '[]interface {}'}{${items.join(', ')}}` : `[${items.join(' ')}]`;
}

function formatText(value: string, spec: Spec): string {
  switch (spec.verb) {
    case 'v':
      return pad(spec.sharp ? goQuote(value) : cut(value, spec.precision), spec);
    case 's':
      return pad(cut(value, spec.precision), spec);
    case 'q': {
      const text = cut(value, spec.precision);
      return pad(
        spec.sharp && !/[`\u0000-\u0008\u000a-\u001f\u007f]/.test(text) ? `\`${text}\`` : spec.plus ? asciiQuote(text) : goQuote(text),
        spec,
      );
    }
    case 'x':
    case 'X': {
      const bytes = toBytes(value);
      const all = bytes.subarray(0, spec.precision ?? bytes.length).toString('hex');
      const text = spec.verb === 'X' ? all.toUpperCase() : all;
      const prefix = spec.sharp ? `0${spec.verb}` : '';
      if (!spec.space) return pad(text === '' ? '' : prefix + text, spec);
      return pad((text.match(/../g) ?? []).map(pair => prefix + pair).join(' '), spec);
    }
  }
  return badVerb(value, spec);
}

const asciiQuote = (text: string): string =>
  goQuote(text).replace(/[^\x00-\x7f]/gu, char => {
    const code = char.codePointAt(0)!;
    return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });

const cut = (text: string, precision: number | undefined): string =>
  precision === undefined ? text : [...text].slice(0, precision).join('');

function formatNumber(value: number, spec: Spec): string {
  const { verb, precision } = spec;
  const format = verb === 'v' ? 'g' : verb === 'F' ? 'f' : verb;
  if (!['e', 'E', 'f', 'g', 'G'].includes(format)) return badVerb(value, spec);
  let text = formatFloat(value, format as 'e', precision ?? (format === 'g' || format === 'G' ? -1 : 6));
  if (!/^[+-]/.test(text)) text = spec.plus ? `+${text}` : spec.space ? ` ${text}` : text;
  else if (text.startsWith('+') && !spec.plus && !Number.isFinite(value)) text = spec.space ? ` ${text.slice(1)}` : text;
  return padNumber(text, Number.isFinite(value) ? spec : { ...spec, zero: false });
}

function formatComplex(value: GoComplex, spec: Spec): string {
  if (!'vbgGxXfFeE'.includes(spec.verb)) return badVerb(value, spec);
  return `(${formatNumber(value.real, spec)}${formatNumber(value.imaginary, { ...spec, plus: true })}i)`;
}

const bases: Readonly<Record<string, number>> = { d: 10, v: 10, b: 2, o: 8, O: 8, x: 16, X: 16 };

function formatInteger({ value, type }: GoInt, spec: Spec): string {
  const { verb } = spec;
  if (verb === 'c') return pad(runeText(value), spec);
  if (verb === 'q') return pad(quoteRune(runeText(value)), spec);
  if (verb === 'U')
    return pad(
      `U+${value
        .toString(16)
        .toUpperCase()
        .padStart(Math.max(4, spec.precision ?? 0), '0')}`,
      spec,
    );
  const base = bases[verb];
  if (base === undefined) return badVerb(new GoInt(value, type), spec);
  const isGoSyntax = verb === 'v' && spec.sharp && isUnsigned(type);
  const size = value < 0n ? -value : value;
  let digits = size.toString(isGoSyntax ? 16 : base);
  if (spec.precision === 0 && size === 0n) return pad('', spec);
  digits = digits.padStart(spec.precision ?? 0, '0');
  const sign = value < 0n ? '-' : spec.plus ? '+' : spec.space ? ' ' : '';
  let prefix = verb === 'O' ? '0o' : '';
  if (spec.sharp || isGoSyntax) {
    if (base === 2) prefix = '0b';
    else if (base === 8 && verb === 'o' && !digits.startsWith('0')) prefix = '0';
    else if (base === 16 || isGoSyntax) prefix = verb === 'X' ? '0X' : '0x';
  }
  if (verb === 'X') digits = digits.toUpperCase();
  if (spec.zero && !spec.minus && spec.width !== undefined && spec.precision === undefined) {
    digits = digits.padStart(spec.width - sign.length, '0');
    return sign + prefix + digits;
  }
  return pad(sign + prefix + digits, { ...spec, zero: false });
}

const runeText = (value: bigint): string =>
  value < 0n || value > 0x10ffffn || (value >= 0xd800n && value <= 0xdfffn) ? '\ufffd' : String.fromCodePoint(Number(value));

const quoteRune = (char: string): string => (char === "'" ? "'\\''" : char === '"' ? `'"'` : `'${goQuote(char).slice(1, -1)}'`);

function badVerb(value: GoValue, spec: Spec): string {
  const { verb } = spec;
  if (value === null || value === undefined) return `%!${verb}(<nil>)`;
  return `%!${verb}(${typeOf(value).name}=${formatValue(value, { ...spec, verb: 'v' })})`;
}

function pad(text: string, { width, minus, zero }: Spec): string {
  const missing = (width ?? 0) - [...text].length;
  if (missing <= 0) return text;
  return minus ? text + ' '.repeat(missing) : (zero ? '0' : ' ').repeat(missing) + text;
}

function padNumber(text: string, spec: Spec): string {
  const missing = (spec.width ?? 0) - text.length;
  if (!spec.zero || spec.minus || missing <= 0) return pad(text, { ...spec, zero: false });
  const sign = /^[+\- ]/.test(text) ? text[0]! : '';
  return sign + '0'.repeat(missing) + text.slice(sign.length);
}
