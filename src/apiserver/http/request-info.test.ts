import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRequestInfo } from './request-info.ts';
import { parseTarget } from './request-target.ts';
import { requestTimeoutMs } from './request-timeout.ts';

function told(method: string, target: string): string {
  const parsed = parseTarget(target);
  if (!parsed) return 'refused';
  const { resource, verb, path } = parseRequestInfo(method, parsed);
  if (!resource) return `${verb} ${path}`;
  const { group, version, namespace, resource: kind, subresource, name } = resource;
  return `${verb} ${group}/${version} ${namespace}/${kind}/${name}/${subresource}`;
}

test('a path and a method say what is wanted', () => {
  const cases: [string, string, string][] = [
    ['GET', '/healthz', 'get /healthz'],
    ['GET', '/api/v1', 'get /api/v1'],
    ['GET', '/apis/apps/v1', 'get /apis/apps/v1'],
    ['GET', '/api/v1/pods', 'list /v1 /pods//'],
    ['GET', '/api/v1/pods?watch=1', 'watch /v1 /pods//'],
    ['GET', '/api/v1/pods?watch=False', 'list /v1 /pods//'],
    ['GET', '/api/v1/pods?watch', 'watch /v1 /pods//'],
    ['GET', '/api/v1/namespaces/a', 'get /v1 a/namespaces/a/'],
    ['PUT', '/api/v1/namespaces/a/finalize', 'update /v1 a/namespaces/a/finalize'],
    ['GET', '/api/v1/namespaces/a/pods/b/log', 'get /v1 a/pods/b/log'],
    ['DELETE', '/apis/apps/v1/namespaces/a/deployments', 'deletecollection apps/v1 a/deployments//'],
    ['GET', '/api/v1/watch/namespaces/a/pods', 'watch /v1 a/pods//'],
    ['GET', '/api/v1/namespaces/a/pods/b%2fc', 'get /v1 a/pods/b/c'],
    ['GET', '//api/v1/pods//', 'list /v1 /pods//'],
    ['GET', 'https://host:1/api/v1/pods', 'list /v1 /pods//'],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Da', 'list /v1 /pods/a/'],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name!%3Da', 'list /v1 /pods//'],
    ['DELETE', '/api/v1/pods?fieldSelector=metadata.name%3Da', 'deletecollection /v1 /pods//'],
    ['GET', '/a%zz', 'refused'],
    ['GET', 'a', 'refused'],
  ];
  for (const [method, target, expected] of cases) assert.equal(told(method, target), expected, target);
});

test('pairs of a query that Go would drop are dropped', () => {
  const { query } = parseTarget('/x?a=1;b=2&c=%zz&d=+%2B&e&e=2&=f&&g=%ff')!;
  assert.deepEqual(
    [...query],
    [
      ['d', ' +'],
      ['e', ''],
      ['e', '2'],
      ['', 'f'],
      ['g', '\ufffd'],
    ],
  );
});

test('names survive the way through a path', () => {
  const name = fc.string({ minLength: 1, unit: 'grapheme' }).filter(text => !text.includes('/') && text.isWellFormed());
  fc.assert(
    fc.property(name, text => {
      const parsed = parseTarget(`/api/v1/namespaces/n/secrets/${encodeURIComponent(text)}/status`)!;
      const { resource } = parseRequestInfo('GET', parsed);
      assert.equal(resource?.name, text);
      assert.equal(resource?.subresource, 'status');
    }),
  );
});

test('any target is understood or refused', () => {
  fc.assert(
    fc.property(fc.constantFrom('GET', 'POST', 'FROB'), fc.string({ unit: 'binary-ascii' }), (method, text) => void told(method, text)),
  );
});

test('a deadline is what the client asks for, within a minute', () => {
  const timeout = (text: string) => requestTimeoutMs(new URLSearchParams({ timeout: text }));
  assert.equal(requestTimeoutMs(new URLSearchParams()), 60_000);
  assert.equal(timeout('1s'), 1000);
  assert.equal(timeout('1m30s'), 60_000);
  assert.equal(timeout('0s'), 60_000);
  assert.equal(timeout('-5s'), 60_000);
  assert.throws(() => timeout('x'), { message: 'invalid timeout specified in the request URL - time: invalid duration "x"' });
  assert.throws(() => timeout('9'.repeat(200)), /invalid timeout specified/);
});
