import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kustomize } from '../../src/render/kustomize/kustomize.ts';
import { tellWithEveryKubectl } from '../helpers/kubectl-story.ts';

const files: Readonly<Record<string, string>> = {
  'base/kustomization.yaml': `resources: [web.yaml]
configMapGenerator:
- name: settings
  literals: [color=blue, size=small]
`,
  'base/web.yaml': `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: registry.example/web:1.0
        envFrom:
        - configMapRef: {name: settings}
---
apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  selector: {app: web}
  ports:
  - port: 80
`,
  'debug/kustomization.yaml': `apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches:
- target: {kind: Deployment}
  patch: |-
    - op: add
      path: /spec/template/spec/containers/0/args
      value: [--debug]
`,
  'production/kustomization.yaml': `namespace: shop
namePrefix: prod-
resources: [../base, namespace.yaml]
components: [../debug]
labels:
- pairs: {team: shop}
  includeTemplates: true
images:
- name: registry.example/web
  newTag: "1.1"
replicas:
- name: web
  count: 3
configMapGenerator:
- name: settings
  behavior: merge
  literals: [size=large]
patches:
- path: more.yaml
`,
  'production/namespace.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n',
  'production/more.yaml': `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
      - name: web
        resources: {limits: {memory: 64Mi}}
      - name: side
        image: side:1
`,
};

tellWithEveryKubectl('I bring the overlays I have', 'kubectl', story => {
  const { file } = story;

  test('what the hub builds from an overlay is what kubectl builds from it', async () => {
    const { kubectl } = story;
    for (const [name, text] of Object.entries(files)) file(name, text);
    const built = kustomize(new Map(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)])), 'production');
    assert.equal(built.trim(), (await kubectl.expect('kustomize production')).trim());

    await kubectl.expect(`apply -f ${file('built.yaml', built)}`, { says: 'deployment.apps/prod-web created' });
    const again = await kubectl.expect('apply -k production', { says: 'deployment.apps/prod-web unchanged' });
    assert.doesNotMatch(again, /created|configured/);
    assert.equal(
      await kubectl.expect(`get deploy -n shop prod-web -o jsonpath='{.spec.replicas} {.spec.template.spec.containers[*].image}'`),
      '3 registry.example/web:1.1 side:1',
    );
  });
});
