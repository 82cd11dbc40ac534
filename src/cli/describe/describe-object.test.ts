import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeObject } from './describe-object.ts';
import { labelFor } from './label-for.ts';

const now = new Date('2026-01-01T00:10:00Z');

test('an object of any kind is told as kubectl tells it, with what happened to it', () => {
  const object = {
    apiVersion: 'example.io/v1',
    kind: 'Shop',
    metadata: {
      name: 'east',
      namespace: 'shops',
      generation: 2,
      uid: 'u-1',
      labels: { tier: 'one', env: 'prod' },
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', note: 'two\nlines', short: 'yes' },
      managedFields: [{ manager: 'x' }],
    },
    spec: { hostURL: 'https://a', ports: [80, 443], rules: [{ path: '/', isOpen: true }], nothing: null },
  };
  const event = {
    type: 'Warning',
    reason: 'Closed',
    message: 'No bread ',
    count: 3,
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:09:00Z',
    source: { component: 'baker' },
  };
  assert.equal(
    describeObject({ object, cluster: 'hub\u001b[2J', events: [event] }, now),
    `Name:         east
Namespace:    shops
Cluster:      hub\\u001b[2J
Labels:       env=prod
              tier=one
Annotations:  note:
                two
                lines
              short: yes
API Version:  example.io/v1
Kind:         Shop
Metadata:
  Generation:  2
  UID:         u-1
Spec:
  Host URL:  https://a
  Nothing:   <nil>
  Ports:
    80
    443
  Rules:
    Is Open:  true
    Path:     /
Events:
  Type     Reason  Age                From   Message
  ----     ------  ----               ----   -------
  Warning  Closed  60s (x3 over 10m)  baker  No bread
`,
  );
});

test('what is not there is said', () => {
  assert.equal(
    describeObject({ object: { apiVersion: 'v1', kind: 'A', metadata: { name: 'a' } }, events: [] }, now),
    'Name:         a\nNamespace:    \nLabels:       <none>\nAnnotations:  <none>\nAPI Version:  v1\nKind:         A\nMetadata:\nEvents:  <none>\n',
  );
});

test('names of fields are words', () => {
  const labels = {
    observedGeneration: 'Observed Generation',
    apiVersion: 'API Version',
    podCIDRs: 'Pod CID Rs',
    'a.b/c': 'a.b/c',
    ID: 'ID',
    uid: 'UID',
  };
  for (const [field, label] of Object.entries(labels)) assert.equal(labelFor(field), label);
});
