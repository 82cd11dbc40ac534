import type { IncomingMessage } from 'node:http';
import { notFoundError } from '../../../api/status.ts';
import type { NormanAnswer } from '../v3/norman-type.ts';
import { readBody } from '../v3/read-body.ts';
import { serveSteve } from '../v1/serve-steve.ts';
import type { SteveApi } from '../v1/steve-api.ts';
import type { SteveTarget } from '../v1/steve-target.ts';
import type { SteveType } from '../v1/steve-type.ts';
import { actOnMachine } from './act-on-machine.ts';
import { actionsOf, type MachineAbilities } from './actions-of.ts';
import { machineSurroundings, type MachineSurroundings } from './machine-surroundings.ts';
import { typeIds } from './member-abilities.ts';
import { removeMachine } from './remove-machine.ts';

/** What a member has that its objects do not say. */
export interface HarvesterFacts {
  readonly nodes: number;
  abilities(): Promise<MachineAbilities>;
}

/** Answers what is asked below `/v1/harvester`: what `/v1` has, and what virtual machines can be asked to do. `segments` begin behind it. */
export async function serveHarvester(
  plain: SteveApi,
  req: IncomingMessage,
  target: SteveTarget,
  facts: HarvesterFacts,
): Promise<NormanAnswer> {
  const { segments, query } = target;
  const [typeName = '', namespace, name] = segments;
  const type = plain.types.find(typeName);
  if (type?.id !== typeIds.machine) return serveSteve(plain, req, target);

  const isSingle = name !== undefined && segments.length === 3;
  const surroundings = machineSurroundings(plain, { nodes: facts.nodes, abilities: await facts.abilities(), isSingle });
  const action = query.get('action') ?? '';
  if (isSingle && req.method === 'POST' && action !== '')
    return actOnMachine(plain, type, {
      action,
      surroundings,
      vm: await machineAt(plain, type, namespace!, name),
      body: () => readBody(req),
    });
  if (isSingle && req.method === 'DELETE') {
    await removeMachine(plain, type, await machineAt(plain, type, namespace!, name), query.getAll('removedDisks'));
    return { status: 204 };
  }
  return serveSteve(offering(plain, surroundings), req, target);
}

function offering(api: SteveApi, surroundings: MachineSurroundings): SteveApi {
  return {
    ...api,
    async actions(type, object, self) {
      const situation = type.id === typeIds.machine ? await surroundings.situationOf(object) : undefined;
      return Object.fromEntries((situation ? actionsOf(situation) : []).map(name => [name, `${self}?action=${name}`]));
    },
  };
}

async function machineAt({ client, signal }: SteveApi, type: SteveType, namespace: string, name: string) {
  const vm = await client.get(type, { namespace, name }, { signal });
  if (!vm) throw notFoundError(type, name);
  return vm;
}
