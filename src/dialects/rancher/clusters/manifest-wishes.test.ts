import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { newObject } from '../../../api/define-kind.ts';
import { ManagementCluster } from '../kinds/cluster.ts';
import { agentWishes } from './manifest-wishes.ts';

const withScheduling = (schedulingCustomization: object) =>
  newObject(ManagementCluster, { name: 'c-m-ab12cd34' }, { clusterAgentDeploymentCustomization: { schedulingCustomization } as never });

test('what is written on the Cluster reaches the agent', () => {
  const management = newObject(
    ManagementCluster,
    { name: 'c-m-ab12cd34' },
    {
      agentEnvVars: [{ name: 'HTTPS_PROXY', value: 'http://proxy' }, { name: 'EMPTY' }],
      clusterAgentDeploymentCustomization: {
        appendTolerations: [{ key: 'gpu' }],
        schedulingCustomization: {
          priorityClass: { value: 5, preemptionPolicy: 'Never' },
          podDisruptionBudget: { minAvailable: '1', maxUnavailable: '0' },
        },
      },
    },
  );
  assert.deepEqual(agentWishes(management), {
    env: [
      { name: 'HTTPS_PROXY', value: 'http://proxy' },
      { name: 'EMPTY', value: '' },
    ],
    tolerations: [{ key: 'gpu' }],
    priority: { value: 5, preemptionPolicy: 'Never' },
    disruptionBudget: { minAvailable: 1 },
  });
  assert.deepEqual(agentWishes(undefined), { env: [] });
});

test('a budget has one bound that Kubernetes understands, or is none', () => {
  const budget = (podDisruptionBudget: object) => agentWishes(withScheduling({ podDisruptionBudget })).disruptionBudget;
  assert.deepEqual(budget({ minAvailable: '0', maxUnavailable: '50%' }), { maxUnavailable: '50%' });
  assert.equal(budget({ minAvailable: '0' }), undefined);
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (minAvailable, maxUnavailable) => {
      let text = '';
      try {
        text = `${String(minAvailable)}${String(maxUnavailable)}`;
      } catch {
        return;
      }
      const found = Object.values(budget({ minAvailable, maxUnavailable }) ?? {});
      assert.ok(found.length <= 1, text);
      for (const one of found) assert.ok(typeof one === 'number' ? one > 0 : /^\d+%$/.test(String(one)));
    }),
  );
});
