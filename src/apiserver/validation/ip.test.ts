import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addToIp,
  cidrContains,
  parseCidr,
  parseIp,
  printCidr,
  printIp,
  validateCidr,
  validateIp,
  validateLegacyCidr,
  validateLegacyIp,
} from './ip.ts';

const printed: [string, string | undefined][] = [
  ['10.0.0.1', '10.0.0.1'],
  ['010.0.0.1', '10.0.0.1'],
  ['256.0.0.1', undefined],
  ['1.2.3', undefined],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['::', '::'],
  ['::1', '::1'],
  ['1::', '1::'],
  ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
  ['::ffff:1.2.3.4', '1.2.3.4'],
  ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
  ['1:2:3:4:5:6:7:8::', undefined],
  [':1', undefined],
  ['abc', undefined],
];
for (const [text, expected] of printed)
  test(`address "${text}" prints as ${expected}`, () => {
    const ip = parseIp(text);
    assert.equal(ip && printIp(ip), expected);
  });

const checks: [string, string[]][] = [
  ['10.0.0.1', []],
  ['010.0.0.1', ['Invalid value: "010.0.0.1": must not have leading 0s']],
  ['::ffff:1.2.3.4', ['Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address']],
  ['x', ['Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']],
];
for (const [text, expected] of checks)
  test(`legacy address "${text}"`, () =>
    assert.deepEqual(
      validateLegacyIp('p', text).map(e => e.message),
      expected,
    ));

test('new fields want the canonical form', () => {
  assert.equal(validateIp('p', '2001:DB8::1')[0]?.message, 'Invalid value: "2001:DB8::1": must be in canonical form ("2001:db8::1")');
  assert.equal(
    validateCidr('p', '2001:DB8::/64')[0]?.message,
    'Invalid value: "2001:DB8::/64": must be in canonical form ("2001:db8::/64")',
  );
});

test('ranges have no host bits', () => {
  assert.deepEqual(validateLegacyCidr('p', '10.0.0.0/8'), []);
  assert.equal(
    validateLegacyCidr('p', '10.0.0.1/8')[0]?.message,
    'Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length',
  );
  assert.equal(validateLegacyCidr('p', '10.0.0.0/33').length, 1);
});

test('ranges contain their addresses', () => {
  const range = parseCidr('10.1.0.0/20');
  const first = parseIp('10.1.0.0');
  assert.ok(range && first);
  assert.equal(printCidr(range), '10.1.0.0/20');
  assert.equal(cidrContains(range, addToIp(first, 4095n)), true);
  assert.equal(cidrContains(range, addToIp(first, 4096n)), false);
  assert.equal(printIp(addToIp(first, 256n)), '10.1.1.0');
});
