import { writeArchive } from '../../src/render/write-archive.ts';

export const objectsOfChart = 20;

const labels = `  labels:
    app.kubernetes.io/name: {{ .Chart.Name }}
    app.kubernetes.io/instance: {{ .Release.Name }}
    app.kubernetes.io/managed-by: {{ .Release.Service }}`;

const named = (apiVersion: string, kind: string, name: string, rest: string): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: {{ .Release.Name }}-${name}\n${labels}\n${rest}`;

const rbac = 'rbac.authorization.k8s.io/v1';
const roles = ['reader', 'writer', 'watcher'];

/** A chart as services have it: 20 objects, one of them with a pod, and a value that ends up in one of them. */
export function packShopChart(): Buffer {
  const documents = [
    named('v1', 'ServiceAccount', 'web', ''),
    ...Array.from({ length: 6 }, (_, i) =>
      named(
        'v1',
        'ConfigMap',
        `config-${i}`,
        `data:\n  text: {{ ${i === 0 ? '.Values.text' : '.Release.Namespace'} | quote }}\n  more: ${'x'.repeat(200)}\n`,
      ),
    ),
    named('v1', 'Secret', 'keys', 'stringData:\n  key: {{ .Values.key | quote }}\n'),
    ...['web', 'metrics', 'admin'].map((name, i) =>
      named(
        'v1',
        'Service',
        name,
        `spec:\n  selector:\n    app: {{ .Release.Name }}\n  ports:\n    - name: http\n      port: ${8080 + i}\n`,
      ),
    ),
    ...roles.map(name => named(rbac, 'Role', name, 'rules:\n  - apiGroups: [""]\n    resources: [configmaps]\n    verbs: [get]\n')),
    ...roles.map(name =>
      named(
        rbac,
        'RoleBinding',
        name,
        `roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: Role\n  name: {{ .Release.Name }}-${name}\nsubjects:\n  - kind: ServiceAccount\n    name: {{ .Release.Name }}-web\n    namespace: {{ .Release.Namespace }}\n`,
      ),
    ),
    named('networking.k8s.io/v1', 'NetworkPolicy', 'web', 'spec:\n  podSelector: {}\n  ingress:\n    - ports:\n        - port: 8080\n'),
    named(
      'policy/v1',
      'PodDisruptionBudget',
      'web',
      'spec:\n  maxUnavailable: 1\n  selector:\n    matchLabels:\n      app: {{ .Release.Name }}\n',
    ),
    named(
      'apps/v1',
      'Deployment',
      'web',
      'spec:\n  replicas: {{ .Values.replicas }}\n  selector:\n    matchLabels:\n      app: {{ .Release.Name }}\n  template:\n    metadata:\n      labels:\n        app: {{ .Release.Name }}\n    spec:\n      containers:\n        - name: web\n          image: {{ .Values.image }}\n',
    ),
  ];
  if (documents.length !== objectsOfChart) throw new Error(`the chart has ${documents.length} objects`);
  const files: [string, string][] = [
    ['Chart.yaml', 'apiVersion: v2\nname: shop\nversion: 1.0.0\nappVersion: "1"\n'],
    ['values.yaml', 'text: hello\nkey: sesame\nimage: nginx:1\nreplicas: 1\n'],
    ...documents.map((text, i): [string, string] => [`templates/object-${i}.yaml`, text]),
  ];
  return writeArchive(files.map(([name, text]) => ({ name: `shop/${name}`, data: Buffer.from(text) })));
}
