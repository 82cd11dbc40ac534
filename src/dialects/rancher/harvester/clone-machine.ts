import { PersistentVolumeClaim } from '../../../api/builtin-kinds.ts';
import type { KubeObject } from '../../../api/object.ts';
import { NormanError } from '../v3/norman-error.ts';
import { machineNameIn, runStrategyIn } from './action-body.ts';
import { disksOf } from './machine-facts.ts';
import { fieldManager, keyOf, type MachineContext } from './machine-context.ts';
import { planClone } from './plan-clone.ts';

export async function clone({ api, vm, type, body }: MachineContext): Promise<void> {
  const { client, signal } = api;
  const wish = { name: machineNameIn(body, 'targetVm'), runStrategy: runStrategyIn(body) };
  const { namespace } = keyOf(vm);
  const claims: KubeObject[] = [];
  for (const { disk, claim } of disksOf(vm)) {
    const found = await client.get(PersistentVolumeClaim, { namespace, name: claim }, { signal });
    if (!found) throw new NormanError(409, 'Conflict', `the volume of disk ${JSON.stringify(disk)} is not there`);
    claims.push(found);
  }
  const plan = planClone(vm, claims, wish);
  // Whoever may not have the machine, or has one of that name, gets no copies of disks either.
  await client.create(type, plan.machine, { fieldManager, dryRun: true, signal });
  const made: KubeObject[] = [];
  try {
    for (const claim of plan.claims)
      made.push(await client.create(PersistentVolumeClaim, claim as PersistentVolumeClaim, { fieldManager, signal }));
    await client.create(type, plan.machine, { fieldManager, signal });
  } catch (error) {
    for (const one of made) await client.delete(PersistentVolumeClaim, keyOf(one)).catch(() => false);
    throw error;
  }
}
