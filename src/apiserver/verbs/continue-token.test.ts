import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeContinue, encodeContinue } from './continue-token.ts';

const tokenOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

test('a token is read as it was written', () => {
  const name = fc.stringMatching(/^[a-z0-9-]{1,20}$/);
  fc.assert(
    fc.property(fc.integer({ min: 1 }), name, name, (revision, namespace, last) => {
      const token = { revision, start: `${namespace}/${last}\0` };
      assert.deepEqual(decodeContinue(encodeContinue(token)), token);
    }),
  );
});

const faults: readonly [token: string, why: string][] = [
  ['x', ': illegal base64 data at input byte 0'],
  ['ab*d', ': illegal base64 data at input byte 2'],
  [tokenOf({ v: 'x' }), ': server does not recognize this encoded version x'],
  [tokenOf({ v: 'meta.k8s.io/v1', start: 'a' }), ': incorrect encoded start resourceVersion (version meta.k8s.io/v1)'],
  [tokenOf({ v: 'meta.k8s.io/v1', rv: 3 }), ': encoded start key empty (version meta.k8s.io/v1)'],
  [tokenOf({ v: 'meta.k8s.io/v1', rv: 3, start: '../a' }), ': ../a'],
  [tokenOf([]), ': json: cannot unmarshal array into Go value of type storage.continueToken'],
];

for (const [token, why] of faults) {
  test(`a token is refused${why}`, () => {
    assert.throws(() => decodeContinue(token), { code: 400, message: `invalid continue token: continue key is not valid${why}` });
  });
}
