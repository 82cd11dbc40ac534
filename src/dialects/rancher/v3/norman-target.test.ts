import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NormanError } from './norman-error.ts';
import { actionOf, parseNormanTarget } from './norman-target.ts';

test('a path is read in parts, each decoded by itself', () => {
  const read = (url: string) => parseNormanTarget(url).segments;
  assert.deepEqual(read('/v3'), ['v3']);
  assert.deepEqual(read('//v3///clusters//'), ['v3', 'clusters']);
  assert.deepEqual(read('/v3/principals/local%3A%2F%2Fu-abc?x=/y'), ['v3', 'principals', 'local://u-abc']);
  assert.deepEqual(read('/v3/projects/c-abcde:p-12345'), ['v3', 'projects', 'c-abcde:p-12345']);
  assert.deepEqual(read('/v3/a%252Fb'), ['v3', 'a%2Fb'], 'decoded once');
  assert.throws(() => read('/v3/%zz'), { status: 422, code: 'InvalidFormat' });
});

test('whatever comes, parts are read or refused, and written parts come back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii' }), text => {
      try {
        for (const segment of parseNormanTarget(text).segments) assert.notEqual(segment, undefined);
      } catch (error) {
        assert.ok(error instanceof NormanError && error.status === 422);
      }
    }),
  );
  fc.assert(
    fc.property(
      fc.array(fc.string({ minLength: 1 }).filter(part => part.isWellFormed())),
      fc.dictionary(fc.string(), fc.string()),
      (parts, query) => {
        const target = parseNormanTarget(`/${parts.map(encodeURIComponent).join('/')}?${new URLSearchParams(query).toString()}`);
        assert.deepEqual(target.segments, parts);
        assert.deepEqual(Object.fromEntries(target.query), { ...query });
      },
    ),
  );
});

test('only a POST asks for an action', () => {
  const query = new URLSearchParams('action=generateKubeconfig');
  assert.equal(actionOf('POST', query), 'generateKubeconfig');
  for (const method of ['GET', 'PUT', 'DELETE']) assert.equal(actionOf(method, query), undefined);
  assert.equal(actionOf('POST', new URLSearchParams('action=')), undefined);
});
