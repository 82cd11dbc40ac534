import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fillFile, readFileText, valuesOfFile } from './file-text.ts';

const words = { roots: ['app', 'env', 'timestampId'], alone: ['timestampId'] };
const scope = (path: string): unknown => ({ 'app.name': 'shop', 'env.name': 'prod', timestampId: '7' })[path];
const filled = (text: string, isTemplate = false): string => {
  const file = readFileText(text, words);
  return fillFile(file, valuesOfFile(file, scope), isTemplate);
};

const cases: readonly [text: string, expected: string][] = [
  ['${app.name} and ${ env.name.toUpperCase() }', 'shop and PROD'],
  ['echo ${HOME} ${app} ${FOO:-x} ${other.name} $(app.name) ${', 'echo ${HOME} ${app} ${FOO:-x} ${other.name} $(app.name) ${'],
  ['$${app.name} $${HOME}', '${app.name} $${HOME}'],
  ['${timestampId}${timestampId.trim()}', '77'],
  ['${regex.extract("o.", app.name)}', 'op'],
];
for (const [text, expected] of cases) test(`${text} gives ${expected}`, () => assert.equal(filled(text), expected));

test('what stands for nothing is told with its place', () => {
  assert.throws(() => filled('a: ${app.nothing}'), /cannot resolve \$\{app\.nothing\}/);
  assert.throws(() => filled('a: ${app.name'));
});

test('texts without words of ours stay as they are, to the letter', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('$', '{', '}', 'a', '.', ' ', '\n') }), text => assert.equal(filled(text), text)),
  );
});

test('in a template no value becomes part of the template', () => {
  const file = readFileText('{{ if eq "${app.name}" "x" }}${app.name}{{ end }}', words);
  const isPlain = (text: string) => !text.replaceAll('{{"{{"}}', '').includes('{{');
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('{', '}', '"', '\\', '`', 'a', '\n') }), value => {
      const text = fillFile(file, [value, value], true);
      const [, head = '', body = ''] = /^\{\{ if eq "((?:[^"\\]|\\.)*)" "x" \}\}([^]*)\{\{ end \}\}$/.exec(text) ?? [];
      assert.equal(JSON.parse(`"${head}"`), value);
      assert.ok(isPlain(body), body);
      assert.equal(body.replaceAll('{{"{{"}}', '{{'), value);
    }),
  );
});
