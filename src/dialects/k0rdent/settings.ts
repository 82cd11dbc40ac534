import { ConfigMap } from '../../api/builtin-kinds.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import type { Key } from '../../runtime/key.ts';
import type { Trigger } from '../../runtime/controller.ts';
import { informer } from '../../runtime/informer.ts';
import { isJsonObject, type JsonObject } from '../../util/json.ts';
import { readYaml } from '../../yaml/read-yaml.ts';
import { systemNamespace } from './kinds/group.ts';
import type { ValuesPrecedence } from './service-values.ts';
import type { InformerSettings } from './template-informers.ts';

/** Settings of the hub for users of k0rdent: a ConfigMap in the system namespace. */
export const settingsName = 'drover-settings';

const keys = {
  precedence: 'k0rdent.valuesPrecedence',
  columns: 'k0rdent.columns',
  outranked: 'k0rdent.outranked',
  global: 'k0rdent.global',
} as const;

export interface K0rdentSettings {
  precedence(): ValuesPrecedence;
  /** `seed`: ClusterDeployments are listed as the first releases of k0rdent did. */
  columns(): 'current' | 'seed';
  /** Whether a cluster on which an owner is only outranked counts as one on which all is deployed. */
  isOutrankedSatisfied(): boolean;
  /** What all charts of clusters get as `global`: the setting is YAML, and nothing where it is none. */
  globalValues(): JsonObject;
  /** Asks for another look at keys when a setting changes. */
  changes(concerned: () => Iterable<Key>): Trigger;
}

export const precedenceIn = (settings: ConfigMap | undefined): ValuesPrecedence =>
  settings?.data?.[keys.precedence] === 'valuesFrom' ? 'valuesFrom' : 'inline';

function globalIn(settings: ConfigMap | undefined): JsonObject {
  try {
    const { value } = readYaml(settings?.data?.[keys.global] ?? '');
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

export function k0rdentSettings(hub: KubeClient, { signal, onError }: InformerSettings): K0rdentSettings {
  const found = informer(hub, ConfigMap, {
    signal,
    namespace: systemNamespace,
    fieldSelector: `metadata.name=${settingsName}`,
    onError: onError('ConfigMap'),
  });
  const present = () => found.get(`${systemNamespace}/${settingsName}`);
  return {
    precedence: () => precedenceIn(present()),
    columns: () => (present()?.data?.[keys.columns] === 'seed' ? 'seed' : 'current'),
    isOutrankedSatisfied: () => present()?.data?.[keys.outranked] === 'satisfied',
    globalValues: () => globalIn(present()),
    changes: concerned => ({
      synced: found.synced,
      start: add => found.subscribe(() => [...concerned()].forEach(key => add(key))),
    }),
  };
}
