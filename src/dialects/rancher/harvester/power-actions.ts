import { marks } from './machine-facts.ts';
import { callSubresource, deleteInstance, patchMachine, type MachineContext } from './machine-context.ts';

/** What Harvester runs machines with that were stopped before anybody noted how. */
const usualStrategy = 'RerunOnFailure';

export async function start(ctx: MachineContext): Promise<void> {
  if (await callSubresource(ctx, 'virtualmachines/start')) return;
  const { runStrategy } = ctx.situation.machine;
  if (runStrategy === 'Halted' || runStrategy === 'Manual') {
    const noted = ctx.vm.metadata.annotations?.[marks.runStrategy] ?? '';
    const wanted = noted === '' || noted === 'Halted' || noted === 'Manual' ? usualStrategy : noted;
    return patchMachine(ctx, { spec: { runStrategy: wanted, running: null } });
  }
  // It should be running already: what has ended is in the way of what would begin.
  await deleteInstance(ctx);
}

export function stop(ctx: MachineContext): Promise<void> {
  const { runStrategy } = ctx.situation.machine;
  return patchMachine(ctx, {
    metadata: { annotations: { [marks.runStrategy]: runStrategy === '' ? usualStrategy : runStrategy } },
    spec: { runStrategy: 'Halted', running: null },
  });
}

export async function forceStop(ctx: MachineContext): Promise<void> {
  if (!(await callSubresource(ctx, 'virtualmachines/stop', { gracePeriod: 0 }))) await deleteInstance(ctx, 0);
}

export async function restart(ctx: MachineContext): Promise<void> {
  if (!(await callSubresource(ctx, 'virtualmachines/restart'))) await deleteInstance(ctx);
}
