import { celTypeOfSchema } from '../../../src/apiserver/crd/schema-cel-type.ts';
import type { SchemaProps } from '../../../src/apiserver/crd/schema-props.ts';
import { sizeOfPathIn } from '../../../src/apiserver/crd/schema-sizes.ts';
import { estimateCost } from '../../../src/cel/estimate-cost.ts';
import { post, type Case } from '../case.ts';
import { crdPath } from '../sample-crd.ts';

/** What the expressions below are about: values with and without bounds. */
const subject: SchemaProps = {
  type: 'object',
  required: ['text'],
  properties: {
    text: { type: 'string' },
    short: { type: 'string', maxLength: 20 },
    choice: { type: 'string', enum: ['one', 'three'] },
    data: { type: 'string', format: 'byte', maxLength: 50 },
    when: { type: 'string', format: 'date-time' },
    span: { type: 'string', format: 'duration' },
    count: { type: 'integer' },
    ratio: { type: 'number' },
    flag: { type: 'boolean' },
    either: { 'x-kubernetes-int-or-string': true },
    names: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 8 } },
    numbers: { type: 'array', items: { type: 'integer' } },
    labels: { type: 'object', maxProperties: 5, additionalProperties: { type: 'string', maxLength: 12 } },
    limits: { type: 'object', additionalProperties: { type: 'integer' } },
    nested: { type: 'object', properties: { deep: { type: 'object', properties: { leaf: { type: 'string', maxLength: 4 } } } } },
    rows: {
      type: 'array',
      maxItems: 7,
      items: {
        type: 'object',
        required: ['key'],
        properties: {
          key: { type: 'string', maxLength: 6 },
          cells: { type: 'array', maxItems: 3, items: { type: 'object', properties: { v: { type: 'string' } } } },
        },
      },
    },
    'x-dash': { type: 'string', maxLength: 3 },
  },
};

const expressions = [
  'true',
  'self.flag',
  'self.count > 3',
  'self.count + 1 == self.count * 2 - 7 / 3 % 2',
  'self.ratio < 0.5 || self.flag',
  '!self.flag && self.count >= 0',
  'self.text == "abc"',
  'self.text != self.short',
  'self.short < "m"',
  'self.short + self.choice == "x"',
  'self.choice in ["one", "two"]',
  'self.names.size() < 3',
  'size(self.text) < 10',
  'self.text.startsWith("abcdefghijklmnopqrstuvwxyz")',
  'self.short.endsWith(self.choice)',
  'self.short.contains("abcdefghijkl")',
  'self.short.matches("^[a-z]+(-[a-z]+)*$")',
  'has(self.short)',
  'has(self.nested.deep.leaf)',
  'has(self.nested) && self.nested.deep.leaf == "x"',
  'self.nested == self.nested',
  'self.names.all(n, n.startsWith("a"))',
  'self.names.exists(n, n == "b")',
  'self.names.exists_one(n, n == self.short)',
  'self.names.filter(n, n.size() > 2).size() == 2',
  'self.names.map(n, n + "!").exists(m, m == "a!")',
  'self.names.map(n, n != "x", n + n).size() > 0',
  'self.names.all(n, self.names.exists(m, m == n))',
  'self.numbers.all(n, n > 0)',
  'self.numbers.exists(n, n in [1, 2, 3])',
  'self.numbers[0] == 4',
  'self.names[1] == "b"',
  'self.labels["a"] == "b"',
  'self.labels.all(k, self.labels[k] != k)',
  'self.labels.exists(k, k.matches("[a-z]+"))',
  '"a" in self.labels',
  '"a" in self.names',
  '3 in self.numbers',
  'self.limits.all(k, self.limits[k] > 1)',
  'self.rows.all(r, r.key != "")',
  'self.rows.all(r, has(r.cells) && r.cells.all(c, c.v == "y"))',
  'self.rows.map(r, r.key).all(k, k == "z")',
  'self.rows.map(r, r.cells.size()).sum() < 9',
  'self.rows.exists_one(r, r.key == self.choice)',
  'self.rows.filter(r, r.key == "a")[0].key == "a"',
  'self.flag ? self.short == "a" : self.names.size() == 1',
  '(self.flag ? self.short : self.choice) == "a"',
  '(self.flag ? self.names : ["x"]).all(n, n == "a")',
  'self.names + ["x", "yy"] == ["a"]',
  '(self.names + self.names).exists(n, n == "aa")',
  '["a", "b"].all(x, x != self.short)',
  '{"a": 1, "b": 2}["a"] == self.count',
  '{"a": self.short}.all(k, k == "a")',
  'type(self.either) == string',
  'type(self.either) == int ? self.either < 5 : self.either.endsWith("%")',
  'dyn(self.short) == "a"',
  'string(self.count) == "1"',
  'int(self.short) > 1',
  'double(self.count) < 1.5',
  'self.when < timestamp("2026-01-01T00:00:00Z")',
  'self.span > duration("1h")',
  'self.when.getFullYear() > 2020',
  'self.data.size() > 1',
  'bytes(self.short) == self.data',
  'self.short.lowerAscii() == self.short.upperAscii()',
  'self.short.substring(1, 2) == "a"',
  'self.short.trim() == ""',
  'self.short.replace("ab", "c") == "x"',
  'self.short.replace("", "ccc") == "x"',
  'self.short.split(",").all(p, p.size() > 1)',
  'self.short.split(",", 3).size() == 2',
  'self.names.join(", ") == "a, b"',
  'self.names.join().size() < 4',
  'self.short.indexOf("a") > 1',
  'self.names.indexOf("a") > 1',
  'self.names.isSorted()',
  'self.numbers.sum() > 3 && self.numbers.max() < 9',
  'self.short.find("[0-9]+") == "1"',
  'self.short.findAll("[0-9]+").size() == 1',
  'self.short.charAt(1) == "a"',
  'url(self.short).getHost() == "a"',
  'isURL(self.short)',
  'quantity(self.short).isGreaterThan(quantity("1Gi"))',
  'isQuantity(self.short)',
  'ip(self.short).family() == 4',
  'isIP(self.short) && ip.isCanonical(self.short)',
  'cidr("10.0.0.0/8").containsIP(self.short)',
  'cidr("10.0.0.0/8").containsIP(ip(self.short))',
  'cidr("10.0.0.0/8").containsCIDR(self.short)',
  'isCIDR(self.short) && cidr(self.short).prefixLength() > 3',
  '!format.dns1123Label().validate(self.short).hasValue()',
  'semver(self.short).major() == 1',
  'sets.contains(self.names, ["a", "b"])',
  'sets.equivalent(self.names, self.names)',
  'self.?short.orValue("x") == "x"',
  'self.nested.?deep.?leaf.hasValue()',
  'self.nested.?deep.optMap(d, d.leaf).orValue("") == "a"',
  'self.names[?0].orValue("") == "a"',
  'self.rows[?0].optFlatMap(r, r.?key).hasValue()',
  'self.names.all(i, n, n == "a" && i < 3)',
  'self.labels.exists(k, v, k == v)',
  'self.names.transformList(i, n, n + "a").size() == 2',
  'self.labels.transformMap(k, v, v + k).size() == 1',
  '"%s is %d".format([self.short, self.count]) == "a"',
  'self.x__dash__dash == "a"',
  'self.names.all(x, self.rows.all(y, self.rows.all(z, x == y.key || y.key == z.key)))',
];

/** Times each rule can be evaluated, so that its cost is a little over the budget: the message names the factor to six digits then. */
function timesOver(expression: string, factor: number): number {
  const self = celTypeOfSchema(subject, false)!;
  const cost = estimateCost(expression, { variables: { self, oldSelf: self } }, sizeOfPathIn(subject, false));
  return Number.isFinite(cost) && cost > 0 ? Math.ceil((12_000_000 * factor) / cost) : 1;
}

const definition = (properties: Record<string, SchemaProps>) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'costs.{{group}}' },
  spec: {
    group: '{{group}}',
    scope: 'Namespaced',
    names: { plural: 'costs', singular: 'cost', kind: 'Cost', listKind: 'CostList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } }],
  },
});

const ruled = (expression: string, factor = 1): SchemaProps => ({
  type: 'array',
  maxItems: timesOver(expression, factor),
  items: { ...subject, 'x-kubernetes-validations': [{ rule: expression }] },
});

const perDefinition = 8;

export const cases: readonly Case[] = [
  ...Array.from({ length: Math.ceil(expressions.length / perDefinition) }, (_, i): Case => {
    const some = expressions.slice(i * perDefinition, (i + 1) * perDefinition);
    return {
      name: `the estimated cost of ${some[0]} and ${some.length - 1} others`,
      steps: [post(`${crdPath}?dryRun=All`, definition(Object.fromEntries(some.map((expression, n) => [`p${n}`, ruled(expression)]))))],
    };
  }),
  {
    name: 'the estimated cost of all rules together, of messages, and without bounds',
    steps: [
      Object.fromEntries(expressions.slice(20, 32).map((expression, i) => [`p${i}`, ruled(expression, 1 + i / 10)])),
      { spec: { ...subject, 'x-kubernetes-validations': [{ rule: 'self.flag', messageExpression: 'self.numbers.map(n, self.text)[0]' }] } },
      { spec: { type: 'array', items: { ...subject, 'x-kubernetes-validations': [{ rule: 'self.flag' }] } } } as const,
    ].map(properties => post(`${crdPath}?dryRun=All`, definition(properties as Record<string, SchemaProps>))),
  },
];
