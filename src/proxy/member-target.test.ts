import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { memberPrefix, parseMemberTarget } from './member-target.ts';

const accepted: [string, string, string][] = [
  ['/k8s/clusters/east', 'east', '/'],
  ['/k8s/clusters/east/', 'east', '/'],
  [
    '/k8s/clusters/c-m-ab12cd34/api/v1/pods?watch=true&labelSelector=a%2Fb%3Dc',
    'c-m-ab12cd34',
    '/api/v1/pods?watch=true&labelSelector=a%2Fb%3Dc',
  ],
  [
    '/k8s/clusters/a.b-c/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode',
    'a.b-c',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode',
  ],
  ['/k8s/clusters/east/api/v1/namespaces/a/services/https:web:443/proxy/', 'east', '/api/v1/namespaces/a/services/https:web:443/proxy/'],
  ['/k8s/clusters/east?x=/../..', 'east', '/?x=/../..'],
];
for (const [url, cluster, path] of accepted) test(`understands ${url}`, () => assert.deepEqual(parseMemberTarget(url), { cluster, path }));

const refused = [
  '/k8s/clusters/',
  '/k8s/clusters//api',
  '/k8s/clusters/../secrets',
  '/k8s/clusters/East/api',
  '/k8s/clusters/%65ast/api',
  '/k8s/clusters/east/../west/api',
  '/k8s/clusters/east/api/..',
  '/k8s/clusters/east/./api',
  '/k8s/clusters/east//api',
  '/k8s/clusters/east/api//v1',
  '/k8s/clusters/east/%2e%2e/west',
  '/k8s/clusters/east/.%2E/west',
  '/k8s/clusters/east/%2e/api',
  '/k8s/clusters/east/a%2fb',
  '/k8s/clusters/east/..%2f..%2fwest',
  '/k8s/clusters/east/..%5cwest',
  '/k8s/clusters/east/..\\west',
  '/k8s/clusters/east/%252e%252e/west',
  '/k8s/clusters/east/a%252fb',
  '/k8s/clusters/east/a%00b',
  '/k8s/clusters/east/a%0d%0aHost:x',
  '/k8s/clusters/east/a%',
  '/k8s/clusters/east/a%ff',
  '/k8s/clusters/east/a#b',
  '/k8s/clusters/east/a b',
  'https://elsewhere/k8s/clusters/east/api',
];
for (const url of refused)
  test(`refuses ${JSON.stringify(url)}`, () => assert.throws(() => parseMemberTarget(url), { code: 400, reason: 'BadRequest' }));

test('what is accepted stays below the member, however escapes are resolved', () => {
  const piece = fc.oneof(
    fc.constantFrom('.', '..', '/', '%2e', '%2E', '%2f', '%5c', '%25', '%252e', 'api', 'v1', '%', ';', '\\', '%00', 'é', '?', '#'),
    fc.string({ maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), pieces => {
      const url = `${memberPrefix}east/${pieces.join('')}`;
      let target;
      try {
        target = parseMemberTarget(url);
      } catch {
        return;
      }
      let path = target.path.split('?', 1)[0]!;
      for (let times = 0; times < 3; times++) {
        assert.ok(!/(?:^|[/\\])\.{1,2}(?:[/\\]|$)/.test(path) && !path.includes('//'), path);
        try {
          path = decodeURIComponent(path);
        } catch {
          return;
        }
      }
    }),
    { numRuns: 3000 },
  );
});
