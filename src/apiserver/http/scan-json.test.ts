import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fieldPositions, JsonSyntaxError, scanJson } from './scan-json.ts';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isScanned(text: string): boolean {
  try {
    scanJson(text);
    return true;
  } catch (error) {
    assert.ok(error instanceof JsonSyntaxError, String(error));
    return false;
  }
}

const spaced = fc.tuple(fc.jsonValue({ maxDepth: 5 }), fc.nat(3)).map(([value, indent]) => JSON.stringify(value, null, indent));

test('every JSON text is scanned without complaint', () => {
  fc.assert(
    fc.property(spaced, text => {
      assert.deepEqual(scanJson(text).duplicates, []);
    }),
  );
});

test('damaged text is refused exactly when JSON.parse refuses it', () => {
  const damage = fc.tuple(
    spaced,
    fc.nat(),
    fc.nat(2),
    fc.constantFrom('"', '{', '}', '[', ']', ',', ':', '\\', '0', '-', '.', 'e', 't', 'n', ' ', '\0'),
  );
  fc.assert(
    fc.property(damage, ([text, position, removed, added]) => {
      const at = position % (text.length + 1);
      const damaged = text.slice(0, at) + added + text.slice(at + removed);
      assert.equal(isScanned(damaged), isJson(damaged), JSON.stringify(damaged));
    }),
    { numRuns: 2000 },
  );
});

test('faults are told in the words of Go', () => {
  const cases: [string, string][] = [
    ['', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b":2}', `invalid character '"' after object key:value pair`],
    ['[1 2]', "invalid character '2' after array element"],
    ['[01]', "invalid character '1' after array element"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1ex', "invalid character 'x' in exponent of numeric literal"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['tru', 'unexpected end of JSON input'],
    ['nul1', "invalid character '1' in literal null (expecting 'l')"],
    ['"\\q"', "invalid character 'q' in string escape code"],
    ['"\\u12x4"', "invalid character 'x' in \\u hexadecimal character escape"],
    ['"\u0001"', "invalid character '\\x01' in string literal"],
    ['é', "invalid character 'Ã' looking for beginning of value"],
    ['{} {}', "invalid character '{' after top-level value"],
  ];
  for (const [text, message] of cases) assert.throws(() => scanJson(text), { message }, JSON.stringify(text));
});

test('nesting is followed as deep as Go follows it', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  scanJson(nested(10_000));
  assert.throws(() => scanJson(nested(10_001)), { message: 'exceeded max depth' });
  assert.throws(() => scanJson('{"a":'.repeat(20_000)), { message: 'exceeded max depth' });
});

test('repeated fields are named by their path', () => {
  const text = '{"a":{"b":[{"c":1,"c":2}]},"a":{},"d.e":1,"\\u0061":3}';
  assert.deepEqual(scanJson(text).duplicates, ['a.b[0].c', 'a', 'a']);
  assert.deepEqual(fieldPositions('{"a":1,"b":{"a":2},"a":3}').get('a'), [1, 19]);
});

test('integers written as floats are found where they stand', () => {
  const { wholeFloats } = scanJson('{"a.b":[0,1.0,1.5],"__proto__":{"x":1e2},"y":10,"z":1e400}');
  assert.deepEqual(wholeFloats, [
    { path: ['a.b', 1], text: '1.0' },
    { path: ['__proto__', 'x'], text: '1e2' },
    { path: ['z'], text: '1e400' },
  ]);
});
