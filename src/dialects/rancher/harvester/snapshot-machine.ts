import { apiVersionOf } from '../../../api/object.ts';
import { nameIn } from './action-body.ts';
import { fieldManager, keyOf, type MachineContext } from './machine-context.ts';
import { typeIds } from './member-abilities.ts';

/** Harvester's own snapshots where there are any, KubeVirt's otherwise. */
export async function snapshot({ api, vm, type, body }: MachineContext): Promise<void> {
  const source = { apiGroup: type.group, kind: type.kind, name: keyOf(vm).name };
  const metadata = { name: nameIn(body, 'name'), namespace: keyOf(vm).namespace };
  const backups = api.types.find(typeIds.backup);
  const kind = backups ?? api.types.find(typeIds.snapshot)!;
  const spec = backups ? { type: 'snapshot', source } : { source };
  const object = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec };
  await api.client.create(kind, object, { fieldManager, signal: api.signal });
}
