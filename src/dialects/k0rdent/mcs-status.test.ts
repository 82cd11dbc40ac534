import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCondition } from '../../api/conditions.ts';
import { newObject } from '../../api/define-kind.ts';
import { MultiClusterService } from './kinds/multi-cluster-service.ts';
import { mcsStatus, type TargetReport } from './mcs-status.ts';

const now = new Date('2026-01-02T03:04:05Z');
const later = new Date('2026-01-03T00:00:00Z');
const mcs = newObject(MultiClusterService, { name: 'm', generation: 2 }, {});
const target = (name: string, deployed: boolean, more: Partial<TargetReport> = {}): TargetReport => ({
  cluster: { namespace: 'kcm-system', name },
  isRegional: false,
  deployed,
  isListed: true,
  ...more,
});
const said = (status: NonNullable<MultiClusterService['status']>, type: string) => {
  const found = findCondition({ status }, type);
  return found && `${found.status} ${found.reason} ${found.message}`.trim();
};

test('ready when all clusters are, none at all included', () => {
  assert.equal(said(mcsStatus({ mcs, targets: [], now }), 'ClusterInReadyState'), 'True Succeeded 0/0');
  const status = mcsStatus({ mcs, targets: [target('a', true), target('b', true)], now });
  assert.equal(said(status, 'ClusterInReadyState'), 'True Succeeded 2/2');
  assert.equal(said(status, 'Ready'), 'True Succeeded Object is ready');
  assert.equal(findCondition({ status }, 'ClusterInReadyState')?.observedGeneration, undefined);
  assert.equal(findCondition({ status }, 'ServicesReferencesValidation')?.observedGeneration, 2);
});

test('the first check that fails is told, and what is known of the clusters stays', () => {
  const before = mcsStatus({ mcs, targets: [target('a', true)], now });
  const fault = { check: 'ServicesDependencyValidation', message: 'no' } as const;
  const status = mcsStatus({ mcs: { ...mcs, status: before }, fault, now });
  assert.equal(said(status, 'ServicesReferencesValidation'), 'True Succeeded');
  assert.equal(said(status, 'ServicesDependencyValidation'), 'False Failed no');
  assert.equal(said(status, 'MultiClusterServiceDependencyValidation'), 'True Succeeded');
  assert.equal(said(status, 'Ready'), 'False Failed no');
  assert.deepEqual(status.matchingClusters, before.matchingClusters);
  assert.equal(said(mcsStatus({ mcs, fault, now }), 'MultiClusterServiceDependencyValidation'), undefined);
});

test('clusters are sorted, keep their time while nothing changes, and say why not', () => {
  const first = mcsStatus({ mcs, targets: [target('b', false), target('a', true)], now });
  const targets = [
    target('b', true),
    target('a', true),
    target('c', false, { isListed: false, blocked: 'waiting' }),
    target('d', false, { isListed: false, error: 'no template' }),
    target('e', false, { isListed: false }),
    target('', true, { cluster: undefined }),
  ];
  const { matchingClusters = [] } = mcsStatus({ mcs: { ...mcs, status: first }, targets, now: later });
  assert.deepEqual(
    matchingClusters.map(one => [one.kind, one.name, one.deployed, one.lastTransitionTime, one.message]),
    [
      ['ClusterDeployment', 'a', true, '2026-01-02T03:04:05Z', undefined],
      ['ClusterDeployment', 'b', true, '2026-01-03T00:00:00Z', undefined],
      ['ClusterDeployment', 'c', false, '2026-01-03T00:00:00Z', 'waiting'],
      ['ClusterDeployment', 'd', false, '2026-01-03T00:00:00Z', 'no template'],
      ['SveltosCluster', 'mgmt', true, '2026-01-03T00:00:00Z', undefined],
    ],
  );
});

test('of thousands of clusters only the entries that say something new are new', () => {
  const targets = Array.from({ length: 3_000 }, (_, i) => target(`c-${i}`, true));
  const first = mcsStatus({ mcs, targets, now });
  const changed = targets.map((one, i) => (i === 7 ? target('c-7', false, { error: 'no template' }) : one));
  const second = mcsStatus({ mcs: { ...mcs, status: first }, targets: changed, now: later });
  const known = new Set(first.matchingClusters);
  const fresh = (second.matchingClusters ?? []).filter(one => !known.has(one));
  assert.deepEqual(
    fresh.map(one => [one.name, one.deployed, one.message, one.lastTransitionTime]),
    [['c-7', false, 'no template', '2026-01-03T00:00:00Z']],
  );
  assert.equal(said(second, 'ClusterInReadyState'), 'False Failed 2999/3000');
  const atOnce = mcsStatus({ mcs: { ...mcs, status: first }, targets: targets.map((_, i) => target(`c-${i}`, i !== 7)), now });
  assert.equal(atOnce.matchingClusters?.find(one => one.name === 'c-7')?.deployed, false);
});
