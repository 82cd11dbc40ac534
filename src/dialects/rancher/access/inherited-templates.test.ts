import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withType } from '../../../api/define-kind.ts';
import { RoleTemplate } from '../kinds/role.ts';
import { inheritedRules, withInherited } from './inherited-templates.ts';

const rule = (resource: string) => ({ verbs: ['get'], apiGroups: [''], resources: [resource] });
const template = (name: string, inherits: string[], more: Partial<RoleTemplate> = {}) =>
  withType(RoleTemplate, { metadata: { name }, rules: [rule(name)], roleTemplateNames: inherits, ...more }) as RoleTemplate;

function finder(...templates: RoleTemplate[]) {
  const byName = new Map(templates.map(one => [one.metadata.name!, one]));
  return (name: string) => byName.get(name);
}
const names = (templates: RoleTemplate[]) => templates.map(({ metadata }) => metadata.name);

test('what is inherited is found at any depth, each once', () => {
  const find = finder(template('a', ['b', 'c']), template('b', ['d']), template('c', ['d']), template('d', []));
  assert.deepEqual(names(withInherited('a', find)), ['a', 'b', 'c', 'd']);
});

test('circles end, and those that are missing are left out', () => {
  const find = finder(template('a', ['b', 'gone']), template('b', ['a']));
  assert.deepEqual(names(withInherited('a', find)), ['a', 'b']);
  assert.deepEqual(withInherited('gone', find), []);
});

test('of an external role those rules count that it is said to have', () => {
  const find = finder(template('a', ['x']), template('x', [], { external: true, externalRules: [rule('y')] }));
  assert.deepEqual(inheritedRules('a', find), [rule('a'), rule('y')]);
});
