import { badRequest } from '../api/status.ts';

/** Which member a request is for, and what it asks there. */
export interface MemberTarget {
  /** The name or id of the cluster, as the client wrote it. */
  readonly cluster: string;
  /** Path and query, byte for byte as the client wrote them. */
  readonly path: string;
}

export const memberPrefix = '/k8s/clusters/';

const clusterPattern = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;
const visible = /^[!-~]*$/;
const badEscape = /%(?![0-9a-fA-F]{2})/;

/**
 * Reads the target of a request below `/k8s/clusters/`. Paths that could mean one thing here and another at the member are refused: they are
 * forwarded as they were written, so what they mean must not depend on who resolves escapes and dots.
 */
export function parseMemberTarget(url: string): MemberTarget {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = mark < 0 ? '' : url.slice(mark);
  if (!path.startsWith(memberPrefix)) throw badRequest(`the path must begin with ${memberPrefix}`);
  if (!visible.test(url) || url.includes('#')) throw badRequest('the path and query must be escaped');

  const [cluster = '', ...segments] = path.slice(memberPrefix.length).split('/');
  if (!clusterPattern.test(cluster)) throw badRequest(`${memberPrefix} must be followed by the name or id of a cluster`);
  segments.forEach((segment, i) => checkSegment(segment, i === segments.length - 1));
  return { cluster, path: `/${segments.join('/')}${query}` };
}

function checkSegment(segment: string, isLast: boolean): void {
  if (segment === '' && !isLast) throw badRequest('the path must not contain empty segments');
  if (badEscape.test(segment)) throw badRequest('the path contains a broken escape');
  const decoded = decode(segment);
  if (decoded === '.' || decoded === '..') throw badRequest('the path must not contain "." or ".." segments');
  if (/[/\\\x00-\x1f\x7f]/.test(decoded)) throw badRequest('the path must not contain escaped slashes, backslashes or control characters');
  // Somebody on the way may resolve escapes twice.
  if (decoded !== segment && /%(?:2e|2f|5c|25)/i.test(decoded)) throw badRequest('the path must not be escaped twice');
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest('the path contains escapes that are not UTF-8');
  }
}
