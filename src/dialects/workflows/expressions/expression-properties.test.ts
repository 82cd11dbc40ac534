import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { evaluateCondition } from './condition.ts';
import { ExpressionError } from './expression-error.ts';
import { functors, methods, operators, type ExpressionNode, type Functor, type Method } from './expression-node.ts';
import { parseCondition } from './parse-expression.ts';
import { renderText } from './render-text.ts';

const name = fc.stringMatching(/^[a-z_][a-zA-Z0-9_]{0,6}(-[a-z0-9]{1,3})?$/).filter(one => !['true', 'false', 'null'].includes(one));

/** Trees as a parser makes them, without places. */
const { node } = fc.letrec<{ node: ExpressionNode }>(tie => {
  const at = fc.constant(0);
  const kind = <K extends string>(one: K) => fc.constant(one);
  const path = fc.record({ kind: kind('path'), names: fc.array(name, { minLength: 1, maxLength: 4 }), at });
  const literal = fc.record({
    kind: kind('literal'),
    value: fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
    at,
  });
  const child = tie('node');
  const method = fc.constantFrom(...(Object.keys(methods) as Method[])).chain(one =>
    fc.record({
      kind: kind('method'),
      of: child,
      method: fc.constant(one),
      args: fc.array(child, { minLength: methods[one][0], maxLength: methods[one][1] }),
      at,
    }),
  );
  const functor = fc.constantFrom(...(Object.keys(functors) as Functor[])).chain(one =>
    fc.record({
      kind: kind('functor'),
      functor: fc.constant(one),
      args: fc.array(child, { minLength: functors[one], maxLength: functors[one] }),
      at,
    }),
  );
  return {
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      path,
      literal,
      fc.record({ kind: kind('not'), of: child, at }),
      fc.record({ kind: kind('index'), of: child, index: child, at }),
      fc.record({ kind: kind('field'), of: child.filter(one => one.kind !== 'path'), name, at }),
      fc.record({ kind: kind('binary'), operator: fc.constantFrom(...operators), left: child, right: child, at }),
      method,
      functor,
    ) as fc.Arbitrary<ExpressionNode>,
  };
});

const quoted = (text: string): string =>
  JSON.stringify(text).replace(/\\\\|\\[bf]|\\u[0-9a-f]{4}/g, one => (one === '\\\\' ? one : (JSON.parse(`"${one}"`) as string)));

/** Every part in brackets of its own. */
function print(one: ExpressionNode): string {
  const inner = (part: ExpressionNode) => (part.kind === 'path' || part.kind === 'functor' ? print(part) : `(${print(part)})`);
  switch (one.kind) {
    case 'literal':
      return typeof one.value === 'string' ? quoted(one.value) : String(one.value);
    case 'path':
      return one.names.join('.');
    case 'field':
      return `${inner(one.of)}.${one.name}`;
    case 'index':
      return `${inner(one.of)}[${print(one.index)}]`;
    case 'not':
      return `!${inner(one.of)}`;
    case 'binary':
      return `${inner(one.left)} ${one.operator} ${inner(one.right)}`;
    case 'method':
      return `${inner(one.of)}.${one.method}(${one.args.map(print).join(', ')})`;
    case 'functor':
      return `${one.functor}(${one.args.map(print).join(',')})`;
  }
}

const withoutPlaces = (value: unknown): unknown => JSON.parse(JSON.stringify(value, (key, one: unknown) => (key === 'at' ? 0 : one)));

test('what is printed is read as it was', () => {
  const few = node.filter(one => print(one).length < 2000);
  fc.assert(
    fc.property(few, one => {
      let read: ExpressionNode;
      try {
        read = parseCondition(print(one));
      } catch (error) {
        // Trees may be deeper than expressions can be.
        assert.match((error as Error).message, /deeper than/);
        return;
      }
      assert.deepEqual(withoutPlaces(read), withoutPlaces(one));
    }),
    { numRuns: 300 },
  );
});

const scopes = fc.dictionary(name, fc.jsonValue({ maxDepth: 2 })).map(
  values =>
    (path: string): unknown =>
      values[path],
);
const scraps = fc
  .array(
    fc.oneof(
      fc.constantFrom('${', '}', '"', "'", '.', '(', ')', '[', ']', '!', '==', '&&', '<', '\\', '$${', ',', '-1', ' '),
      name,
      fc.string({ maxLength: 3 }),
    ),
  )
  .map(parts => parts.join(''));

test('no text makes anything but an error of expressions', () => {
  fc.assert(
    fc.property(scraps, scopes, (text, scope) => {
      for (const use of [renderText, evaluateCondition]) {
        try {
          use(text, scope);
        } catch (error) {
          assert.ok(error instanceof ExpressionError, String(error));
          assert.ok(error.position >= 0 && error.position <= text.length);
        }
      }
    }),
    { numRuns: 500 },
  );
});

test('what has been read is evaluated, or is an error of expressions', () => {
  fc.assert(
    fc.property(node, scopes, (one, scope) => {
      try {
        evaluateCondition(print(one), scope);
      } catch (error) {
        assert.ok(error instanceof ExpressionError, String(error));
      }
    }),
    { numRuns: 300 },
  );
});

test('depth and length have bounds', () => {
  assert.throws(() => parseCondition('('.repeat(100_000)), /deeper than 32/);
  assert.throws(() => parseCondition('!'.repeat(100_000)), /deeper than 32/);
  assert.throws(() => renderText(`\${a${'.trim()'.repeat(50_000)}}`, () => 'x'), /deeper than 32/);
  assert.throws(() => renderText(`\${"${'x'.repeat(20_000)}"}`, () => undefined), /longer than 16384/);
});
