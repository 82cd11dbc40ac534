import path from 'node:path';
import { writeYaml } from '../../yaml/write-yaml.ts';
import type { Resource } from './resource.ts';

/** Where a resource, or what changed it, comes from. */
export interface Origin {
  readonly path?: string;
  readonly configuredIn?: string;
  readonly configuredBy?: { readonly apiVersion?: string; readonly kind?: string; readonly name?: string; readonly namespace?: string };
}

export const originAnnotation = 'config.kubernetes.io/origin';
const transformationsAnnotation = 'alpha.config.kubernetes.io/transformations';

export const originAt = (origin: Origin, name: string): Origin => ({ ...origin, path: path.posix.join(origin.path ?? '', name) });

/** The origin of what a builtin transformer or generator of a kustomization makes. */
export function builtinOrigin(origin: Origin, file: string, kind: string): Origin {
  return { configuredIn: path.posix.join(origin.path ?? '', file), configuredBy: { apiVersion: 'builtin', kind } };
}

/** The origin of what a transformer or generator makes that a file configures. */
export function originOfPlugin(config: Resource): Origin | undefined {
  const written = config.annotations().get(originAnnotation);
  if (written === undefined) return undefined;
  const configuredIn = /^path: (.*)$/m.exec(written)?.[1];
  const { apiVersion, kind, name, namespace } = config;
  return {
    ...(configuredIn !== undefined && { configuredIn: configuredIn.replace(/^"(.*)"$/, '$1') }),
    configuredBy: { apiVersion, kind, name, ...(namespace !== '' && { namespace }) },
  };
}

const order = ['path', 'configuredIn', 'configuredBy', 'apiVersion', 'kind', 'name', 'namespace'];

export function printOrigin(origin: Origin): string {
  const lines = order.slice(0, 2).flatMap(field => entry(field, origin[field as 'path' | 'configuredIn']));
  const by = order.slice(3).flatMap(field => entry(field, origin.configuredBy?.[field as 'apiVersion']));
  const text = [...lines, ...(by.length > 0 ? ['configuredBy:', ...by.map(line => `  ${line}`)] : [])];
  return text.length === 0 ? '{}\n' : `${text.join('\n')}\n`;
}

function entry(field: string, value: string | undefined): string[] {
  return value === undefined || value === '' ? [] : [writeYaml({ [field]: value }).trimEnd()];
}

export function setOrigin(resource: Resource, origin: Origin | undefined): void {
  const annotations = resource.annotations();
  if (origin) annotations.set(originAnnotation, printOrigin(origin));
  else annotations.delete(originAnnotation);
  resource.setAnnotations(annotations);
}

export const hasOrigin = (resource: Resource): boolean => resource.annotations().has(originAnnotation);

/** Notes that something changed a resource; one without an origin was made by it. */
export function addTransformation(resource: Resource, origin: Origin): void {
  if (!hasOrigin(resource)) return setOrigin(resource, origin);
  const before = resource.annotations().get(transformationsAnnotation) ?? '';
  const item = printOrigin(origin)
    .trimEnd()
    .split('\n')
    .map((line, i) => (i === 0 ? `- ${line}` : `  ${line}`));
  resource.annotate(transformationsAnnotation, `${before}${item.join('\n')}\n`);
}

export function clearTransformations(resource: Resource): void {
  const annotations = resource.annotations();
  annotations.delete(transformationsAnnotation);
  resource.setAnnotations(annotations);
}
