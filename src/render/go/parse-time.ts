import { goQuote } from '../../util/go-quote.ts';
import { GoTime, layoutPieces, months, offsetOf, weekdays } from './go-time.ts';

const shortMonths = months.map(name => name.slice(0, 3).toLowerCase());
const oneOf = (names: readonly string[]): string => `(?:${names.join('|')})`;

/** For each piece of a layout, what may stand there. */
const patterns: Readonly<Record<string, string>> = {
  January: oneOf(months),
  Jan: '[A-Za-z]{3}',
  Monday: oneOf(weekdays),
  Mon: '[A-Za-z]{3}',
  MST: '[A-Z]{3,5}|[+-][0-9]{2}',
  2006: '[0-9]{4}',
  '06': '[0-9]{2}',
  '01': '[0-9]{2}',
  1: '[0-9]{1,2}',
  '02': '[0-9]{2}',
  2: '[0-9]{1,2}',
  _2: ' ?[0-9]{1,2}',
  '002': '[0-9]{3}',
  15: '[0-9]{2}',
  '03': '[0-9]{2}',
  3: '[0-9]{1,2}',
  '04': '[0-9]{2}',
  4: '[0-9]{1,2}',
  // A fraction may follow the seconds even where the layout has none.
  '05': '[0-9]{2}(?:[.,][0-9]+)?',
  5: '[0-9]{1,2}(?:[.,][0-9]+)?',
  PM: 'AM|PM',
  pm: 'am|pm',
};

const offsetPattern = (piece: string): string => {
  const body = piece.replace(/^[Z-]/, '[+-]').replaceAll(/[0-9]{2}/g, '[0-9]{2}');
  return piece.startsWith('Z') ? `Z|${body}` : body;
};

/** time.ParseInLocation. Throws with Go's words. */
export function parseTime(layout: string, text: string, zone: string): GoTime {
  const pieces: string[] = [];
  let at = 0;
  let source = '';
  for (const match of layout.matchAll(layoutPieces)) {
    source += RegExp.escape(layout.slice(at, match.index));
    const piece = match[0];
    pieces.push(piece);
    source += `(${/^[.,]/.test(piece) ? `[.,][0-9]{${piece.length - 1}}` : (patterns[piece] ?? offsetPattern(piece))})`;
    at = match.index + piece.length;
  }
  source += RegExp.escape(layout.slice(at));
  const found = new RegExp(`^${source}$`).exec(text);
  if (!found && layout === '') throw new Error(`parsing time ${goQuote(text)}: extra text: ${goQuote(text)}`);
  if (!found)
    throw new Error(
      `parsing time ${goQuote(text)} as ${goQuote(layout)}: cannot parse ${goQuote(text)} as ${goQuote(pieces[0] ?? layout)}`,
    );
  return assemble(pieces, found.slice(1), zone, { layout, text });
}

function assemble(pieces: readonly string[], values: readonly string[], zone: string, said: { layout: string; text: string }): GoTime {
  const time = { year: 0, month: 1, day: 1, hour: 0, minute: 0, second: 0, nanosecond: 0n };
  let isPm: boolean | undefined;
  let offsetSeconds: number | undefined;
  let yearday: number | undefined;
  pieces.forEach((piece, i) => {
    const value = values[i]!;
    const number = Number.parseInt(value.trim(), 10);
    if (piece === '2006') time.year = number;
    else if (piece === '06') time.year = number + (number >= 69 ? 1900 : 2000);
    else if (piece === 'January' || piece === 'Jan') time.month = shortMonths.indexOf(value.slice(0, 3).toLowerCase()) + 1;
    else if (piece === '01' || piece === '1') time.month = number;
    else if (piece === '02' || piece === '2' || piece === '_2') time.day = number;
    else if (piece === '002') yearday = number;
    else if (piece === '15' || piece === '03' || piece === '3') time.hour = number;
    else if (piece === '04' || piece === '4') time.minute = number;
    else if (piece === '05' || piece === '5') {
      time.second = number;
      time.nanosecond = nanoseconds(value.slice(String(value).search(/[.,]|$/)));
    } else if (/^[.,]/.test(piece)) time.nanosecond = nanoseconds(value);
    else if (piece === 'PM' || piece === 'pm') isPm = value.toLowerCase() === 'pm';
    else if (/^[Z-]/.test(piece)) offsetSeconds = value === 'Z' ? 0 : readOffset(value);
  });
  if (isPm === true && time.hour < 12) time.hour += 12;
  if (isPm === false && time.hour === 12) time.hour = 0;
  check(time, said);
  const local = Date.UTC(2000, time.month - 1, time.day, time.hour, time.minute, time.second);
  const date = new Date(local);
  date.setUTCFullYear(time.year, yearday === undefined ? time.month - 1 : 0, yearday ?? time.day);
  const milliseconds = date.getTime();
  const ahead = offsetSeconds ?? offsetOf(zone, milliseconds - offsetOf(zone, milliseconds).seconds * 1000).seconds;
  const moment = BigInt(milliseconds - ahead * 1000) * 1_000_000n + time.nanosecond;
  return new GoTime(moment, offsetSeconds === 0 ? 'UTC' : zone);
}

function nanoseconds(text: string): bigint {
  return BigInt(text.slice(1).slice(0, 9).padEnd(9, '0'));
}

function readOffset(text: string): number {
  const digits = text.slice(1).replaceAll(':', '').padEnd(6, '0');
  const size = Number(digits.slice(0, 2)) * 3600 + Number(digits.slice(2, 4)) * 60 + Number(digits.slice(4, 6));
  return text.startsWith('-') ? -size : size;
}

function check(
  time: { month: number; day: number; hour: number; minute: number; second: number; year: number },
  { layout, text }: { layout: string; text: string },
): void {
  const days = new Date(Date.UTC(time.year, time.month, 0)).getUTCDate();
  const wrong =
    time.month < 1 || time.month > 12
      ? 'month'
      : time.day < 1 || time.day > days
        ? 'day'
        : time.hour > 23
          ? 'hour'
          : time.minute > 59
            ? 'minute'
            : time.second > 59
              ? 'second'
              : undefined;
  if (wrong) throw new Error(`parsing time ${goQuote(text)}${layout === '' ? '' : `: ${wrong} out of range`}`);
}
