import type { KubeObject } from '../../api/object.ts';
import { deliveryManager, type DriftedField, type DriftExclusion } from '../../api/work.ts';
import { printJson, type Json } from '../../util/json.ts';
import { findDifferences, type Difference } from './drift-differences.ts';
import { isIgnored, pointersFor, withoutPointers } from './drift-exclusions.ts';
import { printManager } from './drift-owners.ts';
import { printPath, type Step } from './drift-path.ts';
import { refOf } from './object-ref.ts';

/**
 * The fields of a delivered object that are not on the member as delivered; of an object that is gone, one with an empty path. `want` is what
 * was applied, `have` must have its managedFields. A member may keep a value in a form that cannot be foreseen here: `confirmDrift` settles
 * such cases by asking the member.
 */
export function findDrift(
  want: KubeObject,
  have: KubeObject | undefined,
  exclusions: readonly DriftExclusion[] = [],
  manager: string = deliveryManager,
): DriftedField[] {
  if (!have) return isIgnored(want, have) ? [] : [missingObject(want)];
  return findSuspects(want, have, exclusions, manager).map(difference => driftedField(want, difference));
}

/** As findDrift, with what is needed for a second look. */
export function findSuspects(
  want: KubeObject,
  have: KubeObject,
  exclusions: readonly DriftExclusion[],
  manager: string = deliveryManager,
): Difference[] {
  if (isIgnored(want, have)) return [];
  return findDifferences(withoutPointers(withPlainSecret(want), pointersFor(want, exclusions)), have, manager);
}

function missingObject(want: KubeObject): DriftedField {
  return { ...refOf(want), path: '' };
}

/** As people may see it: the values of Secrets are masked, long ones are cut. */
export function driftedField(obj: KubeObject, { steps, want, have, owner }: Difference): DriftedField {
  const show = shownAt(obj, steps);
  return {
    ...refOf(obj),
    path: printPath(steps),
    ...(owner && { manager: printManager(owner) }),
    ...(want !== undefined && { want: show(want) }),
    ...(have !== undefined && { have: show(have) }),
  } as DriftedField;
}

/** How values of a field are shown: those of Secrets masked, long ones cut. */
export const shownAt = (obj: KubeObject, steps: readonly Step[]): ((value: unknown) => Json) =>
  isSecretValue(obj, steps) ? () => mask : cut;

const mask = '***';

const isSecret = ({ apiVersion, kind }: KubeObject): boolean => apiVersion === 'v1' && kind === 'Secret';

/** Also the copy of the whole Secret that kubectl leaves in an annotation. */
function isSecretValue(obj: KubeObject, steps: readonly Step[]): boolean {
  if (!isSecret(obj)) return false;
  const [top, second] = steps.map(step => ('field' in step ? step.field : ''));
  return top !== 'metadata' || second !== 'labels';
}

/** A Work's status is no place for whole files. */
const maxValueLength = 512;

function cut(value: unknown): Json {
  const text = typeof value === 'string' ? value : printJson(value);
  if (text.length <= maxValueLength) return value as Json;
  return `${text.slice(0, maxValueLength)}… (${text.length} characters)`;
}

/** A member turns the texts of a Secret into data as it stores them. */
function withPlainSecret(want: KubeObject): KubeObject {
  if (!isSecret(want) || typeof want['stringData'] !== 'object' || want['stringData'] === null) return want;
  const { stringData, data, ...rest } = want as KubeObject & { stringData: Record<string, string>; data?: Record<string, string> };
  const encoded = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(String(text)).toString('base64')]);
  return { ...rest, data: { ...data, ...Object.fromEntries(encoded) } } as KubeObject;
}
