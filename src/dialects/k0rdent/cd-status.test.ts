import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from '../../api/cluster.ts';
import { findCondition } from '../../api/conditions.ts';
import { newObject } from '../../api/define-kind.ts';
import { cdStatus, countServices, unionOfServices, type CdReport } from './cd-status.ts';
import { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { ServiceSet } from './kinds/service-set.ts';
import type { ServiceState } from './kinds/service-spec.ts';

const now = new Date('2026-01-02T03:04:05Z');
const time = '2026-01-02T03:04:05Z';
const cd = newObject(ClusterDeployment, { name: 'c', namespace: 'n', generation: 3 }, { template: 't' });

function setOf(name: string, states: Record<string, ServiceState['state']>, more: object = {}): ServiceSet {
  const services = Object.keys(states).map(key => ({ name: key, namespace: key, template: `${name}-${key}` }));
  const set = newObject(ServiceSet, { name, namespace: 'n', ...more }, { cluster: 'c', provider: {}, services });
  const said = services.map(one => ({ type: 'Helm' as const, ...one, state: states[one.name]!, lastStateTransitionTime: time }));
  return { ...set, status: { deployed: false, services: said } };
}

const cluster = (status: 'True' | 'False' | 'Unknown'): Cluster => ({
  ...newObject(Cluster, { name: 'c' }, { connection: { mode: 'Sandbox' } }),
  status: {
    version: 'v1.36.3',
    conditions: [{ type: 'Connected', status, reason: 'Answering', message: 'a message', lastTransitionTime: time }],
  },
});
const yes = { status: 'True' } as const;
const all: CdReport = { cd, template: yes, credential: yes, chart: yes, release: yes, cluster: cluster('True'), sets: [], now };
const ready = (report: Partial<CdReport>) => {
  const found = findCondition({ status: cdStatus({ ...all, ...report }) as { conditions: never } }, 'Ready')!;
  return `${found.status} ${found.reason} ${found.message}`;
};

test('a service counts once, and is ready when any owner has it deployed', () => {
  const sets = [setOf('c', { nginx: 'Failed', kyverno: 'Deployed' }), setOf('c-1', { nginx: 'Deployed' })];
  assert.deepEqual(countServices(sets), { ready: 2, total: 2 });
  assert.deepEqual(countServices(sets.slice(0, 1)), { ready: 1, total: 2 });
  const leaving = setOf('c-1', { nginx: 'Deployed' }, { deletionTimestamp: time });
  assert.deepEqual(countServices([sets[0]!, leaving]), { ready: 1, total: 2 });
});

test('the services of all owners are listed, sorted, the own ones first', () => {
  const sets = [setOf('c-1', { nginx: 'Deployed' }), setOf('c', { nginx: 'Failed', kyverno: 'Deployed' })];
  assert.deepEqual(
    unionOfServices(sets).map(one => one.template),
    ['c-kyverno', 'c-nginx', 'c-1-nginx'],
  );
});

test('another name of the chart is told while it is so, and is no failure', () => {
  const renamed = { ...all, otherChart: { from: 'cloud', to: 'nimbus' } };
  const told = cdStatus(renamed);
  const found = findCondition({ status: told as { conditions: never } }, 'HelmChartNameChanged');
  assert.deepEqual([found?.status, found?.reason], ['True', 'HelmChartNameChanged']);
  assert.match(found?.message ?? '', /^Helm chart name changed from "cloud" to "nimbus": /);
  assert.equal(ready(renamed), 'True Succeeded Object is ready');
  const later = cdStatus({ ...all, cd: { ...cd, status: told } });
  assert.equal(findCondition({ status: later as { conditions: never } }, 'HelmChartNameChanged'), undefined);
});

test('ready says what is wrong before what is under way', () => {
  assert.equal(ready({}), 'True Succeeded Object is ready');
  assert.equal(ready({ sets: [setOf('c', { a: 'Pending' })] }), 'False Progressing 0/1 Services are ready.');
  assert.equal(ready({ cluster: cluster('False') }), 'False Progressing Cluster does not answer: a message');
  assert.equal(ready({ cluster: cluster('Unknown') }), 'Unknown Progressing Cluster is not ready yet');
  assert.equal(ready({ cluster: undefined }), 'Unknown Progressing Cluster is not ready yet');
  const failed = { template: { status: 'False', message: 'no template' } as const, faults: ['no service'] };
  assert.equal(ready({ ...failed, sets: [setOf('c', { a: 'Pending' })] }), 'False Failed no template. no service');
  const deleting = { reason: 'WaitingForClusterDeletion', message: 'it goes' };
  assert.equal(ready({ ...failed, deleting }), 'False Deleting it goes');
});

test('a dry run is ready without a cluster', () => {
  const dry = newObject(ClusterDeployment, { name: 'c', namespace: 'n' }, { template: 't', dryRun: true });
  const { release: _, cluster: __, ...checked } = all;
  const status = cdStatus({ ...checked, cd: dry });
  assert.equal(findCondition({ status: status as { conditions: never } }, 'Ready')?.status, 'True');
  assert.equal(findCondition({ status: status as { conditions: never } }, 'HelmReleaseReady'), undefined);
});

test('the version of the cluster is told', () => {
  assert.equal(cdStatus(all).k8sVersion, 'v1.36.3');
});

test('a Cluster of Cluster API that is not ready is a warning at first and then an error', () => {
  const capi = { type: 'CAPIClusterSummary', status: 'False', reason: 'IssuesReported', message: 'no workers' } as const;
  assert.equal(ready({ capi }), 'False Progressing no workers');
  const since = new Date(now.getTime() - 31 * 60_000).toISOString();
  const old = { ...cd, status: { conditions: [{ ...capi, lastTransitionTime: since }] } } as ClusterDeployment;
  assert.equal(ready({ cd: old, capi }), 'False Failed Cluster is not ready. Check the provider logs for more details. no workers');
  assert.equal(ready({ capi: { ...capi, status: 'Unknown' } }), 'Unknown Progressing Cluster is not ready yet');
});

test('what was said of something that is not there any more is taken back', () => {
  const said = (report: Partial<CdReport>) => cdStatus({ ...all, ...report }).conditions?.map(one => one.type) ?? [];
  const inputs = { authentication: { status: 'False', message: 'no such thing' } as const };
  assert.ok(said({ inputs }).includes('ClusterAuthenticationReady'));
  assert.equal(ready({ inputs }), 'False Failed no such thing');
  const before = { ...cd, status: cdStatus({ ...all, inputs }) } as ClusterDeployment;
  assert.ok(!said({ cd: before }).includes('ClusterAuthenticationReady'));
});

test('a cluster to which there is no way yet is on its way', () => {
  assert.equal(ready({ cluster: undefined, unreached: 'nobody there' }), 'False Progressing Cluster does not answer: nobody there');
  const { cluster: _, ...without } = all;
  assert.equal(cdStatus({ ...without, k8sVersion: 'v1.33.0' }).k8sVersion, 'v1.33.0');
});
