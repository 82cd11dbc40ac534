import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExpressionError, UnresolvedExpression } from './expression-error.ts';
import { hasExpressions, renderText, textPaths } from './render-text.ts';

const known: Readonly<Record<string, unknown>> = {
  'app.name': 'shop',
  'workflow.variables.region': ' EU-west,eu-EAST ',
  'workflow.variables.my-var': 'dashed',
  'rancher.clusters': 'a,b',
  cluster: { name: 'a', labels: { 'topology.kubernetes.io/region': 'eu' } },
  'artifact.metadata': { tag: '1.2.3', getSHA: 'sha256:abc' },
  'wave.index': 2,
  'wave.clusters': ['a', 'b'],
  'artifact.label': {},
  response: { status: { ready: 3, conditions: [{ type: 'Ready' }, { type: 'Synced' }] } },
  body: '{"items":[{"name":"first"}]}',
};
const scope = (path: string): unknown => known[path];

const rendered: readonly (readonly [string, string])[] = [
  ['no expression at all: $HOME $ {x}', 'no expression at all: $HOME $ {x}'],
  ['${app.name}-${ wave.index }', 'shop-2'],
  ['${workflow.variables.my-var}', 'dashed'],
  ['${workflow.variables.region.trim().toLowerCase().split(",")[1]}', 'eu-east'],
  ['${cluster.labels.get("topology.kubernetes.io/region").toUpperCase()}', 'EU'],
  ['${artifact.metadata.getSHA()} ${artifact.metadata.tag}', 'sha256:abc 1.2.3'],
  ['${wave.clusters[0]} of ${wave.clusters}', 'a of ["a","b"]'],
  ['${rancher.clusters.replace(",", " and ").concat("!")}', 'a and b!'],
  ['${app.name.substring(1)} ${app.name.substring(1, 3)}', 'hop ho'],
  ['${app.name.contains("ho")} ${app.name.startsWith(\'ho\')} ${app.name.endsWith("p")}', 'true false true'],
  ['${regex.extract("[0-9]+\\.[0-9]+", artifact.metadata.tag)}', '1.2'],
  ['${regex.extract("x+", artifact.metadata.tag)}', ''],
  ['${regex.replace("(\\\\d+)\\.(\\\\d+)", "$2.$1", artifact.metadata.tag)}', '2.1.3'],
  ['${json.select("$.status.ready", response)}', '3'],
  ['${json.select("status.conditions[1].type", response)}', 'Synced'],
  ['${json.select("items[0].name", body)}', 'first'],
  ['$${HOME} and ${app.name}', '${HOME} and shop'],
  ['${"}"}${app.name}', '}shop'],
];
for (const [text, wanted] of rendered) test(`${text} is ${wanted}`, () => assert.equal(renderText(text, scope), wanted));

const unresolved: readonly (readonly [string, string])[] = [
  ['x ${nothing.here}', 'nothing.here'],
  ['${app.name.first}', 'app.name.first'],
  ['${artifact.label.get("k")}', 'artifact.label.get("k")'],
  ['${wave.clusters[7]}', 'wave.clusters[7]'],
  ['${json.select("status.none", response)}', 'json.select("status.none", response)'],
  ['${cluster.constructor}', 'cluster.constructor'],
  ['${app.name.replace("a", gone.path)}', 'app.name.replace("a", gone.path)'],
];
for (const [text, expression] of unresolved) {
  test(`${text} is unresolved`, () => {
    assert.throws(
      () => renderText(text, scope),
      (error: unknown) => error instanceof UnresolvedExpression && error.message === `cannot resolve \${${expression}}`,
    );
  });
}

const wrong: readonly (readonly [string, string, number])[] = [
  ['${app.name', '"}" is missing', 10],
  ['a ${}', 'unexpected "}"', 4],
  ['${app..name}', 'unexpected "."', 6],
  ['${HOME:-x}', 'unexpected ":"', 6],
  ['${app.name.exec("ls")}', 'there is no method "exec"', 10],
  ['${app.name.trim("x")}', '"trim" takes 0 arguments', 10],
  ['${app.name.substring()}', '"substring" takes 1 to 2 arguments', 10],
  ['${json.select("a")}', 'json.select takes 2 arguments', 6],
  ['${app.name == "shop"}', 'unexpected "=="', 11],
  ['${"never ends}', 'the text that begins with " does not end', 2],
  ['${app.name.substring(9)}', 'substring(9) is outside a text of 4 characters', 10],
  ['${json.select("a", app.name)}', 'the text to select from is not JSON', 2],
];
for (const [text, message, position] of wrong) {
  test(`${text} is an error that says where`, () => {
    assert.throws(() => renderText(text, scope), { name: 'ExpressionError', message, position });
  });
}

test('a pattern that cannot be read is an error of the expression', () => {
  assert.throws(() => renderText('${regex.extract("(", app.name)}', scope), ExpressionError);
});

test('values cannot grow without end', () => {
  const doubled = '.concat(big)'.repeat(20);
  assert.throws(() => renderText(`\${big${doubled}}`, () => 'x'.repeat(100_000)), /longer than 1048576/);
});

test('what would grow too far is refused before it is made', () => {
  const values: Readonly<Record<string, string>> = { 'a.long': 'x'.repeat(1_000_000), 'a.short': 'x' };
  const refuses = (text: string) => assert.throws(() => renderText(text, path => values[path]), /too long|longer than/);
  refuses('${a.long.replace("", a.long)}');
  refuses('${a.long.replace("x", a.long)}');
  refuses('${regex.replace("x", a.long, a.long)}');
  assert.equal(
    renderText('${a.short.replace("x", "yy")}', path => values[path]),
    'yy',
  );
});

test('the paths of a text are those it names', () => {
  assert.deepEqual(textPaths('${cluster.labels.get("k")} ${app.name.replace(env.name, "x")} $${not.this}'), [
    'cluster.labels',
    'app.name',
    'env.name',
  ]);
  assert.equal(hasExpressions('$${literal}'), false);
  assert.equal(hasExpressions('${app.name}'), true);
});
