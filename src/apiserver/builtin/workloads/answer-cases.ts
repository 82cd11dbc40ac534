/** Requests whose answers by a real server are kept in recorded-answers.json (scripts/record-workload-answers.ts makes it). */
export interface AnswerCase {
  readonly name: string;
  readonly kind: string;
  readonly spec: unknown;
  readonly metadata?: Record<string, unknown>;
  /** A merge patch on what the server stored; its answer is recorded instead of the answer to the create. */
  readonly update?: unknown;
  /** Written to this subresource instead. */
  readonly subresource?: 'status' | 'ephemeralcontainers' | 'resize';
}

const container = { name: 'c', image: 'nginx' };
const labels = { app: 'web' };
const podSpec = (extra: object = {}) => ({ containers: [container], ...extra });
const withContainer = (extra: object) => ({ containers: [{ ...container, ...extra }] });
const template = (extra: object = {}) => ({ metadata: { labels }, spec: podSpec(extra) });
const apps = (extra: object = {}) => ({ selector: { matchLabels: labels }, template: template(), ...extra });
const job = (extra: object = {}) => ({ template: { spec: podSpec({ restartPolicy: 'Never' }) }, ...extra });
const cron = (extra: object = {}) => ({ schedule: '*/5 * * * *', jobTemplate: { spec: job() }, ...extra });

const pod = (name: string, spec: unknown, more: Partial<AnswerCase> = {}): AnswerCase => ({ name, kind: 'Pod', spec, ...more });
const pods = (specs: Record<string, unknown>) => Object.entries(specs).map(([name, spec]) => pod(name, spec));
const of = (kind: string, specs: Record<string, unknown>): AnswerCase[] =>
  Object.entries(specs).map(([name, spec]) => ({ name: `${kind}: ${name}`, kind, spec }));
const updates = (kind: string, spec: unknown, patches: Record<string, unknown>): AnswerCase[] =>
  Object.entries(patches).map(([name, update]) => ({ name: `${kind} update: ${name}`, kind, spec, update }));

const bigPod = {
  serviceAccountName: 'x',
  containers: [
    {
      ...container,
      args: ['sh', '-c', 'a && b < c'],
      env: [
        { name: 'A', value: 'b' },
        { name: 'N', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      ],
      ports: [{ containerPort: 80, name: 'http' }],
      resources: { limits: { cpu: '500m', memory: '1Gi' }, requests: { cpu: '250m' } },
      livenessProbe: { httpGet: { port: 'http' } },
      readinessProbe: { grpc: { port: 9 } },
      volumeMounts: [{ name: 'v', mountPath: '/v' }],
      securityContext: { runAsUser: 5 },
    },
    { name: 'side', image: 'busybox:1.36' },
  ],
  initContainers: [{ name: 'init', image: 'busybox@sha256:0000000000000000000000000000000000000000000000000000000000000000' }],
  volumes: [
    { name: 'v', emptyDir: {} },
    { name: 's', secret: { secretName: 'x' } },
    {
      name: 'p',
      projected: {
        sources: [
          { serviceAccountToken: { path: 't' } },
          { downwardAPI: { items: [{ path: 'n', fieldRef: { fieldPath: 'metadata.name' } }] } },
        ],
      },
    },
    { name: 'h', hostPath: { path: '/x' } },
    {
      name: 'e',
      ephemeral: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1500m' } } } } },
    },
  ],
  tolerations: [{ key: 'a', operator: 'Exists' }],
  affinity: {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 1, podAffinityTerm: { topologyKey: 'x', labelSelector: { matchLabels: labels } } },
      ],
    },
  },
};

export const answerCases: readonly AnswerCase[] = [
  ...pods({
    minimal: podSpec(),
    'many features': bigPod,
    'guaranteed qos': withContainer({ resources: { limits: { cpu: '1', memory: '1Gi' } } }),
    'no containers': { containers: [] },
    'bad names': {
      containers: [
        { name: 'A_b', image: 'x' },
        { name: '', image: '' },
        { name: 'A_b', image: ' x ' },
      ],
    },
    'bad ports': withContainer({
      ports: [
        { containerPort: 0 },
        { containerPort: 70000, name: 'TOO-long-port-name-x' },
        { containerPort: 1, name: 'a', protocol: 'X', hostPort: 99999 },
        { containerPort: 2, name: 'a', hostPort: 5 },
        { containerPort: 3, hostPort: 5 },
      ],
    }),
    'bad env': withContainer({
      env: [
        { name: '' },
        { name: 'a=b' },
        { name: 'X', valueFrom: {} },
        { name: 'Y', value: 'v', valueFrom: { fieldRef: { fieldPath: 'spec.foo' } } },
        { name: 'Z', valueFrom: { fieldRef: { fieldPath: "metadata.labels['A B']" } } },
        { name: 'W', valueFrom: { fieldRef: { fieldPath: 'metadata.labels' } } },
        { name: 'V', valueFrom: { resourceFieldRef: { resource: 'limits.foo', divisor: '3' } } },
        { name: 'U', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '3' } } },
        { name: 'T', valueFrom: { secretKeyRef: { name: 'A', key: '' }, configMapKeyRef: { name: 'x', key: 'a b' } } },
      ],
      envFrom: [{}, { prefix: '=', configMapRef: { name: '' } }, { secretRef: { name: 'A_' }, configMapRef: { name: 'a' } }],
    }),
    'file key ref': {
      containers: [{ ...container, env: [{ name: 'A', valueFrom: { fileKeyRef: { key: 'k', path: '../x', volumeName: 'nope' } } }] }],
    },
    'bad mounts': {
      containers: [
        {
          ...container,
          volumeMounts: [
            { name: 'nope', mountPath: '/a' },
            { name: 'v', mountPath: '' },
            {
              name: 'v',
              mountPath: '/a',
              subPath: '/x',
              subPathExpr: '../y',
              mountPropagation: 'Bidirectional',
              recursiveReadOnly: 'Enabled',
            },
            { name: 'v', mountPath: '/dev', mountPropagation: 'X', recursiveReadOnly: 'Y' },
          ],
          volumeDevices: [
            { name: 'v', devicePath: '/dev' },
            { name: '', devicePath: '' },
          ],
        },
      ],
      volumes: [{ name: 'v', emptyDir: {} }],
    },
    'bad volumes': podSpec({
      volumes: [
        { name: 'A', emptyDir: { sizeLimit: '-1' } },
        { name: 'b', emptyDir: {}, secret: { secretName: 'x' } },
        { name: 'b', secret: { secretName: '', defaultMode: 1000, items: [{ key: '', path: '../x', mode: 600 }] } },
        { name: 'c', configMap: { name: '', items: [{ key: 'a', path: '..x' }] } },
        { name: 'd', hostPath: { path: '/../x', type: 'Nope' } },
        { name: 'e', nfs: { server: '', path: 'x' } },
        { name: 'f', persistentVolumeClaim: { claimName: '' } },
        { name: 'g', csi: { driver: 'A_B', nodePublishSecretRef: { name: '' } } },
        { name: 'h', ephemeral: {} },
        { name: 'i', image: { reference: '' } },
        {
          name: 'j',
          projected: {
            sources: [
              { serviceAccountToken: { path: '', expirationSeconds: 5 } },
              { secret: { name: '', items: [{ key: 'k', path: 'p' }] }, configMap: { name: 'c', items: [{ key: 'k', path: 'p' }] } },
            ],
          },
        },
        { name: 'k', downwardAPI: { items: [{ path: '', resourceFieldRef: { resource: 'limits.cpu' } }, { path: 'x' }] } },
      ],
    }),
    'legacy volumes': podSpec({
      volumes: [
        { name: 'a', awsElasticBlockStore: { volumeID: '', partition: 300 } },
        { name: 'b', gcePersistentDisk: { pdName: '', partition: -1 } },
        { name: 'c', iscsi: { targetPortal: '', iqn: 'x', lun: 300, chapAuthSession: true } },
        { name: 'd', glusterfs: { endpoints: '', path: '' } },
        { name: 'e', rbd: { monitors: [], image: '' } },
        { name: 'f', azureDisk: { diskName: '', diskURI: '', cachingMode: 'X' } },
        { name: 'g', fc: {} },
        { name: 'h', flexVolume: { driver: '', options: { 'kubernetes.io/x': 'y' } } },
        { name: 'i', scaleIO: { gateway: '', system: '', secretRef: { name: 'x' } } },
        { name: 'j', storageos: {} },
        { name: 'k', flocker: {} },
        { name: 'l', quobyte: { registry: 'x', volume: '' } },
        { name: 'm', cephfs: { monitors: [] } },
        { name: 'n', cinder: { volumeID: '' } },
        { name: 'o', photonPersistentDisk: { pdID: '' } },
        { name: 'p', gitRepo: { repository: '', directory: '..' } },
      ],
    }),
    'claims of ephemeral volumes': podSpec({
      volumes: [
        {
          name: 'e',
          ephemeral: {
            volumeClaimTemplate: {
              metadata: { name: 'x', labels: { 'a b': 'c' } },
              spec: {
                accessModes: ['X', 'ReadWriteOncePod', 'ReadWriteOnce'],
                resources: { requests: { storage: '0' } },
                volumeMode: 'X',
                dataSource: { kind: 'Foo', name: '' },
                storageClassName: 'A B',
              },
            },
          },
        },
      ],
    }),
    'bad resources': withContainer({
      resources: {
        limits: { cpu: '1', memory: '-1', foo: '1', 'example.com/gpu': '1500m', 'hugepages-2Mi': '3Mi', 'a b': '1' },
        requests: { cpu: '2', 'example.com/gpu': '1', 'example.com/other': '1' },
      },
    }),
    'hugepages alone': withContainer({ resources: { limits: { 'hugepages-2Mi': '4Mi' } } }),
    'resource claims': {
      ...withContainer({ resources: { claims: [{ name: 'x' }, { name: '' }] } }),
      resourceClaims: [{ name: 'a' }, { name: 'a', resourceClaimName: 'b', resourceClaimTemplateName: 'C_' }],
    },
    'pod level resources': {
      ...withContainer({ resources: { requests: { cpu: '2' }, limits: { cpu: '4' } } }),
      resources: { limits: { cpu: '3', 'ephemeral-storage': '1' }, requests: { cpu: '1' } },
    },
    'pod level defaults': {
      ...withContainer({ resources: { requests: { cpu: '1' } } }),
      resources: { limits: { cpu: '3', memory: '1Gi' } },
    },
    'bad probes': withContainer({
      livenessProbe: { successThreshold: 2, periodSeconds: -1 },
      readinessProbe: { exec: { command: [] }, tcpSocket: { port: 0 }, terminationGracePeriodSeconds: 3 },
      startupProbe: {
        httpGet: { port: 'A b', scheme: 'FTP', httpHeaders: [{ name: 'a b', value: '' }] },
        terminationGracePeriodSeconds: 0,
      },
      lifecycle: { preStop: { sleep: { seconds: 99 } }, postStart: {}, stopSignal: 'SIGFOO' },
    }),
    'bad security': {
      ...withContainer({
        securityContext: {
          runAsUser: -1,
          procMount: 'Unmasked',
          seccompProfile: { type: 'Unconfined', localhostProfile: 'x' },
          allowPrivilegeEscalation: false,
          privileged: true,
          capabilities: { add: ['CAP_SYS_ADMIN'] },
          appArmorProfile: { type: 'Localhost' },
          windowsOptions: { runAsUserName: 'a\\b\\c' },
        },
      }),
      securityContext: {
        fsGroup: -5,
        supplementalGroups: [-1],
        sysctls: [
          { name: 'A', value: '1' },
          { name: 'net.x', value: '1' },
          { name: 'net.x', value: '1' },
        ],
        fsGroupChangePolicy: 'X',
        seccompProfile: { type: 'Localhost' },
        seLinuxChangePolicy: 'MountOption',
        supplementalGroupsPolicy: 'X',
      },
      hostNetwork: true,
      hostPID: true,
      shareProcessNamespace: true,
    },
    'host users': podSpec({ hostUsers: false, hostNetwork: true, hostPID: true, hostIPC: true }),
    windows: {
      os: { name: 'windows' },
      ...withContainer({ securityContext: { privileged: true, runAsUser: 1 } }),
      securityContext: { fsGroup: 1, runAsUser: 2 },
      hostPID: true,
    },
    linux: podSpec({ os: { name: 'linux' }, securityContext: { windowsOptions: {} } }),
    'odd os': podSpec({ os: { name: 'plan9' } }),
    'host process': podSpec({ securityContext: { windowsOptions: { hostProcess: true } } }),
    'bad policies': podSpec({
      restartPolicy: 'X',
      dnsPolicy: 'Y',
      preemptionPolicy: 'Z',
      activeDeadlineSeconds: 0,
      terminationGracePeriodSeconds: -1,
      nodeName: 'A B',
      hostname: 'A.b',
      subdomain: 'a.b',
      serviceAccountName: 'A',
      priorityClassName: 'A',
      runtimeClassName: 'A',
      schedulerName: 'x',
    }),
    'hostname override': podSpec({ hostnameOverride: 'A'.repeat(65), setHostnameAsFQDN: true }),
    dns: podSpec({
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['1.2.3.4', 'x', '010.0.0.1', '::ffff:1.2.3.4'], searches: ['a b', '.', 'x_y.'], options: [{ name: '' }] },
    }),
    'dns none without config': podSpec({ dnsPolicy: 'None' }),
    'host aliases': podSpec({ hostAliases: [{ ip: 'x', hostnames: ['A B'] }, { ip: '1.1.1.1' }, { ip: '1.1.1.1' }] }),
    'node affinity': podSpec({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchExpressions: [
                  { key: 'a b', operator: 'In' },
                  { key: 'a', operator: 'Exists', values: ['x y'] },
                  { key: 'a', operator: 'Gt', values: [] },
                  { key: 'a', operator: 'Foo' },
                ],
                matchFields: [
                  { key: 'x', operator: 'In', values: ['a', 'b'] },
                  { key: 'metadata.name', operator: 'Gt', values: ['A'] },
                ],
              },
            ],
          },
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 0, preference: { matchExpressions: [{ key: 'beta.kubernetes.io/os', operator: 'In', values: ['x y'] }] } },
          ],
        },
      },
    }),
    'empty node affinity': podSpec({
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
    }),
    'pod affinity': podSpec({
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            {
              topologyKey: '',
              namespaces: ['A'],
              matchLabelKeys: ['x'],
              labelSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] },
            },
          ],
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 200, podAffinityTerm: { topologyKey: 'x', matchLabelKeys: ['a'], mismatchLabelKeys: ['a'] } },
          ],
        },
      },
    }),
    spread: podSpec({
      topologySpreadConstraints: [
        { maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'X', minDomains: 0, nodeAffinityPolicy: 'Y' },
        { maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'ScheduleAnyway', minDomains: 2, matchLabelKeys: ['x'] },
        { maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: { matchLabels: { x: 'y z' } } },
      ],
    }),
    'spread keys': podSpec({
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'zone',
          whenUnsatisfiable: 'DoNotSchedule',
          matchLabelKeys: ['app'],
          labelSelector: { matchLabels: { a: 'b' } },
        },
      ],
    }),
    tolerations: podSpec({
      tolerations: [
        { operator: 'Equal' },
        { key: 'a b', operator: 'Exists', value: 'x' },
        { key: 'a', value: 'x y', effect: 'Foo' },
        { key: 'a', operator: 'Lt', value: '1' },
        { key: 'a', operator: 'Foo', tolerationSeconds: 5 },
      ],
    }),
    gates: podSpec({
      nodeName: 'n',
      schedulingGates: [{ name: 'a' }, { name: 'a' }, { name: 'a b' }],
      readinessGates: [{ conditionType: 'a b' }],
    }),
    gated: podSpec({ schedulingGates: [{ name: 'example.com/a' }] }),
    'init containers': podSpec({
      initContainers: [
        { name: 'c', image: 'x', lifecycle: { preStop: { exec: { command: ['a'] } } }, readinessProbe: { exec: { command: ['a'] } } },
        { name: 'i', image: 'x', restartPolicy: 'Foo' },
        { name: 's', image: 'x', restartPolicy: 'Always', startupProbe: { exec: { command: ['a'] } } },
        { name: 'r', image: 'x', resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] },
        { name: 'q', image: 'x', restartPolicyRules: [{ action: 'Restart' }] },
      ],
    }),
    'restart rules': withContainer({
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'Foo', exitCodes: { operator: 'X', values: [1] } }, { action: 'Restart' }],
      resizePolicy: [
        { resourceName: 'foo', restartPolicy: 'bar' },
        { resourceName: 'cpu', restartPolicy: 'NotRequired' },
        { resourceName: 'cpu', restartPolicy: 'NotRequired' },
      ],
    }),
    'ephemeral on create': podSpec({
      ephemeralContainers: [{ name: 'e', image: 'x', targetContainerName: 'nope', ports: [{ containerPort: 1 }] }],
    }),
    'host network ports': {
      hostNetwork: true,
      containers: [{ ...container, ports: [{ containerPort: 80 }, { containerPort: 81, hostPort: 82 }] }],
    },
    'token without account': podSpec({
      volumes: [
        { name: 'p', projected: { sources: [{ serviceAccountToken: { path: 't' } }, { clusterTrustBundle: { path: 'x', name: 'y' } }] } },
      ],
    }),
    warnings: {
      nodeSelector: { 'beta.kubernetes.io/os': 'linux' },
      imagePullSecrets: [{ name: 'a' }, { name: 'a' }, {}],
      containers: [
        {
          ...container,
          env: [
            { name: 'A', value: '1' },
            { name: 'A', value: '2' },
            { name: 'A', value: 'x$(A)' },
          ],
          ports: [
            { containerPort: 80, name: 'p' },
            { containerPort: 80, hostPort: 80 },
            { containerPort: 81, hostIP: '1.2.3.4' },
          ],
          resources: { requests: { memory: '1500m' } },
        },
        { name: 'd', image: 'x', ports: [{ containerPort: 80, name: 'p' }] },
      ],
      terminationGracePeriodSeconds: -3,
      volumes: [
        {
          name: 'c',
          configMap: {
            name: 'x',
            items: [
              { key: 'a', path: 'a' },
              { key: 'b', path: 'a/b' },
            ],
          },
        },
        { name: 'g', gitRepo: { repository: 'x' } },
      ],
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'failure-domain.beta.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
      ],
    },
  }),
  pod('annotations', podSpec(), {
    metadata: {
      annotations: {
        'kubernetes.io/config.mirror': 'x',
        'controller.kubernetes.io/pod-deletion-cost': 'a',
        'container.apparmor.security.beta.kubernetes.io/nope': 'foo',
        'seccomp.security.alpha.kubernetes.io/pod': 'bar',
        'scheduler.alpha.kubernetes.io/critical-pod': '',
      },
    },
  }),
  pod('apparmor annotation', podSpec(), {
    metadata: { annotations: { 'container.apparmor.security.beta.kubernetes.io/c': 'localhost/foo' } },
  }),
  pod(
    'label keys',
    podSpec({
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'x', matchLabelKeys: ['app'], mismatchLabelKeys: ['tier'], labelSelector: {} },
          ],
        },
      },
    }),
    { metadata: { labels: { app: 'a', tier: 'b' } } },
  ),
  pod('dotted name', podSpec(), { metadata: { name: 'a.b' } }),
  ...updates('Pod', bigPod, {
    image: { spec: { containers: [{ ...bigPod.containers[0], image: 'nginx:2' }, bigPod.containers[1]] } },
    'restart policy': { spec: { restartPolicy: 'Never' } },
    'node name': { spec: { nodeName: 'n' } },
    env: { spec: { containers: [{ ...bigPod.containers[0], env: [{ name: 'B', value: 'c' }] }, bigPod.containers[1]] } },
    'fewer containers': { spec: { containers: [bigPod.containers[0]] } },
    deadline: { spec: { activeDeadlineSeconds: 10 } },
    tolerations: { spec: { tolerations: [{ key: 'b', operator: 'Exists' }] } },
    'more tolerations': {
      spec: {
        tolerations: [
          { key: 'a', operator: 'Exists' },
          { key: 'b', operator: 'Exists' },
        ],
      },
    },
    gates: { spec: { schedulingGates: [{ name: 'a' }] } },
    volumes: { spec: { volumes: null } },
    grace: { spec: { terminationGracePeriodSeconds: 5 } },
    'host network': { spec: { hostNetwork: true } },
    labels: { metadata: { labels: { a: 'b' } } },
    mirror: { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } },
  }),
  ...updates('Pod', podSpec({ schedulingGates: [{ name: 'a' }], nodeSelector: { a: 'b' } }), {
    'gated selector added': { spec: { nodeSelector: { c: 'd' } } },
    'gated selector changed': { spec: { nodeSelector: { a: 'x' } } },
    'gated affinity': {
      spec: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }],
            },
          },
        },
      },
    },
    ungated: { spec: { schedulingGates: [] } },
  }),
  ...[
    {
      name: 'status: phase and ips',
      update: {
        status: {
          phase: 'Running',
          podIP: '10.0.0.1',
          hostIP: '1.1.1.1',
          hostIPs: [{ ip: '1.1.1.2' }],
          conditions: [
            { type: 'Ready', status: 'True' },
            { type: 'a b', status: 'True' },
          ],
        },
      },
    },
    { name: 'status: two ips of a family', update: { status: { podIPs: [{ ip: '1.1.1.1' }, { ip: '1.1.1.2' }] } } },
    {
      name: 'status: bad ip and qos',
      update: { status: { qosClass: 'Guaranteed', podIP: 'x', nominatedNodeName: 'A', observedGeneration: -1 } },
    },
    {
      name: 'status: running',
      update: {
        status: {
          phase: 'Running',
          containerStatuses: [{ name: 'c', image: 'x', imageID: 'x', ready: true, restartCount: 0, state: { running: {} } }],
        },
      },
    },
  ].map(c => pod(c.name, podSpec(), { update: c.update, subresource: 'status' })),
  pod('ephemeral container added', podSpec(), {
    update: {
      spec: {
        ephemeralContainers: [{ name: 'e', image: 'busybox', targetContainerName: 'c' }],
        containers: [{ name: 'c', image: 'other' }],
      },
    },
    subresource: 'ephemeralcontainers',
  }),
  pod('ephemeral container refused', podSpec(), {
    update: {
      spec: {
        ephemeralContainers: [
          { name: 'c', image: '', targetContainerName: 'nope', ports: [{ containerPort: 1 }], resources: { limits: { cpu: '1' } } },
        ],
      },
    },
    subresource: 'ephemeralcontainers',
  }),
  pod('resize', withContainer({ resources: { requests: { cpu: '1' } } }), {
    update: { spec: { containers: [{ ...container, image: 'ignored', resources: { requests: { cpu: '2' } } }] } },
    subresource: 'resize',
  }),
  pod('resize to other class', withContainer({ resources: { requests: { cpu: '1' } } }), {
    update: { spec: { containers: [{ ...container, resources: null }] } },
    subresource: 'resize',
  }),
  pod('resize of storage', withContainer({ resources: { requests: { cpu: '1' } } }), {
    update: { spec: { containers: [{ ...container, resources: { requests: { cpu: '1', 'ephemeral-storage': '1Gi' } } }] } },
    subresource: 'resize',
  }),
  pod('resize renames', podSpec(), { update: { spec: { containers: [{ name: 'other', image: 'nginx' }] } }, subresource: 'resize' }),

  ...of('Deployment', {
    minimal: apps(),
    'no selector': { template: template() },
    'empty selector': apps({ selector: {} }),
    'bad selector': apps({
      selector: {
        matchExpressions: [
          { key: 'a', operator: 'In' },
          { key: 'b', operator: 'X' },
        ],
      },
    }),
    mismatch: apps({ selector: { matchLabels: { app: 'other' } } }),
    'bad numbers': apps({ replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1, progressDeadlineSeconds: -1 }),
    'deadline below ready': apps({ minReadySeconds: 700 }),
    'odd strategy': apps({ strategy: { type: 'Foo' } }),
    'recreate with rolling update': apps({ strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } }),
    'zero rolling': apps({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } } }),
    'bad rolling': apps({ strategy: { rollingUpdate: { maxSurge: 'a', maxUnavailable: '200%' } } }),
    'bad template': apps({
      template: {
        metadata: { labels: { app: 'web', 'a b': 'c d' } },
        spec: { containers: [], restartPolicy: 'Never', activeDeadlineSeconds: 4 },
      },
    }),
    'ephemeral in template': apps({
      template: { metadata: { labels }, spec: podSpec({ ephemeralContainers: [{ name: 'e', image: 'x' }] }) },
    }),
  }),
  ...updates('Deployment', apps(), {
    selector: { spec: { selector: { matchLabels: { tier: 'x' } } } },
    'selector replaced': {
      spec: { selector: { matchLabels: { app: null, tier: 'x' } }, template: { metadata: { labels: { tier: 'x' } } } },
    },
    replicas: { spec: { replicas: 5 } },
    'bad image': { spec: { template: { spec: { containers: [{ name: 'c', image: '' }] } } } },
  }),
  {
    name: 'Deployment status',
    kind: 'Deployment',
    spec: apps(),
    update: { status: { replicas: 1, readyReplicas: 2, availableReplicas: 3, updatedReplicas: -1 } },
    subresource: 'status',
  },
  ...of('ReplicaSet', {
    minimal: apps(),
    'no selector': { template: template() },
    'bad numbers': apps({ replicas: -1, minReadySeconds: -1 }),
  }),
  ...updates('ReplicaSet', apps(), { selector: { spec: { selector: { matchLabels: { tier: 'x' } } } } }),
  {
    name: 'ReplicaSet status',
    kind: 'ReplicaSet',
    spec: apps(),
    update: { status: { replicas: 1, fullyLabeledReplicas: 2, availableReplicas: 3 } },
    subresource: 'status',
  },
  ...of('StatefulSet', {
    minimal: apps({ serviceName: 's' }),
    'with claims': apps({
      serviceName: 's',
      volumeClaimTemplates: [
        { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
      ],
      template: {
        metadata: { labels },
        spec: { hostname: 'x', containers: [{ ...container, volumeMounts: [{ name: 'data', mountPath: '/d' }] }] },
      },
    }),
    'bad claims': apps({ serviceName: 's', volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: {} }] }),
    'bad fields': apps({
      serviceName: 'A b',
      podManagementPolicy: 'X',
      updateStrategy: { type: 'Y' },
      ordinals: { start: -1 },
      replicas: -2,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Z' },
      revisionHistoryLimit: -1,
    }),
    'on delete with rolling': apps({ updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 2 } } }),
    'negative partition': apps({ updateStrategy: { rollingUpdate: { partition: -1, maxUnavailable: 5 } } }),
    'no selector': { serviceName: 's', template: template() },
    'empty selector': apps({ selector: {} }),
  }),
  { name: 'StatefulSet: long name', kind: 'StatefulSet', spec: apps(), metadata: { name: 'a.b' } },
  ...updates('StatefulSet', apps({ serviceName: 's' }), {
    'service name': { spec: { serviceName: 't' } },
    replicas: { spec: { replicas: 3 } },
    claims: {
      spec: {
        volumeClaimTemplates: [
          { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
        ],
      },
    },
  }),
  {
    name: 'StatefulSet status',
    kind: 'StatefulSet',
    spec: apps(),
    update: { status: { replicas: 1, currentReplicas: 2, availableReplicas: 1 } },
    subresource: 'status',
  },
  ...of('DaemonSet', {
    minimal: apps(),
    'no selector': { template: template() },
    'odd strategy': apps({ updateStrategy: { type: 'Foo' } }),
    'surge and unavailable': apps({ updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } }),
    'neither surge nor unavailable': apps({ updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } }),
    'bad template': apps({ template: { metadata: { labels: { a: 'b' } }, spec: podSpec({ restartPolicy: 'Never' }) } }),
  }),
  ...updates('DaemonSet', apps(), {
    selector: { spec: { selector: { matchLabels: { x: 'y' } } } },
    image: { spec: { template: { spec: { containers: [{ name: 'c', image: 'x' }] } } } },
  }),
  ...of('ReplicationController', {
    minimal: { template: template() },
    'no template': { selector: { a: 'b' } },
    mismatch: { selector: { a: 'b' }, template: template({ restartPolicy: 'Never', activeDeadlineSeconds: 3 }) },
  }),
  ...of('Job', {
    minimal: job(),
    'always restarts': { template: { spec: podSpec() } },
    'odd restart policy': { template: { spec: podSpec({ restartPolicy: 'X' }) } },
    'own selector': job({ selector: { matchLabels: { a: 'b' } } }),
    'manual selector': job({
      manualSelector: true,
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: podSpec({ restartPolicy: 'Never' }) },
    }),
    'bad numbers': job({ parallelism: -1, completions: -1, backoffLimit: -1, activeDeadlineSeconds: -1, ttlSecondsAfterFinished: -1 }),
    indexed: job({ completionMode: 'Indexed', completions: 3, backoffLimitPerIndex: 1 }),
    'indexed without completions': job({ completionMode: 'Indexed', parallelism: 200000 }),
    'odd mode': job({ completionMode: 'X' }),
    'index limits without index': job({ backoffLimitPerIndex: 1, maxFailedIndexes: 2 }),
    'failure policy': job({
      podFailurePolicy: {
        rules: [
          { action: 'FailJob', onExitCodes: { operator: 'In', values: [1, 2] } },
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
        ],
      },
    }),
    'bad failure policy': job({
      podFailurePolicy: {
        rules: [
          { action: '', onExitCodes: { operator: 'X', values: [0, 3, 2, 2], containerName: 'nope' } },
          { action: 'X', onPodConditions: [{ type: 'a b', status: 'Y' }], onExitCodes: { operator: 'In', values: [0] } },
          { action: 'FailIndex' },
          { action: 'Count', onExitCodes: { operator: '' } },
        ],
      },
      podReplacementPolicy: 'TerminatingOrFailed',
    }),
    'success policy': job({
      completionMode: 'Indexed',
      completions: 5,
      successPolicy: {
        rules: [
          { succeededIndexes: '0,2-3', succeededCount: 9 },
          { succeededIndexes: '3,1' },
          {},
          { succeededIndexes: 'a' },
          { succeededIndexes: '9' },
        ],
      },
    }),
    'success policy without index': job({ successPolicy: { rules: [{ succeededCount: 1 }] } }),
    'managed by': job({ managedBy: 'foo' }),
    'managed by host': job({ managedBy: 'A_b/c d' }),
  }),
  ...updates('Job', job(), {
    template: { spec: { template: { spec: { containers: [{ name: 'c', image: 'other', args: ['a && b'] }] } } } },
    completions: { spec: { completions: 3 } },
    parallelism: { spec: { parallelism: 3 } },
    'completion mode': { spec: { completionMode: 'Indexed' } },
    'failure policy': { spec: { podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [1] } }] } } },
    'managed by': { spec: { managedBy: 'a.b/c' } },
    selector: { spec: { selector: { matchLabels: { x: 'y' } } } },
  }),
  ...updates('Job', job({ suspend: true }), {
    'suspended scheduling': { spec: { template: { spec: { nodeSelector: { a: 'b' }, tolerations: [{ key: 'x', operator: 'Exists' }] } } } },
    'suspended resources': {
      spec: { template: { spec: { containers: [{ name: 'c', image: 'nginx', resources: { requests: { cpu: '1' } } }] } } },
    },
    'suspended image': { spec: { template: { spec: { containers: [{ name: 'c', image: 'other' }] } } } },
  }),
  ...[
    { name: 'Job status: complete alone', update: { status: { conditions: [{ type: 'Complete', status: 'True' }] } } },
    {
      name: 'Job status: odd numbers',
      update: {
        status: {
          active: -1,
          ready: 3,
          failedIndexes: '1',
          completedIndexes: '5',
          startTime: '2020-01-02T00:00:00Z',
          completionTime: '2020-01-01T00:00:00Z',
        },
      },
    },
  ].map(c => ({ ...c, kind: 'Job', spec: job(), subresource: 'status' as const })),
  ...of('CronJob', {
    minimal: cron(),
    'no schedule': cron({ schedule: '' }),
    'bad schedule': cron({ schedule: '* * *' }),
    'bad field': cron({ schedule: '61 * * * *' }),
    'bad word': cron({ schedule: '* * * foo *' }),
    'bad descriptor': cron({ schedule: '@foo' }),
    'bad duration': cron({ schedule: '@every 5' }),
    'zone in schedule': cron({ schedule: 'TZ=UTC * * * * *' }),
    'bad zone': cron({ timeZone: 'Mars/Base' }),
    'local zone': cron({ timeZone: 'Local' }),
    'good zone': cron({ timeZone: 'Europe/Berlin' }),
    'bad fields': cron({ concurrencyPolicy: 'X', startingDeadlineSeconds: -1, successfulJobsHistoryLimit: -1, failedJobsHistoryLimit: -1 }),
    'bad job': cron({
      jobTemplate: { spec: { manualSelector: true, selector: { matchLabels: { a: 'b' } }, template: { spec: podSpec() } } },
    }),
  }),
  { name: 'CronJob: long name', kind: 'CronJob', spec: cron(), metadata: { name: 'a'.repeat(53) } },
  ...updates('CronJob', cron(), { schedule: { spec: { schedule: '0 0 * * *' } }, zone: { spec: { timeZone: 'X' } } }),
];
