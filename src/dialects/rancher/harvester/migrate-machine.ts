import { apiVersionOf } from '../../../api/object.ts';
import { isJsonObject } from '../../../util/json.ts';
import { invalidBody } from '../v3/norman-error.ts';
import { optionalNameIn } from './action-body.ts';
import { activeMigrations, marks, migrationStates } from './machine-facts.ts';
import { fieldManager, keyOf, type MachineContext } from './machine-context.ts';
import { typeIds } from './member-abilities.ts';

const nodeLabel = 'kubernetes.io/hostname';

/** Moves a running machine to another node: to any when none is named. */
export async function migrate({ api, vm, surroundings, body }: MachineContext): Promise<void> {
  const type = api.types.find(typeIds.migration)!;
  const { namespace, name } = keyOf(vm);
  const nodeName = optionalNameIn(body, 'nodeName');
  const status = (await surroundings.instanceOf(vm))?.['status'];
  if (nodeName !== undefined && isJsonObject(status) && status['nodeName'] === nodeName)
    throw invalidBody(`the virtual machine is on node ${JSON.stringify(nodeName)} already`);
  const object = {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: { generateName: `${name}-`, namespace },
    spec: { vmiName: name, ...(nodeName !== undefined && { addedNodeSelector: { [nodeLabel]: nodeName } }) },
  };
  // A KubeVirt that cannot be told the node must not move the machine to another one instead.
  await api.client.create(type, object, { fieldManager, fieldValidation: 'Strict', signal: api.signal });
}

/** KubeVirt gives up a migration whose object is deleted; Harvester notes it on the instance. */
export async function abortMigration({ api, vm, surroundings }: MachineContext): Promise<void> {
  const { signal } = api;
  const vmi = await surroundings.instanceOf(vm);
  if (!vmi) return;
  const migrations = api.types.find(typeIds.migration)!;
  for (const one of activeMigrations(vmi, await surroundings.migrationsNear(vm)))
    await api.client.delete(migrations, keyOf(one), { signal });
  if (vmi.metadata.annotations?.[marks.migrationState] === undefined) return;
  const body = { metadata: { annotations: { [marks.migrationState]: migrationStates.aborting } } };
  await api.client.patch(api.types.find(typeIds.instance)!, keyOf(vmi), { type: 'merge', body }, { fieldManager, signal });
}
