import assert from 'node:assert/strict';
import test from 'node:test';
import type { Pod } from '../../../api/kubernetes.ts';
import { startWorkloadRig } from '../../../../test/helpers/workload-rig.ts';
import { staleDisruptionController } from './stale-disruption-controller.ts';

const podKind = { apiVersion: 'v1', kind: 'Pod' };

test('a pod that was not ended after all says so', async t => {
  const rig = await startWorkloadRig(t, { controllers: [staleDisruptionController] });
  await rig.apply({ ...podKind, metadata: { name: 'web' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  await rig.settle();
  const target = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    lastTransitionTime: new Date().toISOString(),
  };
  const conditions = [...(rig.get<Pod>(podKind, 'web')?.status?.conditions ?? []), target];
  await rig.change(podKind, 'web', { status: { conditions } }, 'status');
  await rig.settle();
  const status = () => rig.get<Pod>(podKind, 'web')?.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')?.status;
  assert.equal(status(), 'True');

  rig.moveClock(121);
  await rig.change(podKind, 'web', { metadata: { labels: { look: 'again' } } });
  await rig.settle();
  assert.equal(status(), 'False');
});
