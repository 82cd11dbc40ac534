import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newObject } from '../../api/define-kind.ts';
import { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { Credential, Region } from './kinds/management.ts';
import { pausedRegionOf, pausedStatus, regionPauseAnnotation } from './region-pause.ts';

const now = new Date('2026-01-02T03:04:05Z');
const cd = (credential?: string) =>
  newObject(ClusterDeployment, { namespace: 'n', name: 'c', generation: 7 }, { template: 't', ...(credential && { credential }) });
const credential = (region?: string) =>
  newObject(Credential, { namespace: 'n', name: 'x' }, { identityRef: { kind: 'Secret', name: 's' }, ...(region && { region }) });
const region = (annotations: Record<string, string>) => newObject(Region, { name: 'west', annotations }, { kubeConfig: { name: 'west' } });
const pausedBy = (deployment: ClusterDeployment, found: { credential?: Credential; region?: Region }) =>
  pausedRegionOf(deployment, {
    credentials: { get: key => (key === 'n/x' ? found.credential : undefined) },
    regions: { get: key => (key === 'west' ? found.region : undefined) },
  });

test('the annotation on the region of the Credential is enough, whatever it says', () => {
  const paused = region({ [regionPauseAnnotation]: '' });
  assert.equal(pausedBy(cd('x'), { credential: credential('west'), region: paused }), 'west');
  assert.equal(pausedBy(cd('x'), { credential: credential('west'), region: region({}) }), undefined);
  assert.equal(pausedBy(cd('x'), { credential: credential('east'), region: paused }), undefined);
  assert.equal(pausedBy(cd('x'), { credential: credential(), region: paused }), undefined);
  assert.equal(pausedBy(cd(), { credential: credential('west'), region: paused }), undefined);
});

test('a pause says nothing of what nobody looked at', () => {
  const ready = { type: 'Ready', status: 'True' as const, reason: 'Succeeded', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
  const before = { ...cd('x'), status: { k8sVersion: 'v1.34.0', observedGeneration: 6, conditions: [ready] } };
  const { conditions, ...rest } = pausedStatus(before, 'west', now);
  assert.deepEqual(rest, { k8sVersion: 'v1.34.0', observedGeneration: 6 });
  assert.deepEqual(
    conditions?.find(one => one.type === 'Ready'),
    ready,
  );
  const paused = conditions?.find(one => one.type === 'Paused');
  assert.deepEqual([paused?.status, paused?.reason, paused?.message], ['True', 'Paused', 'Related Region west is paused']);
  assert.deepEqual(
    pausedStatus({ ...before, status: pausedStatus(before, 'west', now) }, 'west', new Date()),
    pausedStatus(before, 'west', now),
  );
});
