import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  parseQuantity,
  printQuantity,
  quantityOf,
  subtractQuantities,
  wholeValue,
} from './quantity.ts';

const forms: [text: string, canonical: string][] = [
  ['0', '0'],
  ['0Mi', '0'],
  ['0.0', '0'],
  ['100m', '100m'],
  ['1000m', '1'],
  ['1500m', '1500m'],
  ['1.5', '1500m'],
  ['0.5', '500m'],
  ['1.0', '1'],
  ['.5', '500m'],
  ['5.', '5.'],
  ['1024Mi', '1Gi'],
  ['1.5Gi', '1536Mi'],
  ['128Mi', '128Mi'],
  ['1025Ki', '1025Ki'],
  ['1Ki', '1Ki'],
  ['0.5Ki', '512'],
  ['1000k', '1M'],
  ['1e3', '1e3'],
  ['1E3', '1E3'],
  ['1e4', '10e3'],
  ['+5', '+5'],
  ['-1500m', '-1500m'],
  ['-2048Ki', '-2Mi'],
  ['0.0000000001', '1n'],
  ['1000E', '1'],
  ['100E', '100E'],
  ['9223372036854775808', '9223372036854775808'],
  ['16Ei', '9223372036854775807'],
  ['007', '007'],
  ['1u', '1u'],
];

for (const [text, canonical] of forms) test(`${text} prints as ${canonical}`, () => assert.equal(canonicalQuantity(text), canonical));

test('what is not a quantity is refused in the words of Go', () => {
  for (const text of ['', 'abc', '1 ', '1.5.5', '1Mb']) assert.throws(() => parseQuantity(text), /must match the regular expression/, text);
  for (const text of ['1mi', '1ki', '1eE', '--1']) assert.throws(() => parseQuantity(text), /unable to parse quantity's suffix/, text);
  for (const text of ['1e99999999']) assert.throws(() => parseQuantity(text), /unable to parse numeric part/, text);
});

test('sums take the format of the first that is not zero', () => {
  assert.equal(printQuantity(addQuantities(parseQuantity('0'), parseQuantity('1Gi'))), '1Gi');
  assert.equal(printQuantity(addQuantities(parseQuantity('1000'), parseQuantity('1Ki'))), '2024');
  assert.equal(printQuantity(addQuantities(parseQuantity('512Ki'), parseQuantity('-511Ki'))), '1Ki');
  assert.equal(printQuantity(addQuantities(parseQuantity('1G'), parseQuantity('1Gi'))), '2073741824');
  assert.equal(printQuantity(subtractQuantities(parseQuantity('1'), parseQuantity('250m'))), '750m');
});

test('whole values round up', () => {
  assert.equal(wholeValue(parseQuantity('1500m')), 2n);
  assert.equal(wholeValue(parseQuantity('1500m'), -3), 1500n);
  assert.equal(wholeValue(parseQuantity('1Ki')), 1024n);
  assert.equal(wholeValue(parseQuantity('-1500m')), -2n);
});

// Below 10 ** 21, for which Go has no suffix: it prints such a quantity without one.
const numbers = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e11, max: 1e11 }).map(n => n.toFixed(4)),
);
const texts = fc
  .tuple(numbers, fc.constantFrom('', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3', 'e-3'))
  .map(([n, suffix]) => `${n}${suffix}`);

test('the canonical form is its own canonical form and the same amount', () => {
  fc.assert(
    fc.property(texts, text => {
      const q = parseQuantity(text);
      const printed = printQuantity(q);
      assert.equal(canonicalQuantity(printed), printed);
      assert.equal(compareQuantities(q, parseQuantity(printed)), 0);
    }),
  );
});

test('adding and subtracting undo each other, and comparing agrees with the difference', () => {
  fc.assert(
    fc.property(texts, texts, (left, right) => {
      const [a, b] = [parseQuantity(left), parseQuantity(right)];
      assert.equal(compareQuantities(subtractQuantities(addQuantities(a, b), b), a), 0);
      assert.equal(compareQuantities(a, b), compareQuantities(subtractQuantities(a, b), quantityOf(0)));
    }),
  );
});
