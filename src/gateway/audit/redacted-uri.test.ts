import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { redactedUri } from './redacted-uri.ts';

const alphabet = [...'bcdfghjklmnpqrstvwxz2456789'];
const anyKey = fc.array(fc.constantFrom(...alphabet), { minLength: 54, maxLength: 54 }).map(letters => letters.join(''));
const escaped = (text: string) => [...text].map(letter => `%${letter.charCodeAt(0).toString(16)}`).join('');

test('what opens nothing stays as it was', () => {
  for (const uri of [
    '/v3/clusters?name=east&limit=10',
    '/v3/clusters/c-m-ab12cd34?action=generateKubeconfig',
    '/k8s/clusters/east/api/v1/pods?labelSelector=app%3Dweb&watch=true',
    '/k8s/clusters/east/api/v1/namespaces/shop/pods/web-1/exec?command=sh&command=-c&stdin=true',
    '/',
    '',
  ])
    assert.equal(redactedUri(uri), uri);
});

test('an import manifest is named without its token', () => {
  const token = 'b'.repeat(54);
  assert.equal(redactedUri(`/v3/import/${token}_c-m-ab12cd34.yaml`), '/v3/import/[redacted]_c-m-ab12cd34.yaml');
  assert.equal(redactedUri('/v3/import/mis%2Ftyped_c-m-ab12cd34.yaml?x=1'), '/v3/import/[redacted]_c-m-ab12cd34.yaml?x=1');
  assert.equal(redactedUri('/v3/import/mistyped'), '/v3/import/[redacted]');
});

test('values whose names say that they are secret are left out, however they are written', () => {
  for (const name of ['token', 'access_token', 'Token', 'pass%77ord', 'client_secret', 'code', 'state', 'CSRF', 'X-Amz-Signature'])
    assert.equal(redactedUri(`/v3/x?a=b&${name}=hunter2&c=d`), `/v3/x?a=b&${name}=[redacted]&c=d`);
});

test('what an application behind a member is asked is not written down', () => {
  const uri = '/k8s/clusters/east/api/v1/namespaces/shop/services/web/proxy/login?pin=1234';
  assert.equal(redactedUri(uri), '/k8s/clusters/east/api/v1/namespaces/shop/services/web/proxy/login?[redacted]');
});

test('no key survives, wherever it stands and whether it is escaped or not', () => {
  fc.assert(
    fc.property(anyKey, fc.webPath(), fc.webQueryParameters(), fc.boolean(), (key, path, query, isEscaped) => {
      const written = isEscaped ? escaped(key) : key;
      for (const uri of [
        `${path}/${written}_x`,
        `${path}?${query}&${written}`,
        `${path}?a=token-x:${written}&${query}`,
        `${path}?${written}=1`,
      ]) {
        const shown = redactedUri(uri);
        assert.ok(!shown.includes(key) && !shown.includes(written), shown);
      }
    }),
  );
});

test('any text at all is shortened and never an error', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), text => redactedUri(text).length <= 4096));
  assert.equal(redactedUri(`/v3/x?a=${'y'.repeat(10_000)}`).length, 4096);
});

test('the address of a webhook does not show its token', () => {
  assert.equal(redactedUri('/api/webhooks/abc-def?x=1'), '/api/webhooks/[redacted]?x=1');
});
