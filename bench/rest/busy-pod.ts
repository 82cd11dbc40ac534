/** A pod as clusters are full of: 5 kB of JSON, a third of it who wrote which field. */
export function busyPod(index: number) {
  const name = `shop-web-7c9f8d6b5-${index.toString(36).padStart(5, '0')}`;
  const uid = `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`;
  const time = '2026-11-17T08:00:00Z';
  const condition = (type: string) => ({ type, status: 'True', observedGeneration: 1, lastProbeTime: null, lastTransitionTime: time });
  const written = (manager: string, paths: readonly string[]) => ({
    manager,
    operation: 'Update',
    apiVersion: 'v1',
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: Object.fromEntries(paths.map(path => [`f:${path}`, { '.': {}, 'f:name': {}, 'f:value': {} }])),
  });
  return {
    metadata: {
      name,
      generateName: 'shop-web-7c9f8d6b5-',
      namespace: 'shop',
      uid,
      resourceVersion: String(100_000 + index),
      generation: 1,
      creationTimestamp: time,
      labels: { app: 'shop-web', 'app.kubernetes.io/instance': 'shop', 'pod-template-hash': '7c9f8d6b5' },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'shop-web-7c9f8d6b5', uid, controller: true, blockOwnerDeletion: true },
      ],
      managedFields: [
        written('kube-controller-manager', [
          'labels',
          'ownerReferences',
          'containers',
          'dnsPolicy',
          'restartPolicy',
          'volumes',
          'env',
          'ports',
        ]),
        written('kubelet', ['conditions', 'containerStatuses', 'hostIP', 'phase', 'podIP', 'podIPs', 'startTime', 'initialized', 'ready']),
      ],
    },
    spec: {
      volumes: [
        {
          name: 'kube-api-access',
          projected: {
            sources: [
              { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
              { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            ],
            defaultMode: 420,
          },
        },
      ],
      containers: ['web', 'proxy'].map(container => ({
        name: container,
        image: `shop/${container}:1.27.3`,
        env: ['PORT', 'LOG_LEVEL', 'DATABASE_URL'].map(variable => ({ name: variable, value: `value of ${variable}` })),
        ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
        resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
        volumeMounts: [{ name: 'kube-api-access', readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }],
        readinessProbe: { httpGet: { path: '/', port: 'http', scheme: 'HTTP' }, timeoutSeconds: 1, periodSeconds: 10, failureThreshold: 3 },
        terminationMessagePath: '/dev/termination-log',
        imagePullPolicy: 'IfNotPresent',
      })),
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'default',
      nodeName: `node-${index % 10}`,
      schedulerName: 'default-scheduler',
      tolerations: ['not-ready', 'unreachable'].map(what => ({
        key: `node.kubernetes.io/${what}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
    },
    status: {
      phase: 'Running',
      conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(condition),
      hostIP: '10.0.0.1',
      podIP: '10.1.0.1',
      podIPs: [{ ip: '10.1.0.1' }],
      startTime: time,
      containerStatuses: ['web', 'proxy'].map(container => ({
        name: container,
        state: { running: { startedAt: time } },
        ready: true,
        restartCount: 0,
        image: `shop/${container}:1.27.3`,
        imageID: `shop/${container}@sha256:${'0'.repeat(64)}`,
        containerID: `containerd://${'0'.repeat(64)}`,
        started: true,
      })),
      qosClass: 'Burstable',
    },
  };
}
