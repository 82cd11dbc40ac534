import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import fc from 'fast-check';
import { addressRules, plainAddress, subnetList } from './address-rules.ts';

const isAllowed = (address: string, allow: string[] = []) => addressRules(allow).judge(address).isAllowed;

for (const address of [
  ...[
    '127.0.0.1',
    '127.255.255.255',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '[::1]',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::a9fe:a9fe',
  ],
  ...['169.254.169.254', 'fe80::1', 'fe80::1%eth0', '::ffff:169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '192.0.0.192'],
  ...[
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    'fc00::1',
    '100.64.0.1',
    '0.0.0.0',
    '::',
    '255.255.255.255',
    '224.0.0.1',
    'ff02::1',
  ],
  ...['2002:7f00:1::', '2001:0:53aa:64c:0:fbfe:80ff:fffe', '2001:db8::1', '', 'nonsense', '1.2.3', '0177.0.0.1'],
]) {
  test(`${JSON.stringify(address)} is not for everybody`, () => assert.equal(isAllowed(address), false));
}

for (const address of ['1.1.1.1', '8.8.8.8', '172.32.0.1', '172.15.255.255', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::808:808']) {
  test(`${address} is public`, () => assert.equal(isAllowed(address), true));
}

test('the operator allows subnets, and they alone are allowed', () => {
  assert.equal(isAllowed('10.1.2.3', ['10.1.0.0/16']), true);
  assert.equal(isAllowed('::ffff:10.1.2.3', ['10.1.0.0/16']), true);
  assert.equal(isAllowed('10.2.0.1', ['10.1.0.0/16']), false);
  assert.equal(isAllowed('127.0.0.1', ['127.0.0.1']), true);
  assert.equal(isAllowed('::1', ['127.0.0.1']), false);
  assert.equal(isAllowed('fd00::1', ['fd00::/8']), true);
});

test('what is no subnet is refused', () => {
  for (const text of ['', 'x', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/-1', '10.0.0/8', '::/129', '10.0.0.0/1e1'])
    assert.throws(() => subnetList([text]), /is no subnet/, text);
});

test("the machine's own addresses are not asked", () => {
  for (const { address } of Object.values(networkInterfaces()).flatMap(all => all ?? [])) assert.equal(isAllowed(address), false, address);
});

test('an IPv4 address is judged the same however it is wrapped', () => {
  const rules = addressRules([]);
  fc.assert(
    fc.property(fc.ipV4(), address => {
      assert.equal(plainAddress(`::ffff:${address}`), address);
      assert.deepEqual(rules.judge(`::ffff:${address}`), rules.judge(address));
      assert.deepEqual(rules.judge(`64:ff9b::${address}`), rules.judge(address));
    }),
  );
});

test('any text is judged', () => {
  const rules = addressRules([]);
  fc.assert(fc.property(fc.oneof(fc.string(), fc.ipV6()), text => void rules.judge(text).isAllowed));
});
