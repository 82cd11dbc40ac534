import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { renderText } from '../expressions/render-text.ts';
import { runScope, type PartialSnapshot, type ScopeFacts } from './run-scope.ts';
import type { VariableSnapshot } from './run-snapshot.ts';

/** Highest first. */
const layers = ['run', 'phase', 'environment for the service', 'environment for all', 'service'] as const;

function scopeWith(given: ReadonlySet<string>) {
  const one = (layer: string): VariableSnapshot[] => (given.has(layer) ? [{ name: 'v', value: layer }] : []);
  const variables = ['service', 'environment for all', 'environment for the service'].flatMap(one);
  const snapshot: PartialSnapshot = {
    app: { name: 'shop', description: '' },
    workflow: { name: 'w', description: '', spec: {} },
    variables: given.has('run') ? { v: 'run' } : {},
    service: 'web',
    services: { web: { name: 'web', description: '', variables, skipVersioning: false, bundle: '', sources: [] } },
  };
  const facts: ScopeFacts = given.has('phase') ? { phaseVariables: { v: 'phase' } } : {};
  return runScope(snapshot, facts);
}

test('of all who give a value the highest wins, whoever else does; what nobody declares stands for nothing', () => {
  fc.assert(
    fc.property(fc.subarray([...layers]), chosen => {
      const given = new Set<string>(chosen);
      const isDeclared = layers.slice(1).some(layer => given.has(layer));
      const expected = isDeclared ? layers.find(layer => given.has(layer)) : undefined;
      assert.equal(scopeWith(given)('serviceVariable.v'), expected);
    }),
  );
});

function scopeOf(values: Readonly<Record<string, string>>) {
  const variables = Object.entries(values).map(([name, value]) => ({ name, value }));
  return runScope(
    {
      app: { name: 'shop', description: '' },
      workflow: { name: 'w', description: '', spec: {} },
      variables: {},
      service: 'web',
      services: { web: { name: 'web', description: '', variables, skipVersioning: false, bundle: '', sources: [] } },
      environment: { name: 'prod', description: '', type: 'Prod', variables: [{ name: 'zone', value: 'z-${env.name}' }] },
    },
    {},
  );
}

test('variables may be made of others, and of themselves they are nothing', () => {
  const scope = scopeOf({
    a: '${serviceVariable.b}-${environmentVariable.zone}',
    b: '${app.name}',
    x: '${serviceVariable.y}',
    y: '${serviceVariable.x}',
  });
  assert.equal(renderText('${serviceVariable.a}', scope), 'shop-z-prod');
  assert.throws(() => renderText('${serviceVariable.x}', scope), /cannot resolve/);
  assert.throws(() => renderText('${serviceVariable}', scope), /cannot resolve/);
  assert.equal(renderText('${serviceVariable.b}', scope), 'shop');
});

test('variables that double each other again and again come to an end', () => {
  const doubling = (last: string) =>
    Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [`v${i}`, i === 59 ? last : `\${serviceVariable.v${i + 1}}\${serviceVariable.v${i + 1}}`]),
    );
  assert.throws(() => renderText('${serviceVariable.v0}', scopeOf(doubling('x'))), /longer than/);
  assert.equal(renderText('${serviceVariable.v0}', scopeOf(doubling(''))), '');
});
