import type { KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import { workQueue } from '../../runtime/work-queue.ts';
import { flowSchemas, priorityLevels } from '../bootstrap/flow-control.ts';
import type { ClusterApi } from '../cluster-api.ts';
import { type ControllerOptions, type RunningController } from './running-controller.ts';
import { timestamp } from '../../util/timestamp.ts';

const manager = 'api-priority-and-fairness-config-consumer-v1';

interface FlowSchemaParts {
  spec?: { priorityLevelConfiguration?: { name?: string } };
  status?: { conditions?: { type?: string; status?: string; reason?: string; message?: string; lastTransitionTime?: string }[] };
}

const partsOf = (obj: KubeObject) => obj as unknown as FlowSchemaParts;
const levelOf = (obj: KubeObject) => partsOf(obj).spec?.priorityLevelConfiguration?.name ?? '';

/** Says of every FlowSchema whether the priority level it names exists. */
export function flowSchemaController(api: ClusterApi, options: ControllerOptions = {}): RunningController {
  const now = options.now ?? (() => new Date());
  const queue = workQueue({ reconcile, ...(options.onError && { onError: options.onError }) });
  const subscription = api.subscribe(({ type, resource, name }) => {
    if (resource.group !== flowSchemas.group) return;
    if (resource.resource === flowSchemas.resource && type !== 'DELETED') queue.add(name);
    if (resource.resource !== priorityLevels.resource || type === 'MODIFIED') return;
    for (const schema of api.peekAll(flowSchemas)) if (levelOf(schema) === name) queue.add(schema.metadata.name!);
  });
  if (!options.isSettled) for (const schema of api.peekAll(flowSchemas)) queue.add(schema.metadata.name!);

  return {
    idle: () => queue.idle(),
    [Symbol.dispose]() {
      subscription[Symbol.dispose]();
      queue[Symbol.dispose]();
    },
  };

  async function reconcile(name: string): Promise<void> {
    const schema = api.peek(flowSchemas, '', name);
    if (!schema) return;
    const level = levelOf(schema);
    const wanted = dangling(level, api.peek(priorityLevels, '', level) !== undefined);
    const found = partsOf(schema).status?.conditions?.find(({ type }) => type === wanted.type);
    if (found?.status === wanted.status && found.reason === wanted.reason && found.message === wanted.message) return;
    const lastTransitionTime = (found?.status === wanted.status ? found.lastTransitionTime : undefined) ?? timestamp(now());
    const body = {
      apiVersion: schema.apiVersion,
      kind: schema.kind,
      metadata: { name },
      status: { conditions: [{ ...wanted, lastTransitionTime }] },
    };
    try {
      const how = { subresource: 'status', fieldManager: manager, force: true };
      await api.patch(flowSchemas, { namespace: '', name }, { type: 'apply', body }, how);
    } catch (error) {
      if (!(error instanceof StatusError && error.code === 404)) throw error;
    }
  }
}

function dangling(level: string, exists: boolean) {
  return {
    type: 'Dangling',
    status: exists ? 'False' : 'True',
    reason: exists ? 'Found' : 'NotFound',
    message: `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)} ${exists ? 'and it exists' : 'but there is no such object'}`,
  };
}
