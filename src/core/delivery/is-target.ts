import { RE2JS } from 're2js';
import { matchesLabelQuery, SelectorSyntaxError } from '../../api/label-query.ts';
import { parseApiVersion, type KubeObject } from '../../api/object.ts';
import { workReasons, type ObjectTarget } from '../../api/work.ts';
import { DeliveryError } from './delivery-error.ts';

/** Whether an object has everything that a target of `driftExclusions` names. */
export function isTarget(obj: KubeObject, target: ObjectTarget): boolean {
  const { labelSelector, annotationSelector } = target;
  const { namespace = '', name = '', labels, annotations } = obj.metadata;
  const has = { ...parseApiVersion(obj.apiVersion), kind: obj.kind, namespace, name };
  return (
    (['group', 'version', 'kind', 'namespace', 'name'] as const).every(field => fits(target[field], has[field])) &&
    matchesQuery('labelSelector', labelSelector, labels) &&
    matchesQuery('annotationSelector', annotationSelector, annotations)
  );
}

/** A text that is no regular expression still means itself. */
function fits(pattern: string | undefined, text: string): boolean {
  if (pattern === undefined || pattern === '*' || pattern === text) return true;
  try {
    return RE2JS.matches(pattern, text);
  } catch {
    return false;
  }
}

function matchesQuery(field: string, query: string | undefined, pairs: Readonly<Record<string, string>> | undefined): boolean {
  if (query === undefined) return true;
  try {
    return matchesLabelQuery(query, pairs);
  } catch (cause) {
    if (!(cause instanceof SelectorSyntaxError)) throw cause;
    const words = `spec.driftExclusions: ${field} "${query}" cannot be read`;
    throw new DeliveryError(workReasons.renderFailed, words, { isFinal: true, cause });
  }
}
