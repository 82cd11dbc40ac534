import { Node } from '../../api/builtin-kinds.ts';
import {
  changesOf,
  requeue,
  runController,
  settled,
  type Context,
  type Outcome,
  type RunningController,
} from '../../runtime/controller.ts';
import { informer } from '../../runtime/informer.ts';
import { splitKey, type Key } from '../../runtime/key.ts';
import type { JsonObject } from '../../util/json.ts';
import { timestamp } from '../../util/timestamp.ts';
import { VirtualMachineInstance, VirtualMachineInstanceMigration } from './kubevirt-kinds.ts';
import type { MachinesDeps } from './play-machines.ts';

const fieldManager = 'virt-controller';
/** Long enough to be seen, and to be given up. */
const lastsMs = 2_000;

/** Plays KubeVirt: an instance that is to move is on another node a moment later. Who deletes the migration before has given it up. */
export function playMigrations({ client, signal, onError }: MachinesDeps): RunningController {
  const migrations = informer(client, VirtualMachineInstanceMigration, { signal, ...(onError && { onError }) });
  return runController({ name: 'virtual-machine-migrations', reconcile }, { triggers: [changesOf(migrations)], signal });

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const migration = migrations.get(key);
    const { phase = '', migrationState } = migration?.status ?? {};
    const startedAt = migrationState?.startTimestamp;
    if (!migration || phase === 'Succeeded' || phase === 'Failed') return settled;
    if (startedAt === undefined) {
      await report(key, { phase: 'Running', migrationState: { startTimestamp: timestamp(ctx.now) } }, ctx);
      return requeue(lastsMs);
    }
    const leftMs = Date.parse(startedAt) + lastsMs - ctx.now.getTime();
    if (leftMs > 0) return requeue(leftMs);
    await report(key, { phase: (await move(migration, ctx)) ? 'Succeeded' : 'Failed' }, ctx);
    return settled;
  }

  async function move({ metadata, spec }: VirtualMachineInstanceMigration, { signal }: Context): Promise<boolean> {
    const key = { namespace: metadata.namespace, name: spec.vmiName ?? '' };
    const vmi = key.name === '' ? undefined : await client.get(VirtualMachineInstance, key, { signal });
    if (vmi?.status?.phase !== 'Running') return false;
    const wanted = Object.entries(spec.addedNodeSelector ?? {});
    const { items } = await client.list(Node, { signal });
    const target = items.find(
      node => node.metadata.name !== vmi.status?.nodeName && wanted.every(([label, value]) => node.metadata.labels?.[label] === value),
    );
    if (!target) return false;
    const body = { status: { nodeName: target.metadata.name ?? '' } };
    await client.patch(VirtualMachineInstance, key, { type: 'merge', body }, { signal, fieldManager, subresource: 'status' });
    return true;
  }

  async function report(key: Key, status: JsonObject, { signal }: Context): Promise<void> {
    const options = { signal, fieldManager, subresource: 'status' };
    await client.patch(VirtualMachineInstanceMigration, splitKey(key), { type: 'merge', body: { status } }, options);
  }
}
