import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../api/object.ts';
import { builtinConversion } from './conversions.ts';

const convert = (obj: KubeObject, to: string): KubeObject => {
  const conversion = builtinConversion(obj.apiVersion, to, obj.kind);
  assert.ok(conversion);
  return conversion(obj);
};

const coreEvent: KubeObject = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'a', namespace: 'ns' },
  involvedObject: { kind: 'Pod', name: 'p' },
  reason: 'Started',
  message: 'hello',
  source: { component: 'kubelet' },
  firstTimestamp: '2026-01-01T00:00:00Z',
  lastTimestamp: null,
  count: 3,
  type: 'Normal',
  eventTime: null,
  reportingComponent: '',
  reportingInstance: '',
};

test('an event of the core has other names in events.k8s.io', () => {
  assert.deepEqual(convert(coreEvent, 'events.k8s.io/v1'), {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'a', namespace: 'ns' },
    regarding: { kind: 'Pod', name: 'p' },
    reason: 'Started',
    note: 'hello',
    deprecatedSource: { component: 'kubelet' },
    deprecatedFirstTimestamp: '2026-01-01T00:00:00Z',
    deprecatedLastTimestamp: null,
    deprecatedCount: 3,
    type: 'Normal',
    eventTime: null,
  });
});

test('an event survives both ways', () => assert.deepEqual(convert(convert(coreEvent, 'events.k8s.io/v1'), 'v1'), coreEvent));

const scaler: KubeObject = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'h', namespace: 'ns', annotations: { keep: 'me' } },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
    minReplicas: 1,
    maxReplicas: 3,
    metrics: [
      { type: 'Pods', pods: { metric: { name: 'qps' }, target: { type: 'AverageValue', averageValue: '10' } } },
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
    ],
    behavior: { scaleDown: { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 10, periodSeconds: 60 }] } },
  },
  status: { desiredReplicas: 0, currentMetrics: null },
};

test('v1 shows the processor and carries the rest', () => {
  const v1 = convert(scaler, 'autoscaling/v1');
  assert.deepEqual(v1, {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata: {
      name: 'h',
      namespace: 'ns',
      annotations: {
        keep: 'me',
        'autoscaling.alpha.kubernetes.io/metrics': '[{"type":"Pods","pods":{"metricName":"qps","targetAverageValue":"10"}}]',
        'autoscaling.alpha.kubernetes.io/behavior':
          '{"ScaleUp":null,"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Max","Policies":[{"Type":"Percent","Value":10,"PeriodSeconds":60}],"Tolerance":null}}',
      },
    },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      minReplicas: 1,
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 50,
    },
    status: { currentReplicas: 0, desiredReplicas: 0 },
  });
});

test('an autoscaler survives both ways', () => assert.deepEqual(convert(convert(scaler, 'autoscaling/v1'), 'autoscaling/v2'), scaler));
