import type { Json } from '../../src/util/json.ts';
import { isMap, type GoMap, type GoValue } from '../../src/render/go/go-value.ts';
import { toGoValue } from '../../src/render/go/to-go-value.ts';

/** What people put where a chart leaves something empty, by the end of its name. */
const usual: readonly (readonly [RegExp, Json])[] = [
  [/(?:labels|selector)$/i, { 'example.com/team': 'a b', tier: 'web' }],
  [/annotations$/i, { 'example.com/note': 'yes', 'example.com/number': '42', multi: 'one\ntwo\n' }],
  [/resources$/i, { limits: { cpu: '1', memory: '128Mi' }, requests: { cpu: '100m', memory: '64Mi' } }],
  [/tolerations$/i, [{ key: 'k', operator: 'Exists', effect: 'NoSchedule' }]],
  [/imagePullSecrets$/i, [{ name: 'registry' }]],
  [/affinity$/i, { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } }],
  [/securityContext$/i, { runAsNonRoot: true, runAsUser: 1000 }],
  [/env(?:s|vars)?$/i, [{ name: 'A', value: 'b' }]],
  [/args$/i, ['--verbose', '--name=it\'s "quoted"']],
  [/volumes$/i, [{ name: 'extra', emptyDir: {} }]],
  [/volumeMounts$/i, [{ name: 'extra', mountPath: '/extra' }]],
  [/(?:priorityClassName|nameOverride|namespaceOverride|schedulerName|runtimeClassName|storageClass(?:Name)?)$/i, 'given'],
  [/topologySpreadConstraints$/i, [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }]],
];

/** The empty places of a chart's defaults with something usual in them; undefined when it has none. */
export function filled(defaults: GoMap): GoMap | undefined {
  const given: GoMap = new Map();
  for (const [key, value] of defaults) {
    const inner = isMap(value) && value.size > 0 ? filled(value) : isEmpty(value) ? usualFor(key, value) : undefined;
    if (inner !== undefined) given.set(key, inner);
  }
  return given.size === 0 ? undefined : given;
}

function isEmpty(value: GoValue): boolean {
  return value === null || value === '' || (isMap(value) ? value.size === 0 : Array.isArray(value) && value.length === 0);
}

/** Something of the same kind; where the default is nothing at all, any kind will do. */
function usualFor(key: string, value: GoValue): GoValue {
  const found = usual.find(([pattern]) => pattern.test(key))?.[1];
  if (found === undefined) return undefined;
  const kindOf = (item: GoValue): string => (isMap(item) ? 'map' : Array.isArray(item) ? 'list' : typeof item);
  const given = toGoValue(found);
  return value === null || kindOf(value) === kindOf(given) ? given : undefined;
}
