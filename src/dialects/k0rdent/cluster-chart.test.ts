import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newObject } from '../../api/define-kind.ts';
import { chartValues, chartWork } from './cluster-chart.ts';
import { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { Credential } from './kinds/management.ts';
import { propagatedIdentity } from './propagated-identity.ts';

const deployment = (spec: object = {}, namespace = 'team') =>
  newObject(ClusterDeployment, { name: 'one', namespace, uid: 'u', labels: { tier: 'dev' } }, { template: 't', ...spec });
const identityRef = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSClusterStaticIdentity',
  name: 'aws',
  namespace: 'team',
};
const credential = newObject(Credential, { name: 'aws', namespace: 'team' }, { identityRef });

test('the chart of a cluster gets its config, the labels, the identity and what the hub says to all', () => {
  const cd = deployment({ config: { region: 'eu', global: { mine: 1 }, clusterIdentity: { name: 'other', extra: true } } });
  const values = chartValues({ cd, credential, global: { registry: 'r' }, inputs: { auth: { configWithAnon: true } } });
  assert.deepEqual(values, {
    region: 'eu',
    global: { mine: 1, registry: 'r' },
    clusterIdentity: { ...identityRef, extra: true },
    clusterLabels: { tier: 'dev' },
    auth: { configWithAnon: true },
  });
});

test('labels that the config gives are kept, and what is not there is not said', () => {
  const cd = deployment({ config: { clusterLabels: { of: 'me' } } });
  assert.deepEqual(chartValues({ cd, credential: undefined, global: {}, inputs: {} }), { clusterLabels: { of: 'me' } });
});

test('the release is called like the ClusterDeployment, on the hub itself', () => {
  const { metadata, spec } = chartWork({ cd: deployment(), digest: `sha256:${'0'.repeat(64)}`, values: {} });
  assert.deepEqual([metadata.namespace, metadata.name], ['local', 'cluster.team.one']);
  assert.deepEqual(spec.release, { name: 'one', namespace: 'team' });
  assert.equal(spec.options?.wait, false);
});

test('values may ask for the identity of the Credential, and for the Secret that belongs to it', () => {
  const ids = (cd: ClusterDeployment, given = credential) => propagatedIdentity(cd, given).templateResourceRefs.map(one => one.identifier);
  assert.deepEqual(ids(deployment()), ['InfrastructureProviderIdentity', 'InfrastructureProviderIdentitySecret']);
  assert.equal(propagatedIdentity(deployment(), credential).policyRefs[0]?.['name'], 'aws-resource-template');
  assert.deepEqual(ids(deployment({ propagateCredentials: false })), []);
  const secret = { ...credential, spec: { identityRef: { ...identityRef, kind: 'Secret', apiVersion: 'v1' } } };
  assert.deepEqual(ids(deployment(), secret), ['InfrastructureProviderIdentity']);
});

test('an identity of another namespace is for nobody but the system', () => {
  assert.deepEqual(propagatedIdentity(deployment({}, 'elsewhere'), credential).templateResourceRefs, []);
  assert.equal(propagatedIdentity(deployment({}, 'kcm-system'), credential).templateResourceRefs.length, 2);
});
