import fc from 'fast-check';
import { snippetValues } from './snippet-chart.ts';
import type { Json, JsonObject } from '../../src/util/json.ts';

/** Functions by how many arguments they take. Left out: those whose answers differ each time, or whose order Go does not define. */
const functions: Readonly<Record<1 | 2 | 3, readonly string[]>> = {
  1: 'toYaml toJson toPrettyJson toRawJson toString quote squote upper lower title trim len not first last rest initial reverse uniq compact sortAlpha int int64 float64 floor ceil add1 b64enc b64dec sha256sum empty kindOf typeOf until fromYaml fromJson toStrings nospace snakecase camelcase kebabcase base dir ext initials print html js urlquery list dict toYamlPretty deepCopy untitle swapcase duration atoi toDecimal fromYamlArray fromJsonArray toToml any all coalesce default'.split(
    ' ',
  ),
  2: 'default eq ne lt le gt ge and or add sub mul div mod addf mulf max min indent nindent trunc trimPrefix trimSuffix trimAll contains hasPrefix hasSuffix repeat join splitList split append prepend has without index get hasKey cat printf print concat merge mergeOverwrite pick omit dict list round seq coalesce regexMatch regexFind semverCompare plural kindIs typeIs deepEqual slice chunk wrap abbrev println subf divf'.split(
    ' ',
  ),
  3: 'ternary replace substr dict list index slice set dig untilStep regexReplaceAll regexFindAll regexSplit printf print coalesce eq join splitn wrapWith add mul'.split(
    ' ',
  ),
};

const paths = [
  ...Object.keys(snippetValues).map(name => `.Values.${name}`),
  '.Values.map.a',
  '.Values.map.c.d',
  '.Values.nope',
  '.Values.map.nope.deep',
  '.Release.Name',
  '.Chart.Name',
  '.Values.given',
  '.Values.given.a',
  '.Values.other',
  '$.Values.given',
  '.Values.maps',
  '$v',
  '$v.a',
  '$k',
];
const constants = [
  '"a"',
  '""',
  '"x-y z"',
  '"%v|%5s"',
  '"%d %q"',
  '"1.2.3"',
  '"^[a-c]+"',
  '","',
  '"a: [1]"',
  '0',
  '1',
  '2',
  '-3',
  '10',
  '1.5',
  '2e3',
  'true',
  'false',
  'nil',
  '`raw`',
  "'c'",
  '0x1f',
];

const operand: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...paths) },
  { weight: 3, arbitrary: fc.constantFrom(...constants) },
);

const { expression } = fc.letrec<{ expression: string; argument: string }>(tie => ({
  argument: fc.oneof(
    { maxDepth: 2, depthIdentifier: 'template' },
    operand,
    operand,
    tie('expression').map(inner => `(${inner})`),
  ),
  expression: fc.oneof(
    { maxDepth: 2, depthIdentifier: 'template' },
    operand,
    fc.tuple(fc.constantFrom(...functions[1]), tie('argument')).map(parts => parts.join(' ')),
    fc.tuple(fc.constantFrom(...functions[2]), tie('argument'), tie('argument')).map(parts => parts.join(' ')),
    fc.tuple(fc.constantFrom(...functions[3]), tie('argument'), tie('argument'), tie('argument')).map(parts => parts.join(' ')),
    fc.tuple(tie('expression'), fc.constantFrom(...functions[1])).map(([inner, name]) => `${inner} | ${name}`),
    fc.tuple(tie('expression'), fc.constantFrom(...functions[2]), tie('argument')).map(([inner, name, arg]) => `${inner} | ${name} ${arg}`),
    fc.tuple(fc.constantFrom('name', 'echo', 'labels', 'nowhere'), tie('argument')).map(([name, data]) => `include "${name}" ${data}`),
  ),
}));

const open = fc.constantFrom('{{ ', '{{- ');
const close = fc.constantFrom(' }}', ' -}}');
const action = (body: fc.Arbitrary<string>): fc.Arbitrary<string> => fc.tuple(open, body, close).map(parts => parts.join(''));
const end = action(fc.constant('end'));
const otherwise = action(fc.constant('else'));
const text = fc.constantFrom('a', ' ', '\n', '\n  ', 'key: ', '- x\n', '');

const { body } = fc.letrec<{ body: string; statement: string }>(tie => ({
  statement: fc.oneof(
    { maxDepth: 2, depthIdentifier: 'body' },
    text,
    action(expression),
    action(expression.map(value => `$v = ${value}`)),
    fc.tuple(action(expression.map(value => `if ${value}`)), tie('body'), otherwise, tie('body'), end).map(parts => parts.join('')),
    fc.tuple(action(expression.map(value => `with ${value}`)), tie('body'), end).map(parts => parts.join('')),
    fc
      .tuple(action(expression.map(value => `range $k, $v := ${value}`)), tie('body'), otherwise, tie('body'), end)
      .map(parts => parts.join('')),
    fc.tuple(action(expression.map(value => `range ${value}`)), tie('body'), end).map(parts => parts.join('')),
  ),
  body: fc.array(tie('statement'), { maxLength: 2 }).map(parts => parts.join('')),
}));

const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(
      '',
      'a',
      'b c',
      'x: y',
      '1',
      'true',
      'multi\nline\n',
      ' lead',
      'ünï',
      '#c',
      "it's",
      0,
      1,
      -1,
      42,
      1.5,
      1e21,
      0.1,
      true,
      false,
      null,
    ),
    fc.string({ maxLength: 8, unit: 'grapheme' }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'key', 'x-y', '1', 'true', ''), tie('value'), {
      maxKeys: 3,
      noNullPrototype: true,
    }) as fc.Arbitrary<Json>,
  ),
})).value;

/** A template and values for it; most mean something, many are wrong. */
export const randomQuestion: fc.Arbitrary<{ template: string; values: JsonObject }> = fc
  .tuple(body, json, json)
  .map(([template, given, other]) => ({ template: `{{ $v := 1 }}{{ $k := "k" }}${template}`, values: { ...snippetValues, given, other } }));

/** The parts of an error in which Go's answer depends on where things lie in memory. */
export const withoutAddresses = (words: string): string => words.replaceAll(/0x[0-9a-f]{6,}/g, '0x…');
