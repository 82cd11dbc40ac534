import type { KubeObject } from '../../../api/object.ts';
import type { JsonObject } from '../../../util/json.ts';
import { invalidAction, NormanError } from '../v3/norman-error.ts';
import type { NormanAnswer } from '../v3/norman-type.ts';
import type { SteveApi } from '../v1/steve-api.ts';
import type { SteveType } from '../v1/steve-type.ts';
import { actionsOf, isMachineAction, type MachineAction } from './actions-of.ts';
import { clone } from './clone-machine.ts';
import { pause, softreboot, unpause } from './instance-actions.ts';
import { keyOf, type MachineContext } from './machine-context.ts';
import type { MachineSurroundings } from './machine-surroundings.ts';
import { abortMigration, migrate } from './migrate-machine.ts';
import { forceStop, restart, start, stop } from './power-actions.ts';
import { snapshot } from './snapshot-machine.ts';

const deeds: Readonly<Record<MachineAction, (ctx: MachineContext) => Promise<void>>> = {
  start,
  stop,
  forceStop,
  restart,
  softreboot,
  pause,
  unpause,
  migrate,
  abortMigration,
  snapshot,
  clone,
};

export interface ActionAsked {
  readonly action: string;
  readonly vm: KubeObject;
  readonly surroundings: MachineSurroundings;
  body(): Promise<JsonObject>;
}

/** Does what was asked, if it is on offer. The member has the last word about what the caller may do. */
export async function actOnMachine(api: SteveApi, type: SteveType, asked: ActionAsked): Promise<NormanAnswer> {
  const { action, vm, surroundings } = asked;
  if (!isMachineAction(action)) throw invalidAction(action);
  const { namespace, name } = keyOf(vm);
  const situation = (await mayUpdate(api, type, vm)) ? await surroundings.situationOf(vm) : undefined;
  if (!situation) throw new NormanError(403, 'Forbidden', `you may not change virtual machine "${namespace}/${name}"`);
  const body = await asked.body();
  if (!actionsOf(situation).includes(action))
    throw new NormanError(422, 'InvalidAction', `${action} is not on offer for virtual machine "${namespace}/${name}" as it is now`);
  await deeds[action]({ api, vm, type, situation, surroundings, body });
  return { status: 204 };
}

async function mayUpdate({ rights }: SteveApi, type: SteveType, vm: KubeObject): Promise<boolean> {
  const { namespace, name } = keyOf(vm);
  if ((await rights.reach('update', type, '')).covers(name)) return true;
  return (await rights.reach('update', type, namespace)).covers(name);
}
