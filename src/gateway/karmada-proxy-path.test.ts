import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutKarmadaProxy } from './karmada-proxy-path.ts';

const clusters = '/apis/cluster.karmada.io/v1alpha1/clusters';

const cases: [url: string, becomes: string][] = [
  [`${clusters}/east/proxy/api/v1/pods?limit=1`, '/k8s/clusters/east/api/v1/pods?limit=1'],
  [`${clusters}/east/proxy`, '/k8s/clusters/east'],
  [`${clusters}/east/proxy/`, '/k8s/clusters/east/'],
  [`${clusters}/east/proxying`, `${clusters}/east/proxying`],
  [`${clusters}/east`, `${clusters}/east`],
  [`${clusters}?x=/east/proxy/`, `${clusters}?x=/east/proxy/`],
  [`/x${clusters}/east/proxy/`, `/x${clusters}/east/proxy/`],
];

for (const [url, becomes] of cases) test(`${url} leads to ${becomes}`, () => assert.equal(withoutKarmadaProxy(url), becomes));
