import type { KubeObject } from '../../../api/object.ts';
import type { Color } from './book.ts';
import { foundKey, isMarked, markKey, renamed, withAnnotations } from './marks.ts';
import { isCore, selectorOf, specOf, withSelectorLabels } from './pod-template.ts';
import type { UnitLog } from './step-log.ts';

export const otherColor = (color: Color): Color => (color === 'blue' ? 'green' : 'blue');
export const asColor = (text: string | undefined): Color | undefined => (text === 'blue' || text === 'green' ? text : undefined);

export interface ServicePair {
  readonly primary: KubeObject;
  readonly stage: KubeObject;
}

/** The Services that production and the stage are reached by, or why they cannot be told. */
export function findServices(objects: readonly KubeObject[], prefix: string, log?: UnitLog): ServicePair | string {
  const services = objects.filter(obj => isCore(obj, 'Service'));
  const marks = `${markKey(prefix, 'primary-service')} and ${markKey(prefix, 'stage-service')}`;
  const primaries = services.filter(obj => isMarked(obj, prefix, 'primary-service'));
  if (primaries.length > 1)
    return `More than one Primary Service found in Manifests. Only one can be annotated with ${markKey(prefix, 'primary-service')}`;
  const stages = services.filter(obj => isMarked(obj, prefix, 'stage-service'));
  if (stages.length > 1)
    return `More than one Stage Service found in Manifests. Only one can be annotated with ${markKey(prefix, 'stage-service')}`;
  if (services.length === 0) {
    return `No service is found in manifests. Service is required for BlueGreen deployments. Add at least one service manifest. Two services [i.e. primary and stage] can be specified with annotations ${marks}`;
  }
  const primary = primaries[0] ?? (services.length === 1 ? services[0] : undefined);
  if (!primary || primary === stages[0]) {
    return `Could not locate a Primary Service in Manifests. Primary and Stage services should be annotated with ${marks}`;
  }
  log?.info(`Primary Service is ${primary.metadata.name}`);
  if (stages[0]) return { primary, stage: stages[0] };
  const stage = cloneOf(primary, prefix);
  log?.info(`Created Stage service [${stage.metadata.name}] using Spec from Primary Service [${primary.metadata.name}]`);
  return { primary, stage };
}

/** Without what a cluster gives to one Service only. */
function cloneOf(primary: KubeObject, prefix: string): KubeObject {
  const { clusterIP: _ip, clusterIPs: _ips, healthCheckNodePort: _check, loadBalancerIP: _balancer, ports, ...spec } = specOf(primary);
  const freed = Array.isArray(ports) ? ports.map(port => withoutNodePort(port)) : ports;
  const annotations = Object.entries(primary.metadata.annotations ?? {}).filter(
    ([key]) => key !== foundKey(primary.metadata.annotations, prefix, 'primary-service'),
  );
  const clone = renamed(primary, `${primary.metadata.name ?? ''}-stage`);
  // A headless Service stays one.
  const ip = specOf(primary)['clusterIP'] === 'None' ? { clusterIP: 'None' } : {};
  return {
    ...clone,
    metadata: { ...clone.metadata, annotations: Object.fromEntries(annotations) },
    spec: { ...spec, ...ip, ...(freed !== undefined && { ports: freed }) },
  };
}

function withoutNodePort(port: unknown): unknown {
  const { nodePort: _given, ...rest } = port as Record<string, unknown>;
  return rest;
}

export const withColor = (service: KubeObject, key: string, color: Color): KubeObject => withSelectorLabels(service, { [key]: color });

export const withRole = (service: KubeObject, prefix: string, role: 'primary-service' | 'stage-service'): KubeObject =>
  withAnnotations(service, { [markKey(prefix, role)]: 'true' });

/** The color that a Service sends its requests to, and under which key it says so. */
export function colorOf(service: KubeObject | undefined, prefix: string): { key: string; color: Color | undefined } {
  const selector = service ? selectorOf(service) : {};
  const key = foundKey(selector, prefix, 'color') ?? markKey(prefix, 'color');
  return { key, color: asColor(selector[key]) };
}
