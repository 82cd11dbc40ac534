import { readFileSync } from 'node:fs';
import type { KindRef } from '../../api/define-kind.ts';
import { parseApiVersion, type KubeObject } from '../../api/object.ts';
import { parseManifests } from '../../core/delivery/read-manifests.ts';
import { CommandError, usageError } from '../exit-codes.ts';

/** The object of a kind and name in a file of manifests; - is the standard input. Throws with what the file has instead. */
export function readObject(file: string, { kind, group }: KindRef, name: string): KubeObject {
  const found = readObjects(file).filter(one => one.kind === kind && parseApiVersion(one.apiVersion).group === group);
  const wanted = found.find(({ metadata }) => metadata.name === name);
  if (wanted) return wanted;
  const others = found.map(({ metadata }) => JSON.stringify(metadata.name ?? '')).slice(0, 3);
  throw usageError(
    `${file} has no ${kind.toLowerCase()} ${JSON.stringify(name)}`,
    others.length === 0 ? `it must hold a ${kind}` : `it has ${others.join(', ')}`,
  );
}

function readObjects(file: string): KubeObject[] {
  try {
    return parseManifests(readFileSync(file === '-' ? 0 : file, 'utf8'));
  } catch (cause) {
    throw new CommandError(`cannot read ${file}`, { cause, exitCode: 2 });
  }
}
