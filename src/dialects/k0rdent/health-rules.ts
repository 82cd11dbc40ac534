import { ConfigMap } from '../../api/builtin-kinds.ts';
import type { HealthRule } from '../../api/work.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { compileRule } from '../../core/delivery/judge-rule.ts';
import { informer, type Informer } from '../../runtime/informer.ts';
import { compareTexts } from '../../util/compare-texts.ts';
import { errorText } from '../../util/error-text.ts';
import { isJsonObject, type Json } from '../../util/json.ts';
import { readYaml } from '../../yaml/read-yaml.ts';
import { systemNamespace } from './kinds/group.ts';
import type { ServiceSet } from './kinds/service-set.ts';
import type { InformerSettings } from './template-informers.ts';

/** On a ConfigMap with rules: whose services they are for, or that they are for all. */
export const healthRuleLabel = 'k0rdent.mirantis.com/health-rule-target';
const everybody = 'global';

/** All ConfigMaps with rules. */
export function healthRuleMaps(hub: KubeClient, { signal, onError }: InformerSettings): Informer<ConfigMap> {
  const indexes = { namespace: ({ metadata }: ConfigMap) => [metadata.namespace ?? ''] };
  return informer(hub, ConfigMap, { signal, labelSelector: healthRuleLabel, indexes, onError: onError('ConfigMap') });
}

export interface RulesOfSet {
  readonly rules: readonly HealthRule[];
  /** Rules that cannot be used, and why. */
  readonly faults: readonly string[];
}

/** The rules that the services of a set must fulfil: those for all, of the system and of its namespace, and those for its owner. */
export function rulesOfSet({ metadata, spec }: ServiceSet, maps: readonly ConfigMap[]): RulesOfSet {
  const { namespace = '' } = metadata;
  const owners = [spec.cluster, spec.multiClusterService?.split('/').at(-1)].filter(name => name !== undefined && name !== '');
  const isMeant = (map: ConfigMap): boolean => {
    const target = map.metadata.labels?.[healthRuleLabel];
    if (target === everybody && map.metadata.namespace === systemNamespace) return true;
    return map.metadata.namespace === namespace && (target === everybody || owners.includes(target));
  };
  const read = maps.filter(isMeant).toSorted(bySystemFirst).map(readRules);
  return { rules: read.flatMap(({ rules }) => rules), faults: read.flatMap(({ faults }) => faults) };
}

function bySystemFirst(a: ConfigMap, b: ConfigMap): number {
  const rank = ({ metadata }: ConfigMap): string => `${metadata.namespace === systemNamespace ? 0 : 1} ${metadata.name}`;
  return compareTexts(rank(a), rank(b));
}

/** Which sets a map with rules is for: those of its namespace, or all. */
export const isForAll = ({ metadata }: ConfigMap): boolean => metadata.namespace === systemNamespace;

function readRules({ metadata, data }: ConfigMap): RulesOfSet {
  const name = `${metadata.namespace}/${metadata.name}`;
  const rules: HealthRule[] = [];
  const faults: string[] = [];
  let list: Json;
  try {
    list = readYaml(data?.['rules'] ?? '').value;
    if (!Array.isArray(list)) throw new Error('the key "rules" must hold a list');
  } catch (error) {
    return { rules, faults: [`${name}: ${errorText(error)}`] };
  }
  list.forEach((rule, i) => {
    try {
      rules.push(readRule(rule, `${name}#${i}`));
    } catch (error) {
      faults.push(`${name}#${i}: ${errorText(error)}`);
    }
  });
  return { rules, faults };
}

function readRule(value: Json, name: string): HealthRule {
  if (!isJsonObject(value)) throw new Error('a rule must be a map');
  const text = (field: string): string => {
    const given = value[field] ?? '';
    if (typeof given !== 'string') throw new Error(`${field} must be a text`);
    return given;
  };
  const rule: HealthRule = {
    name,
    ...(text('group') !== '' && { group: text('group') }),
    version: text('version'),
    kind: text('kind'),
    healthy: text('healthy'),
    ...(text('message') !== '' && { message: text('message') }),
  };
  for (const field of ['version', 'kind', 'healthy'] as const) if (rule[field] === '') throw new Error(`${field} is missing`);
  compileRule(rule);
  return rule;
}
