import { parse } from 'yaml';
import type { KubeObject } from '../../data/kinds.ts';

/** The object that somebody has written. Throws in words for whoever wrote it. */
export function parseObject(text: string): KubeObject {
  const value = parse(text) as unknown;
  if (!isMap(value)) throw new Error('This is not an object: it needs fields such as apiVersion, kind and metadata.');
  if (!isMap(value['metadata'])) throw new Error('The object has no metadata: it needs at least metadata.name.');
  return value as KubeObject;
}

const isMap = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
