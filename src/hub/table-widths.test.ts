import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CustomResourceDefinition } from '../api/builtin-kinds.ts';
import type { KubeObject } from '../api/object.ts';
import { hubKinds } from './hub-kinds.ts';

/** How wide things usually are. A header is never narrower than its name. */
const usual: Readonly<Record<string, number>> = {
  Name: 16,
  Namespace: 'c-m-abcdefgh'.length,
  Age: 4,
  Cluster: 'dev-cluster-1'.length,
  Version: 'v1.36.3+k3s1'.length,
  Reason: 'AgentDisconnected'.length,
  Phase: 'RolledBack'.length,
  Environment: 'production'.length,
  Run: 'deploy-web-x7k2p'.length,
  'Last Run': 'deploy-web-x7k2p'.length,
  Pipeline: 'deploy-web'.length,
  Workflow: 'deploy-web'.length,
  Provider: 'rancher-eu'.length,
  Type: 'NewArtifact'.length,
  Newest: '2026.11.17-1'.length,
  Next: '2026-11-17T15:00:00Z'.length,
  Expires: '2026-11-17T15:00:00Z'.length,
  Username: 'firstname.lastname'.length,
  'Display Name': 'Firstname Lastname'.length,
  User: 'u-b4qkhsnliz'.length,
  Role: 'project-member'.length,
};
/** Of kinds whose objects the hub names itself. */
const names: Readonly<Record<string, number>> = {
  ClusterRun: 'deploy-web-x7k2p-c-m-abcdefgh'.length,
  ApprovalRequest: 'deploy-web-x7k2p-approve-1'.length,
  WorkflowRun: 'deploy-web-x7k2p'.length,
  Token: 'kubeconfig-u-b4qkhsnliz'.length,
};
const more: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  Work: { Reason: 'Progressing'.length },
  'Cluster.management.cattle.io': { Name: 'c-m-abcdefgh'.length, 'Display Name': 'dev-cluster-1'.length },
};
const gap = 3;
/** A digest alone is wider than most. */
const digests = ['Content'];
/** The columns of others are known to their users as they are. */
const ours = (group: string) => group.endsWith('drover.io') || group === 'management.cattle.io';

for (const kind of hubKinds.filter(({ group, kind: name }) => ours(group) && !digests.includes(name)))
  test(
    `the table of ${kind.kind}.${kind.group} fits on 80 columns, also with all namespaces`,
    { skip: digests.includes(kind.kind) },
    () => {
      const { spec } = kind.definition() as KubeObject & CustomResourceDefinition;
      const { additionalPrinterColumns = [] } = spec!.versions[0] as { additionalPrinterColumns?: { name: string; priority?: number }[] };
      const shown = additionalPrinterColumns.filter(({ priority = 0 }) => priority === 0).map(({ name }) => name);
      const all = [...(kind.scope === 'Namespaced' ? ['Namespace'] : []), 'Name', ...shown];
      const own = more[kind.kind] ?? more[`${kind.kind}.${kind.group}`] ?? {};
      const widthOf = (name: string) =>
        Math.max(name.length, own[name] ?? (name === 'Name' ? names[kind.kind] : undefined) ?? usual[name] ?? 0);
      const total = all.map(widthOf).reduce((sum, one) => sum + one + gap, -gap);
      assert.ok(total <= 80, `${total}: ${all.map(name => `${name} ${widthOf(name)}`).join(', ')}`);
    },
  );
