/** How long a shell lives at most, and its token: nobody types for longer in one go. */
export const longestSeconds = 4 * 60 * 60;

/** Its one container. */
export const containerName = 'shell';
const home = '/home/drover';
const userId = 1000;

export interface ShellWish {
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
}

export const shellName = (random: Uint8Array): string => `drover-shell-${Array.from(random, byte => (byte % 36).toString(36)).join('')}`;

/** A pod that waits for somebody to type: with no rights of its own, and nothing of it is left when it ends. */
export function shellPod({ name, namespace, image }: ShellWish) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { 'app.kubernetes.io/name': 'drover-shell', 'app.kubernetes.io/managed-by': 'drover' } },
    spec: {
      restartPolicy: 'Never',
      activeDeadlineSeconds: longestSeconds,
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      securityContext: {
        runAsNonRoot: true,
        runAsUser: userId,
        runAsGroup: userId,
        fsGroup: userId,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          name: containerName,
          image,
          imagePullPolicy: 'IfNotPresent',
          command: ['sleep', String(longestSeconds)],
          workingDir: home,
          env: [
            { name: 'HOME', value: home },
            { name: 'TMPDIR', value: home },
          ],
          securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
          resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { cpu: '1', memory: '512Mi' } },
          volumeMounts: [{ name: 'home', mountPath: home }],
        },
      ],
      volumes: [{ name: 'home', emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } }],
    },
  };
}

/** Clusters without a way out take images from the registry that the hub names, unless the image names its own. */
export function imageFrom(image: string, registry: string): string {
  const [first = '', ...rest] = image.split('/');
  const namesRegistry = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  return registry === '' || namesRegistry ? image : `${registry.replace(/\/+$/, '')}/${image}`;
}

export interface HubWay {
  /** Where members find the hub. */
  readonly server: string;
  /** PEM; the system's when empty. */
  readonly authorities: string;
  readonly cluster: string;
  readonly clusterId: string;
  readonly namespace: string;
}

/** A kubeconfig on one line: JSON is YAML. */
export function kubeconfigLine({ server, authorities, cluster: name, clusterId, namespace }: HubWay, token: string): string {
  const trust = authorities === '' ? {} : { 'certificate-authority-data': btoa(authorities) };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: `${server.replace(/\/+$/, '')}/k8s/clusters/${encodeURIComponent(clusterId)}`, ...trust } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace } }],
    'current-context': name,
  });
}

/** Puts a line from its input where kubectl looks, for nobody else to read. Input cannot be ended on older servers, so it is one line. */
export const takeKubeconfig: readonly string[] = [
  'sh',
  '-c',
  'umask 077 && mkdir -p ~/.kube && IFS= read -r line && printf "%s\\n" "$line" > ~/.kube/config',
];
