import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../api/object.ts';
import { isGrantedBy } from './access-grants.ts';
import { planAccess, type AccessRule } from './access-management-plan.ts';

const object = (kind: string, name: string, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, labels },
});
const namespace = object('Namespace', 'team', { team: 'a' });
const template = object('ServiceTemplate', 'web-1');
const chain = object('ServiceTemplateChain', 'web');
const grant = (rule: Partial<AccessRule>): AccessRule => ({ mode: 'Grant', ...rule }) as AccessRule;
const templates = [{ kind: 'ServiceTemplate', names: ['web-1'] }];

const cases: readonly [what: string, rules: AccessRule[], isGranted: boolean][] = [
  ['no rule', [], false],
  ['a rule for all namespaces', [grant({ resources: templates })], true],
  ['a rule that copies', [{ resources: templates } as AccessRule], false],
  ['a rule for the namespace by name', [grant({ targetNamespaces: { list: ['team'] }, resources: templates })], true],
  ['a rule for another namespace', [grant({ targetNamespaces: { list: ['other'] }, resources: templates })], false],
  ['a rule by labels', [grant({ targetNamespaces: { selector: { matchLabels: { team: 'a' } } }, resources: templates })], true],
  ['a rule by other labels', [grant({ targetNamespaces: { stringSelector: 'team=b' }, resources: templates })], false],
  ['a rule that is wrong', [grant({ targetNamespaces: { stringSelector: 'team in' }, resources: templates })], false],
  ['a rule for another template', [grant({ resources: [{ kind: 'ServiceTemplate', names: ['web-2'] }] })], false],
  ['a rule for another group', [grant({ resources: [{ kind: 'ServiceTemplate', apiGroup: 'example.com' }] })], false],
  ['a rule for a chain that lists it', [grant({ resources: [{ kind: 'ServiceTemplateChain', names: ['web'] }] })], true],
  ['a rule for a chain of clusters of that name', [grant({ resources: [{ kind: 'ClusterTemplateChain', names: ['web'] }] })], false],
];
for (const [what, rules, expected] of cases)
  test(`with ${what} a template can${expected ? '' : 'not'} be used from another namespace`, () =>
    assert.equal(isGrantedBy({ rules, namespace, kind: 'ServiceTemplate', object: template, chains: [chain] }), expected));

test('what is granted is not copied, and what must lie beside its user cannot be granted', () => {
  const rules = [grant({ resources: [{ kind: 'ServiceTemplateChain' }, { kind: 'Credential' }], targetNamespaces: { list: ['new'] } })];
  const { copies, missingNamespaces, faults } = planAccess({ rules, namespaces: [namespace], objects: () => [chain] });
  assert.deepEqual([copies.size, missingNamespaces], [0, []]);
  assert.deepEqual(
    faults.map(({ kind, error }) => `${kind}: ${error}`),
    ['Credential: mode Grant is for templates and their chains: a Credential must be copied to be used in another namespace'],
  );
});
