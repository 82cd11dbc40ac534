import { at } from '../../../api/field-error.ts';
import type { Container, PodSpec } from '../../../api/kubernetes.ts';

/** Calls back for every container of a pod with its path: init containers, containers, ephemeral containers. */
export function visitContainers(spec: PodSpec, specPath: string, visit: (container: Container, path: string) => void): void {
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    const listPath = at.child(specPath, list);
    (spec[list] ?? []).forEach((container, i) => visit(container, at.index(listPath, i)));
  }
}

export function someContainer(spec: PodSpec, matches: (container: Container) => boolean): boolean {
  return (
    (spec.containers ?? []).some(matches) || (spec.initContainers ?? []).some(matches) || (spec.ephemeralContainers ?? []).some(matches)
  );
}
