import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalMicroTime, canonicalTime, parseGoDuration, printGoDuration } from './go-time.ts';

const times: [text: string, printed: string | null][] = [
  ['2024-05-01T02:30:00Z', '2024-05-01T02:30:00Z'],
  ['2024-05-01T02:30:00.999Z', '2024-05-01T02:30:00Z'],
  ['2024-05-01T02:30:00+02:00', '2024-05-01T00:30:00Z'],
  ['2024-02-29T23:59:59-01:30', '2024-03-01T01:29:59Z'],
  ['2024-05-01T2:30:00Z', '2024-05-01T02:30:00Z'],
  ['1969-12-31T23:59:59Z', '1969-12-31T23:59:59Z'],
  ['0001-01-01T00:00:00Z', null],
];
for (const [text, printed] of times) test(`${text} prints as ${printed}`, () => assert.equal(canonicalTime(text), printed));

const layout = '2006-01-02T15:04:05Z07:00';
const refusals: [text: string, message: string][] = [
  ['', `parsing time "" as "${layout}": cannot parse "" as "2006"`],
  ['2024', `parsing time "2024" as "${layout}": cannot parse "" as "-"`],
  ['2024-05-01', `parsing time "2024-05-01" as "${layout}": cannot parse "" as "T"`],
  ['2024-05-01T00:00:00', `parsing time "2024-05-01T00:00:00" as "${layout}": cannot parse "" as "Z07:00"`],
  ['2024-05-01T25:00:00Z', 'parsing time "2024-05-01T25:00:00Z": hour out of range'],
  ['2023-02-29T00:00:00Z', 'parsing time "2023-02-29T00:00:00Z": day out of range'],
  ['2024-05-01T00:00:00Zjunk', 'parsing time "2024-05-01T00:00:00Zjunk": extra text: "junk"'],
];
for (const [text, message] of refusals)
  test(`"${text}" is refused as Go refuses it`, () => assert.throws(() => canonicalTime(text), { message }));

test('microseconds need all their digits', () => {
  assert.equal(canonicalMicroTime('2024-05-01T02:30:00.000001+02:00'), '2024-05-01T00:30:00.000001Z');
  assert.throws(() => canonicalMicroTime('2024-05-01T02:30:00Z'), /cannot parse "Z" as ".000000"/);
});

test('durations print as Go prints them', () => {
  for (const [text, printed] of [
    ['0', '0s'],
    ['90s', '1m30s'],
    ['1h', '1h0m0s'],
    ['1.5s', '1.5s'],
    ['300ms', '300ms'],
    ['1500us', '1.5ms'],
    ['-2h45m', '-2h45m0s'],
    ['7ns', '7ns'],
  ] as const)
    assert.equal(printGoDuration(parseGoDuration(text)), printed);
  assert.throws(() => parseGoDuration('5'), { message: 'time: missing unit in duration "5"' });
  assert.throws(() => parseGoDuration('5d'), { message: 'time: unknown unit "d" in duration "5d"' });
  assert.throws(() => parseGoDuration('x'), { message: 'time: invalid duration "x"' });
});
