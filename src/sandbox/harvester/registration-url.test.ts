import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRegistration } from './registration-url.ts';

const address = 'https://hub.example.com/v3/import/abc_c-m-ab12cd34.yaml';

test('the plain address is believed whatever its certificate is, the newer form says so itself', () => {
  assert.deepEqual(parseRegistration(` ${address}\n`), { url: address, insecureSkipTLSVerify: true });
  assert.deepEqual(parseRegistration(JSON.stringify({ url: address })), { url: address, insecureSkipTLSVerify: false });
  assert.deepEqual(parseRegistration(JSON.stringify({ url: address, insecureSkipTLSVerify: true })).insecureSkipTLSVerify, true);
});

test('nothing, and an empty address, mean no hub', () => {
  for (const value of ['', ' ', '{}', '{"url":"","insecureSkipTLSVerify":false}']) assert.equal(parseRegistration(value).url, '');
});

test('what cannot be meant is refused in words', () => {
  for (const value of ['nonsense', 'file:///etc/passwd', '{"url":1}', '{"url":"ftp://x"}', '{', '{"url":"x"}'])
    assert.throws(() => parseRegistration(value), /registration URL|is not an address/);
});

test('any text is an address, no address, or an Error', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), fc.webUrl()), value => {
      try {
        const { url, insecureSkipTLSVerify } = parseRegistration(value);
        assert.equal(typeof insecureSkipTLSVerify, 'boolean');
        assert.ok(url === '' || /^https?:/.test(url));
      } catch (error) {
        assert.match((error as Error).message, /registration URL|is not an address/);
      }
    }),
  );
});
