import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { encodeJson } from '../go/go-json.ts';
import type { GoMap } from '../go/go-value.ts';
import { setValues } from './set-values.ts';

function set(...texts: string[]): string {
  const values: GoMap = new Map();
  for (const text of texts) setValues(values, text);
  return encodeJson(values);
}

describe('--set', () => {
  test('names, lists and types', () => {
    assert.equal(set('a=1,b.c=true,b.d=null,e=01'), '{"a":1,"b":{"c":true,"d":null},"e":"01"}');
    assert.equal(set('a={x,2},b={}'), '{"a":["x",2],"b":[""]}');
    assert.equal(set('a[1].b=x,a[0]=y'), '{"a":["y",{"b":"x"}]}');
    assert.equal(set('a[0][1]=x', 'a[0][0]=y'), '{"a":[["y","x"]]}');
    assert.equal(set(String.raw`a\.b=x\,y`), '{"a.b":"x,y"}');
    assert.equal(set('a='), '{"a":""}');
    assert.equal(set('a=99999999999999999999'), '{"a":"99999999999999999999"}');
  });

  test('a text that ends too early says nothing', () => {
    assert.equal(set('a.'), '{}');
    assert.equal(set('a[1'), '{}');
    assert.equal(set('a[0]'), '{"a":[]}');
  });

  test('errors are those of Helm', () => {
    assert.throws(() => set('a'), new Error('key "a" has no value'));
    assert.throws(() => set('a,b=1'), new Error('key "a" has no value (cannot end with ,)'));
    assert.throws(() => set('a={x'), new Error("list must terminate with '}'"));
    assert.throws(() => set('a[-1]=x'), new Error('negative -1 index not allowed'));
    assert.throws(() => set('a[x]=1'), new Error('error parsing index: strconv.Atoi: parsing "x": invalid syntax'));
    assert.throws(() => set('a[65537]=x'), new Error('index of 65537 is greater than maximum supported index of 65536'));
    assert.throws(() => set('a[0]xy=1'), new Error(`unexpected data at end of array index: ['x' 'y']`));
    assert.throws(
      () => set('a=1,a.b=2'),
      new Error('unable to parse key: interface conversion: interface {} is int64, not map[string]interface {}'),
    );
  });

  test('any names and any text come back as they were, once escaped', () => {
    const escaped = (text: string): string => text.replaceAll(/[\\=[\],.{}]/g, String.raw`\$&`);
    const name = fc.string({ minLength: 1, unit: 'grapheme' });
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), fc.string({ unit: 'grapheme' }), (path, value) => {
        const values: GoMap = new Map();
        setValues(values, `${path.map(escaped).join('.')}=${escaped(value)}`, text => text);
        const expected = path.reduceRight<GoMap | string>((inner, key) => new Map([[key, inner]]), value);
        assert.deepEqual(values, expected);
      }),
    );
  });

  test('whatever the text, the answer is values or an error', () => {
    const unit = fc.constantFrom('a', 'b', '0', '1', '=', '[', ']', ',', '.', '{', '}', '\\');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 20 }), text => {
        try {
          set(text);
        } catch (error) {
          assert.ok(error instanceof Error && !(error instanceof TypeError) && !(error instanceof RangeError), String(error));
        }
      }),
      { numRuns: 1000 },
    );
  });
});
