import { Node } from '../../api/builtin-kinds.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { changesOf, runController, settled, type Context, type Outcome, type RunningController } from '../../runtime/controller.ts';
import { informer } from '../../runtime/informer.ts';
import { splitKey, type Key } from '../../runtime/key.ts';
import { jsonEqual } from '../../util/json.ts';
import { timestamp } from '../../util/timestamp.ts';
import { decideMachine, runningStatus } from './decide-machine.ts';
import { VirtualMachine, VirtualMachineInstance } from './kubevirt-kinds.ts';

export interface MachinesDeps {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  onError?(error: unknown): void;
}

const fieldManager = 'virt-controller';

/** Plays KubeVirt: machines that should run get an instance, and instances run at once. Nothing is done where there are no machines. */
export function playMachines({ client, signal, onError }: MachinesDeps): RunningController {
  const options = { signal, ...(onError && { onError }) };
  const machines = informer(client, VirtualMachine, options);
  const instances = informer(client, VirtualMachineInstance, options);
  return runController({ name: 'virtual-machines', reconcile }, { triggers: [changesOf(machines), changesOf(instances)], signal });

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const vm = machines.get(key);
    const vmi = instances.get(key);
    const { create, remove, begin, status } = decideMachine(vm, vmi, timestamp(ctx.now));
    const write = { signal: ctx.signal, fieldManager };
    if (vm && status && !jsonEqual(status, vm.status ?? {}))
      await client.patch(VirtualMachine, splitKey(key), { type: 'merge', body: { status } }, { ...write, subresource: 'status' });
    if (create) await client.create(VirtualMachineInstance, create, write);
    if (remove) await client.delete(VirtualMachineInstance, splitKey(key), { signal: ctx.signal });
    if (begin && vmi) await run(vmi, ctx);
    return settled;
  }

  async function run(vmi: VirtualMachineInstance, { now, signal }: Context): Promise<void> {
    const { namespace, name = '' } = vmi.metadata;
    const { items } = await client.list(Node, { signal });
    const status = runningStatus(vmi, items[0]?.metadata.name ?? '', items.length, timestamp(now));
    const options = { signal, fieldManager, subresource: 'status' };
    await client.patch(VirtualMachineInstance, { namespace, name }, { type: 'merge', body: { status } }, options);
  }
}
