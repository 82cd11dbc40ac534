import { NormanError } from '../v3/norman-error.ts';
import { parseNormanTarget } from '../v3/norman-target.ts';

/** What a request to `/v1` asks for. */
export interface SteveTarget {
  /** The id of the member it is about; the hub when absent. */
  readonly cluster: string | undefined;
  /** What stands behind `/v1`, decoded. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

const hubPath = /^\/v1(?:\/|$)/;
const memberPath = /^\/k8s\/clusters\/[^/]+\/v1(?:\/|$)/;

/** Whether a path, without its query, is one of `/v1`: of the hub, or of a member. */
export const isStevePath = (path: string) => hubPath.test(path) || memberPath.test(path);

export function parseSteveTarget(url: string): SteveTarget {
  const { segments, query } = parseNormanTarget(url);
  // A name with a slash in it would mean another object to whoever decodes it twice.
  if (segments.some(part => part === '.' || part === '..' || part.includes('/')))
    throw new NormanError(400, 'BadRequest', 'the path contains a part that is no name');
  if (segments[0] === 'v1') return { cluster: undefined, segments: segments.slice(1), query };
  return { cluster: segments[2], segments: segments.slice(4), query };
}
