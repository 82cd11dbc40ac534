import { ClusterRole } from '../../api/builtin-kinds.ts';
import type { PolicyRule } from '../../api/kubernetes.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { runController, settled, type RunningController } from '../../runtime/controller.ts';
import { workflowKinds } from './workflow-kinds.ts';
import { deliveryGroup } from './names.ts';

const read = ['get', 'list', 'watch'];
const change = ['update', 'patch'];
const write = ['create', ...change, 'delete'];
const may = (verbs: readonly string[], ...resources: string[]): PolicyRule => ({
  apiGroups: [deliveryGroup],
  resources,
  verbs: [...verbs],
});

const all = workflowKinds.map(kind => kind.resource);
const runs = ['workflowruns', 'pipelineruns'];
const viewer = [may(read, ...all)];
const deployer = [...viewer, may(['create', ...change], ...runs)];
const approver = [...viewer, may(change, 'approvalrequests')];

/** The roles of workflows, for whoever binds them: in a namespace, or for all. None of them lets anybody read a Secret. */
export const deliveryRoles: Readonly<Record<string, readonly PolicyRule[]>> = {
  'drover-delivery-viewer': viewer,
  'drover-delivery-deployer': deployer,
  'drover-delivery-approver': approver,
  'drover-delivery-operator': [...deployer, may(change, 'approvalrequests'), may(['bypass'], 'workflowruns'), may(write, 'deployfreezes')],
};

const fieldManager = 'drover-delivery-roles';
const key = 'roles';

/** Makes the roles when the hub starts. What people add to them stays. */
export function runDeliveryRoles(hub: KubeClient, signal: AbortSignal): RunningController {
  const once = {
    synced: Promise.resolve(),
    start(add: (key: string) => void) {
      add(key);
      return { [Symbol.dispose]() {} };
    },
  };
  return runController(
    {
      name: 'delivery-roles',
      async reconcile(_key, ctx) {
        for (const [name, rules] of Object.entries(deliveryRoles)) {
          const metadata = { name, labels: { 'app.kubernetes.io/managed-by': 'drover' } };
          await hub.apply(ClusterRole, { metadata, rules: [...rules] }, { fieldManager, signal: ctx.signal });
        }
        return settled;
      },
    },
    { triggers: [once], signal, firstDelayMs: 1_000 },
  );
}
