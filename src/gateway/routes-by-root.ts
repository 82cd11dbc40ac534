import { memberPrefix } from '../proxy/member-target.ts';
import type { DialectRoutes } from './dialect-routes.ts';

/** What a path below any member begins with, in roots. */
export const belowMember = `${memberPrefix.slice(1)}*/`;

/**
 * Finds who serves a path. Most requests are for Kubernetes itself, and one look-up says so: nobody is asked who does not serve anything below the first
 * part of the path, or below the first part behind a member's name.
 */
export function routesByRoot(routes: readonly DialectRoutes[]): (path: string) => DialectRoutes | undefined {
  const byRoot = new Map<string, DialectRoutes[]>();
  for (const one of routes) for (const root of new Set(one.roots)) byRoot.set(root, [...(byRoot.get(root) ?? []), one]);
  return path => byRoot.get(rootOf(path))?.find(one => one.handles(path));
}

function rootOf(path: string): string {
  if (!path.startsWith(memberPrefix)) return firstPart(path, 1);
  const end = path.indexOf('/', memberPrefix.length);
  return end < 0 ? '' : belowMember + firstPart(path, end + 1);
}

function firstPart(path: string, from: number): string {
  const end = path.indexOf('/', from);
  return path.slice(from, end < 0 ? undefined : end);
}
