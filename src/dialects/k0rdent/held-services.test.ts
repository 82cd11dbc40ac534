import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { newObject } from '../../api/define-kind.ts';
import type { Work } from '../../api/work.ts';
import { compileWorks } from './compile-works.ts';
import { readConfig } from './effective-config.ts';
import { ServiceSet, type SetService } from './kinds/service-set.ts';
import { ServiceTemplate } from './kinds/template.ts';
import { serviceStates } from './service-states.ts';
import { contentAnnotation } from './template-content.ts';

const namespace = 'kcm-system';

/** Each template has a chart of its own. */
function template(name: string): ServiceTemplate {
  const digest = `sha256:${createHash('sha256').update(name).digest('hex')}`;
  const metadata = { name, namespace, annotations: { [contentAnnotation]: digest } };
  return newObject(ServiceTemplate, metadata, { helm: { chartSpec: { chart: 'c' } } });
}
const service = (name: string, version: string): SetService => ({ name, namespace: name, template: `${name}-${version}`, version });
const setOf = (services: SetService[]) =>
  newObject(ServiceSet, { name: 's', namespace, uid: 'u' }, { cluster: 'c', provider: {}, services });
const compile = (services: SetService[], present: ReadonlyMap<string, Work>) =>
  compileWorks({ set: setOf(services), config: readConfig({}), clusterNamespace: 'c-m-aaaaaaaa', present, template, values: () => ({}) });

/** As the Works of these services are when all went well. */
function deployed(...services: SetService[]): Map<string, Work> {
  const condition = (type: string) =>
    ({ type, status: 'True', reason: 'Done', message: '', lastTransitionTime: '', observedGeneration: 1 }) as const;
  return new Map(
    services.map(one => {
      const [work] = compile([one], new Map()).works as [Work];
      const status = { conditions: [condition('Applied'), condition('Ready')] };
      return [`${one.namespace}/${one.name}`, { ...work, metadata: { ...work.metadata, generation: 1 }, status }];
    }),
  );
}

function statesOf(services: SetService[], present: ReadonlyMap<string, Work>): Record<string, string> {
  const compiled = compile(services, present);
  const set = setOf(services);
  const states = serviceStates({ set, compiled, present, rival: () => undefined, template, clusterKind: 'sveltos', now: new Date(0) });
  return Object.fromEntries(states.map(one => [one.name, `${one.state} ${one.version ?? ''}`.trim()]));
}

test('a service that waits for an earlier one is not said to be deployed as it is to be', () => {
  const present = deployed(service('a', '1'), service('b', '1'));
  assert.deepEqual(statesOf([service('a', '2'), service('b', '2')], present), { a: 'Provisioning', b: 'Pending' });
});

test('a service that is as it should be stays deployed while an earlier one is under way', () => {
  const present = deployed(service('a', '1'), service('b', '1'));
  assert.deepEqual(statesOf([service('a', '2'), service('b', '1')], present), { a: 'Provisioning', b: 'Deployed 1' });
});
