import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { StatusError } from '../../api/status.ts';
import { checkRoute, discoveryRoute, routeOf } from './check-route.ts';
import { negotiate, parseAccept } from './negotiate.ts';

const none = new URLSearchParams();
const forms = { forms: true };

function chosen(accept: string | undefined, offers: Parameters<typeof negotiate>[3] = forms) {
  try {
    const { encoding, form, isPretty } = negotiate(accept, none, '', offers);
    return `${encoding} ${form.as}${isPretty ? ' pretty' : ''}`;
  } catch (error) {
    assert.ok(error instanceof StatusError);
    return error.code;
  }
}

test('the best clause that can be served wins', () => {
  const table = 'application/json;as=Table;g=meta.k8s.io;v=v1';
  const cases: [string | undefined, string | number][] = [
    [undefined, 'json object'],
    ['', 'json object'],
    ['*/*', 'json object'],
    ['application/*', 'json object'],
    ['application/yaml', 'yaml object'],
    ['application/json;q=0.1, application/yaml', 'yaml object'],
    ['application/vnd.kubernetes.protobuf, application/json', 'json object'],
    ['application/vnd.kubernetes.protobuf', 'protobuf object'],
    ['application/vnd.kubernetes.protobuf, */*', 'json object'],
    ['application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json', 'protobuf partial'],
    ['application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1', 406],
    [table, 'json table'],
    [`${table}, application/json`, 'json table'],
    ['application/json;as=Other;g=meta.k8s.io;v=v1, application/json', 'json object'],
    ['application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1', 'json partial'],
    ['application/json;pretty=1', 'json object pretty'],
    ['text/html', 406],
    ['garbage', 406],
  ];
  for (const [accept, expected] of cases) assert.equal(chosen(accept), expected, String(accept));
  assert.equal(chosen(table, {}), 406);
  assert.equal(chosen('application/yaml', { yaml: false }), 406);
  assert.equal(chosen('application/vnd.kubernetes.protobuf', { forms: true, isCustom: true }), 406);
});

test('specific types come before general ones, whatever their weight', () => {
  const types = parseAccept('*/*, application/*, application/json, text/plain;q=0.5').map(c => `${c.type}/${c.subtype}`);
  assert.deepEqual(types, ['application/json', 'text/plain', 'application/*', '*/*']);
});

test('any header is answered or refused with 406', () => {
  const word = fc.constantFrom(
    'application',
    'json',
    'yaml',
    '*',
    '/',
    ';',
    ',',
    '=',
    'q',
    '0.5',
    'as',
    'Table',
    'g',
    'v',
    ' ',
    '__proto__',
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 20 }), words => {
      const answer = chosen(words.join(''));
      assert.ok(answer === 406 || typeof answer === 'string');
    }),
  );
});

test('the router refuses what no route declares', () => {
  const check = (method: string, headers: Record<string, string>, verb: string) => {
    try {
      checkRoute({ method, headers }, verb === 'discovery' ? discoveryRoute : routeOf(verb));
      return 200;
    } catch (error) {
      return (error as StatusError).code;
    }
  };
  assert.equal(check('GET', { accept: 'application/*' }, 'get'), 406);
  assert.equal(check('GET', { accept: 'text/html, */*;q=0.1' }, 'get'), 200);
  assert.equal(check('PATCH', { 'content-type': 'application/json' }, 'patch'), 415);
  assert.equal(check('PATCH', {}, 'patch'), 415);
  assert.equal(check('PATCH', { 'content-type': 'application/apply-patch+yaml; charset=utf-8' }, 'patch'), 200);
  assert.equal(check('POST', { 'content-type': 'text/plain' }, 'create'), 200);
  assert.equal(check('GET', {}, 'discovery'), 200);
  assert.equal(check('GET', { 'content-type': 'text/plain' }, 'discovery'), 415);
});
