import { createHash } from 'node:crypto';

const longest = 63;

/** The namespace of the hub that holds the bindings of a project. */
export function backingNamespaceOf(cluster: string, project: string): string {
  const name = `${cluster}-${project}`;
  if (name.length <= longest) return name;
  return `${name.slice(0, longest - 11)}-${createHash('sha256').update(name).digest('hex').slice(0, 10)}`;
}
