import { KustomizeError } from './kustomize-error.ts';
import { expectKind, lookupOrCreate, setScalar } from './node-fields.ts';
import type { Selector } from './selector.ts';
import { setNamespace } from './set-namespace.ts';
import type { Transform } from './transforms.ts';
import { scalarNode, type YamlNode } from './yaml-node.ts';

export interface ValueTarget {
  readonly selector?: Selector;
  readonly fieldPath?: string;
  /** From one: where in the path that the field holds the value goes. */
  readonly filePathPosition?: number;
}

/** Writes one value into fields, or into paths that fields hold. */
export function addValues(value: string, targets: readonly ValueTarget[]): Transform {
  if (targets.length === 0) throw new KustomizeError('must specify at least one target');
  for (const { fieldPath = '', filePathPosition = 0 } of targets) {
    if (fieldPath === '') throw new KustomizeError('fieldPath cannot be empty');
    if (filePathPosition < 0) throw new KustomizeError(`value of FilePathPosition (${filePathPosition}) cannot be negative`);
  }
  return resources => {
    for (const { selector, fieldPath = '', filePathPosition = 0 } of targets) {
      for (const resource of selector ? resources.select(selector) : resources.list) {
        if (!resource.node) continue;
        if (fieldPath === 'metadata/namespace') setNamespace(resource, { namespace: value, fieldSpecs: [] });
        else addValue(resource.node, value, fieldPath, filePathPosition);
      }
    }
  };
}

function addValue(node: YamlNode, value: string, fieldPath: string, position: number): void {
  const fields: string[] = [];
  for (const part of fieldPath.split('/')) {
    const last = fields.at(-1);
    if (last?.endsWith('\\')) fields[fields.length - 1] = `${last.slice(0, -1)}/${part}`;
    else fields.push(part);
  }
  const field = lookupOrCreate(node, 'scalar', fields);
  if (!field) return;
  expectKind(field, 'scalar');
  setScalar(field, scalarNode(position > 0 ? insertPart(field.value, position - 1, value) : value));
}

function insertPart(path: string, position: number, part: string): string {
  const clean =
    path === ''
      ? []
      : path
          .replace(/\/+/g, '/')
          .replace(/(.)\/$/, '$1')
          .split('/');
  const parts = clean.length === 2 && clean[0] === '' && clean[1] === '' ? [''] : clean;
  let at = Math.min(position, parts.length);
  if (parts[0] === '' && parts.length > 0 && at < parts.length) at++;
  return [...parts.slice(0, at), part, ...parts.slice(at)].join('/');
}
