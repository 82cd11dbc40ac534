import { goQuote } from '../../util/go-quote.ts';

/** One thing that a value does not meet, with what led to it. */
export interface SchemaFault {
  /** A `group` only holds several faults together, a `reference` stands for what it points to. */
  readonly kind: 'fault' | 'group' | 'reference';
  readonly path: readonly string[];
  readonly message: string;
  readonly causes: readonly SchemaFault[];
}

/** The faults as an indented list, one line each. */
export function printFaults(faults: readonly SchemaFault[], depth = 0): string {
  let text = '';
  for (const fault of faults) {
    const isPassedOver = fault.kind === 'reference' && fault.causes.length === 1;
    if (!isPassedOver) text += `\n${'  '.repeat(depth)}- at ${quoted(pointer(fault.path))}: ${fault.message}`;
    text += printFaults(fault.causes, isPassedOver ? depth : depth + 1);
  }
  return text;
}

const pointer = (path: readonly string[]): string => path.map(step => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

export function quoted(text: string): string {
  return `'${goQuote(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`;
}

export const quotedList = (names: readonly string[]): string => names.map(quoted).join(', ');

const english = new Intl.NumberFormat('en-US', { maximumFractionDigits: 20 });

/** A number as an English text has it, with thousands apart. */
export const printNumber = (value: number): string => english.format(value);
