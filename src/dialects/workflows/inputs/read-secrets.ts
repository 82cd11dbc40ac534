import { Secret } from '../../../api/builtin-kinds.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { mapBounded } from '../../../util/map-bounded.ts';
import type { RunInputs } from './run-inputs.ts';
import { secretsOf } from './service-variables.ts';

const readsAtOnce = 8;

/** Reads what variables have as secrets. One that is not there is left out: what names it is unresolved. */
export function secretReader(hub: KubeClient): RunInputs['readSecrets'] {
  return async (namespace, snapshot, signal) => {
    const places = [...secretsOf(snapshot)];
    const names = [...new Set(places.map(([, { name }]) => name))];
    const secrets = await mapBounded(names, readsAtOnce, name => hub.get(Secret, { namespace, name }, { signal }));
    const byName = new Map(names.map((name, i) => [name, secrets[i]?.data ?? {}]));
    return new Map(
      places.flatMap(([path, { name, key }]) => {
        const value = byName.get(name)?.[key];
        return value === undefined ? [] : [[path, Buffer.from(value, 'base64').toString('utf8')] as const];
      }),
    );
  };
}
