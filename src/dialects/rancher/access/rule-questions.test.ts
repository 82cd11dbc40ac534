import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ruleAllows } from '../../../auth/policy-rule.ts';
import type { ResourceAttributes } from '../../../auth/user.ts';
import type { PolicyRule } from './rbac-objects.ts';
import { onlyAbout, permits, permitsEverything, withoutSecrets } from './rule-questions.ts';

const someOf = (values: readonly string[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 });
const rule: fc.Arbitrary<PolicyRule> = fc.record(
  {
    verbs: someOf(['get', 'list', 'create', 'own', '*']),
    apiGroups: someOf(['', 'apps', 'management.cattle.io', '*']),
    resources: someOf(['secrets', 'secrets/status', 'pods', 'projects', 'clusters', '*']),
  },
  { noNullPrototype: true },
);
const question: fc.Arbitrary<ResourceAttributes> = fc.record({
  isResource: fc.constant(true as const),
  verb: fc.constantFrom('get', 'list', 'create', 'own'),
  group: fc.constantFrom('', 'apps', 'management.cattle.io'),
  version: fc.constant('v1'),
  resource: fc.constantFrom('secrets', 'pods', 'projects', 'clusters'),
  subresource: fc.constant(''),
  namespace: fc.constant('shop'),
  name: fc.constant('one'),
});
const allows = (rules: readonly PolicyRule[], wanted: ResourceAttributes): boolean => rules.some(one => ruleAllows(one, wanted));

test('rules without Secrets permit nothing about Secrets and nothing that the rules before did not', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 5 }), question, (rules, wanted) => {
      const left = withoutSecrets(rules);
      if (wanted.group === '' && wanted.resource === 'secrets') assert.equal(allows(left, wanted), false);
      else if (allows(left, wanted)) assert.ok(allows(rules, wanted));
    }),
  );
});

test('rules that name neither Secrets nor everything lose nothing', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 5 }), rules => {
      const harmless = rules.filter(({ resources }) => !resources!.some(one => one === '*' || one.startsWith('secrets')));
      assert.deepEqual(withoutSecrets(harmless), harmless);
    }),
  );
});

test('the part of rules about some resources permits those as before and nothing else', () => {
  const wantedResources = { 'management.cattle.io': ['projects'] };
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 5 }), question, (rules, wanted) => {
      const isWanted = wanted.group === 'management.cattle.io' && wanted.resource === 'projects';
      assert.equal(allows(onlyAbout(rules, wantedResources), wanted), isWanted && allows(rules, wanted));
    }),
  );
});

test('a rule about named objects only is no rule about all of them', () => {
  const named = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: ['one'] }];
  assert.equal(permitsEverything(named), false);
  assert.equal(permits(named, 'create', '', 'namespaces'), false);
  assert.equal(permitsEverything([{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]), true);
});
