import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseJson, type Json } from '../util/json.ts';
import { readDocument, readValue } from './read-document.ts';
import { YamlError } from './read-yaml.ts';

/** As `kubectl label --local -f` answered, version 1.36.3. */
const asKubectl: [text: string, values: Json[]][] = [
  ['{"x":"\\ud83d\\ude00"}', [{ x: '😀' }]],
  ['{"x":"\\ud83d"}', [{ x: '\ufffd' }]],
  ['{"x":"1"}{"x":"2"}', [{ x: '1' }, { x: '2' }]],
  ['\ufeff\n {"x":"1"}\n\n{"x":"\\ud83d\\ude00"}\n', [{ x: '1' }, { x: '😀' }]],
  ['{"x": z}', [{ x: 'z' }]],
  ['{"x": "a\\"}{"}', [{ x: 'a"}{' }]],
  ['{"n": 9007199254740993}', [{ n: 9007199254740993n }]],
];

test('documents are read as kubectl reads files', () => {
  for (const [text, values] of asKubectl) assert.deepEqual(readDocument(text), values, text);
});

test('what is neither JSON nor YAML is refused in the words of YAML', () => {
  for (const text of [
    '{"x": [}',
    '{"x":"\\ud83d\\ude00"} y',
    '["\\ud83d\\ude00"',
    'x: "\\ud83d\\ude00"',
    `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  ])
    assert.throws(() => readDocument(text), YamlError, text.slice(0, 50));
});

/** All that is not plain is written with escapes, in halves where it has more than 16 bits. */
const escaped = (value: Json) =>
  JSON.stringify(value).replaceAll(/[^ -~]/g, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

test('JSON is read as JSON, however its characters are written, also several in a row', () => {
  const value = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ stringUnit: 'binary' }));
  const between = fc.stringMatching(/^[ \t\r\n]*$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(value, fc.boolean(), between), { minLength: 1, maxLength: 4 }), parts => {
      const texts = parts.map(([one, isEscaped]) => (isEscaped ? escaped(one as Json) : JSON.stringify(one)));
      const expected = texts.map(parseJson);
      assert.deepEqual(readDocument(texts.map((text, i) => `${parts[i]![2]}${text}`).join('')), expected);
      assert.deepEqual(readValue(texts[0]!), expected[0]);
    }),
    { numRuns: 60 },
  );
});
