import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { withType } from '../../../api/define-kind.ts';
import { uncoveredRules, type PolicyRule } from '../../../auth/policy-rule.ts';
import { RoleTemplate } from '../kinds/role.ts';
import { accessAnnotations } from './access-names.ts';
import { may } from './builtin-rule.ts';
import { memberRoles } from './compile-member-access.ts';
import { isHolder, templateRules } from './effective-rules.ts';
import { subjectOf } from './subjects.ts';

const names = ['view', 'edit', 't-0', 't-1', 't-2'];
/** What ClusterRoles permit, on the hub as on the member. */
const ofKubernetes: Readonly<Record<string, PolicyRule[]>> = { view: [may(['get'], 'pods secrets')], edit: [may(['*'], 'pods secrets')] };

const some = (list: string[]) => fc.subarray(list, { minLength: 1, maxLength: 2 });
const rule: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: some(['*', 'get', 'update']),
  apiGroups: some(['', 'apps', '*']),
  resources: some(['*', 'secrets', 'secrets/x', 'pods']),
});
const template = fc.record({
  rules: fc.array(rule, { maxLength: 2 }),
  roleTemplateNames: fc.subarray(names, { maxLength: 3 }),
  hidesSecrets: fc.boolean(),
});

test('what a role is taken to permit is what members make of it', () => {
  fc.assert(
    fc.property(fc.tuple(template, template, template), made => {
      const templates = new Map<string, RoleTemplate>();
      for (const name of ['view', 'edit']) templates.set(name, withType(RoleTemplate, { metadata: { name }, external: true }));
      made.forEach(({ hidesSecrets, ...fields }, i) => {
        const annotations = { [accessAnnotations.hidesSecrets]: String(hidesSecrets) };
        templates.set(`t-${i}`, withType(RoleTemplate, { metadata: { name: `t-${i}`, annotations }, ...fields }));
      });
      const find = (name: string) => templates.get(name);
      for (const name of names) {
        const taken = templateRules(name, find, one => ofKubernetes[one]) ?? [];
        const { bound, made: roles } = memberRoles(name, find, ofKubernetes['view']!);
        const there = bound.flatMap(one => roles.get(one) ?? ofKubernetes[one] ?? []);
        assert.deepEqual(uncoveredRules(taken, there), [], `${name} gives more than it is taken for`);
        assert.deepEqual(uncoveredRules(there, taken), [], `${name} gives less than it is taken for`);
      }
    }),
  );
});

test('a binding means the person whom RBAC is given to', () => {
  const word = fc.constantFrom('', 'u-a', 'u-b');
  const principal = fc.constantFrom('', 'local://u-a', 'oidc_user://a', 'oidc_user://b');
  const group = fc.constantFrom('', 'g', 'h');
  const holder = fc.record({ userName: word, userPrincipalName: principal, groupName: group, groupPrincipalName: group });
  const findUser = (one: string) => (one === 'oidc_user://a' ? 'u-a' : undefined);
  fc.assert(
    fc.property(holder, binding => {
      const person = { name: 'u-a', groups: ['g'], principals: ['local://u-a', 'oidc_user://a'] };
      const subject = subjectOf(binding, findUser);
      const isMeant = subject?.kind === 'User' ? subject.name === 'u-a' : subject?.name === 'g';
      // A principal of nobody leaves the groups of the binding to RBAC; here such a binding, which admission refuses, means nobody.
      const isOdd = subject?.kind === 'Group' && binding.userPrincipalName !== '';
      assert.equal(isHolder(person, binding), isMeant && !isOdd);
    }),
  );
});
