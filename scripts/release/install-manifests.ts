import path from 'node:path';
import { execFileSync } from 'node:child_process';

const root = path.join(import.meta.dirname, '../..');
const namespace = 'drover-system';
const namespaceObject = `apiVersion: v1
kind: Namespace
metadata:
  name: ${namespace}
  labels:
    app.kubernetes.io/part-of: drover
    pod-security.kubernetes.io/enforce: restricted
`;
/** What everybody has to fill in; a kustomization or an editor does it. */
const agentBlanks = ['agent.enabled=true', 'hub.enabled=false', 'agent.server=https://HUB', 'agent.existingSecret=drover-registration'];

/** Plain manifests for each role, from the chart, and a base for kustomize. */
export function installManifests(registry: string): ReadonlyMap<string, string> {
  const image = registry === '' ? [] : [`image.registry=${registry}`];
  return new Map([
    ['hub.yaml', render(image)],
    ['agent.yaml', render([...image, ...agentBlanks])],
    ['kustomization.yaml', 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [hub.yaml]\n'],
  ]);
}

function render(values: readonly string[]): string {
  const words = [
    'template',
    'drover',
    path.join(root, 'charts/drover'),
    '--namespace',
    namespace,
    ...values.flatMap(one => ['--set', one]),
  ];
  const text = execFileSync(process.execPath, [path.join(root, 'bin/drover.js'), ...words], { encoding: 'utf8' });
  // Nobody manages it as a release.
  return `${namespaceObject}${text.replaceAll('managed-by: Helm', 'managed-by: kubectl').replaceAll(/^ +helm\.sh\/chart: .*\n/gm, '')}`;
}
