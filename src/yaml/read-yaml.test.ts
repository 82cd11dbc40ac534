import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { parseJson, type Json } from '../util/json.ts';
import { readYaml, YamlError } from './read-yaml.ts';

interface Recorded {
  text: string;
  error?: string;
  value?: Json;
  strict?: string;
}

const recorded = JSON.parse(readFileSync(new URL('recorded-answers.json', import.meta.url), 'utf8')) as Recorded[];

function answer(text: string): Omit<Recorded, 'text'> {
  try {
    const { value, duplicates } = readYaml(text);
    return {
      value,
      ...(duplicates.length > 0 && { strict: `yaml: unmarshal errors:\n${duplicates.map(line => `  ${line}`).join('\n')}` }),
    };
  } catch (error) {
    assert.ok(error instanceof YamlError, String(error));
    return { error: error.message };
  }
}

test('texts are read, and refused, as the real library does', () => {
  assert.ok(recorded.length > 100);
  for (const { text, ...expected } of recorded) assert.deepEqual(answer(text), expected, JSON.stringify(text));
});

const json = fc.jsonValue({ maxDepth: 4, noUnicodeString: false }).filter(value => !JSON.stringify(value).includes('\\ud'));

test('JSON is YAML', () => {
  fc.assert(
    fc.property(json, value => {
      const text = JSON.stringify(value);
      fc.pre(!/[0-9]{16}/.test(text));
      fc.pre(!/[\u007f-\u009f\ufeff]|\\u00|[\ufffe\uffff]/.test(text));
      assert.deepEqual(readYaml(text).value, parseJson(text));
    }),
  );
});

/** To Go these are numbers; the other library takes them for text and does not quote them. */
const isNumberToGo = (text: string) => /^[-+]?0[XBO]/.test(text.trim());

test('what another library writes in blocks is read back', () => {
  const text = fc.stringMatching(/^[ -~]*$/).filter(one => !isNumberToGo(one));
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.array(fc.oneof(fc.integer(), text))), value => {
      const written = stringify(value, { version: '1.1' });
      assert.deepEqual(readYaml(written).value, JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('any text ends in a value or a YamlError', () => {
  const pieces = [
    'a',
    ': ',
    '- ',
    '\n',
    '\n  ',
    '[',
    ']',
    '{',
    '}',
    ',',
    '"',
    "'",
    '|',
    '>',
    '&a ',
    '*a',
    '!',
    '#',
    '---',
    '%',
    '\t',
    '<<: ',
    '\\',
  ];
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 20 }), parts => void answer(parts.join(''))),
    { numRuns: 500 },
  );
});

test('deep nesting is read up to a limit', () => {
  assert.ok(Array.isArray(readYaml(`${'['.repeat(9000)}${']'.repeat(9000)}`).value));
  assert.throws(() => readYaml('['.repeat(20_000)), { message: 'yaml: exceeded max depth of 10000' });
  assert.throws(() => readYaml('- '.repeat(20_000)), { message: 'yaml: exceeded max depth of 10000' });
});

test('aliases cannot make a small text large', () => {
  const names = 'abcdefghij';
  const lines = [...names].map(
    (name, i) =>
      `${name}: &${name} [${Array(9)
        .fill(i === 0 ? 'x' : `*${names[i - 1]}`)
        .join(', ')}]`,
  );
  assert.throws(() => readYaml(lines.join('\n')), { message: 'yaml: document contains excessive aliasing' });
});

test('a value behind two aliases can be changed in one place', () => {
  const value = readYaml('x: &a {count: 1}\nz: *a').value as { x: { count: number }; z: { count: number } };
  value.x.count = 2;
  assert.equal(value.z.count, 1);
});

test('no key reaches a prototype', () => {
  const { value } = readYaml('__proto__: {polluted: yes}\nconstructor: 1');
  assert.deepEqual(Object.keys(value as object), ['__proto__', 'constructor']);
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
});
