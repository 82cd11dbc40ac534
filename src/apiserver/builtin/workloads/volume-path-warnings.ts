import type { Volume, VolumeProjection } from '../../../api/kubernetes.ts';

interface MountedPath {
  readonly path: string;
  readonly source: string;
}

const quote = JSON.stringify;
const printPath = ({ path, source }: MountedPath) => (source === '' ? quote(path) : `${quote(path)} (${source})`);

/** Warnings about files of one volume that would hide each other. */
export function overlappingPathWarnings(volumes: readonly Volume[]): string[] {
  const warnings: string[] = [];
  for (const { name, configMap, secret, downwardAPI, projected } of volumes) {
    const warn = (what: string, paths: readonly MountedPath[]) => {
      for (const overlap of overlaps(paths)) warnings.push(`volume ${quote(name)} (${what}): overlapping paths: ${overlap}`);
    };
    const pathsOf = (items: readonly { path: string }[]) => items.map(({ path }) => ({ path, source: '' }));
    if (configMap?.items) warn(`ConfigMap ${quote(configMap.name ?? '')}`, pathsOf(configMap.items));
    if (secret?.items) warn(`Secret ${quote(secret.secretName ?? '')}`, pathsOf(secret.items));
    if (downwardAPI?.items) warn('DownwardAPI', pathsOf(downwardAPI.items));
    if (!projected) continue;
    for (const source of projected.sources ?? [])
      if (Object.keys(source).length === 0) warnings.push(`volume ${quote(name)} (Projected) has no sources provided`);
    warn('Projected', (projected.sources ?? []).flatMap(projectedPaths));
  }
  return warnings;
}

function projectedPaths({ configMap, secret, downwardAPI, serviceAccountToken }: VolumeProjection): MountedPath[] {
  const from = (items: readonly { path: string }[], source: string) => items.map(({ path }) => ({ path, source }));
  if (configMap?.items) return from(configMap.items, `ConfigMap ${quote(configMap.name ?? '')}`);
  if (secret?.items) return from(secret.items, `Secret ${quote(secret.name ?? '')}`);
  if (downwardAPI?.items) return from(downwardAPI.items, 'DownwardAPI');
  if (serviceAccountToken) return [{ path: serviceAccountToken.path, source: 'ServiceAccountToken' }];
  return [];
}

function overlaps(paths: readonly MountedPath[]): string[] {
  const found: string[] = [];
  const seen: MountedPath[] = [];
  for (const entry of paths) {
    const current = { path: entry.path.replace(/\/+$/, ''), source: entry.source };
    for (const other of seen) if (collide(current.path, other.path)) found.push(`${printPath(current)} with ${printPath(other)}`);
    seen.push(current);
  }
  return found;
}

function collide(a: string, b: string): boolean {
  if (a === '' || b === '') return false;
  return `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`);
}
