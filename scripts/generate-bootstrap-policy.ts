/**
 * Writes src/auth/bootstrap-policy.json: the RBAC objects a Kubernetes server creates for itself, taken from the fixtures that upstream
 * keeps equal to its code. Usage: node scripts/generate-bootstrap-policy.ts [folder of k8s.io/kubernetes]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

interface Fixture {
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  aggregationRule?: unknown;
  rules?: unknown;
  roleRef?: { apiGroup: string; kind: string; name: string };
  subjects?: unknown;
}

const source = process.argv[2] ?? join(process.env['GOMODCACHE'] ?? join(homedir(), 'go/pkg/mod'), 'k8s.io/kubernetes@v1.36.3');
const folder = join(source, 'plugin/pkg/auth/authorizer/rbac/bootstrappolicy/testdata');
const files = [
  'cluster-roles',
  'controller-roles',
  'cluster-role-bindings',
  'controller-role-bindings',
  'namespace-roles',
  'namespace-role-bindings',
];

const objects = files.flatMap(file => (parse(readFileSync(join(folder, `${file}.yaml`), 'utf8')) as { items: Fixture[] }).items);
const lines = objects.map(obj => JSON.stringify(compact(obj)));
writeFileSync(join(import.meta.dirname, '../src/auth/bootstrap-policy.json'), `[\n${lines.join(',\n')}\n]\n`);

/** Leaves out what all of them have in common. */
function compact({ kind, metadata, aggregationRule, rules, roleRef, subjects }: Fixture) {
  const { 'kubernetes.io/bootstrapping': bootstrapping, ...labels } = metadata.labels ?? {};
  const { 'rbac.authorization.kubernetes.io/autoupdate': autoupdate, ...annotations } = metadata.annotations ?? {};
  if (bootstrapping !== 'rbac-defaults' || autoupdate !== 'true' || Object.keys(annotations).length > 0)
    throw new Error(`${kind} "${metadata.name}" does not look like the others`);
  return {
    kind,
    name: metadata.name,
    ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(aggregationRule !== undefined && { aggregationRule }),
    ...(rules !== undefined && { rules }),
    ...(roleRef && { roleRef }),
    ...(subjects !== undefined && { subjects }),
  };
}
