import { auditAnnotations } from '../../api/audit-annotations.ts';
import { isJsonObject, parseJson, type Json, type JsonObject } from '../../util/json.ts';
import { visibleLine } from './visible-text.ts';

/** Wide enough for most: lines are shown as they come, so nobody knows the longest. */
const widths = [20, 24, 16, 8, 4];

export const auditHead = row(['TIME', 'USER', 'CLUSTER', 'VERB', 'CODE', 'WHAT']);

/** One event of the audit log for people. Text that is no event is shown as it is. */
export function auditLine(text: string): string {
  const event = parsed(text);
  if (!isJsonObject(event)) return visibleLine(text);
  const { [auditAnnotations.cluster]: cluster = 'local' } = objectAt(event, 'annotations');
  const { code = '' } = objectAt(event, 'responseStatus');
  const time = textAt(event, 'requestReceivedTimestamp').replace(/\.[0-9]+Z$/, 'Z');
  return row([time, userOf(event), String(cluster), textAt(event, 'verb'), String(code), whatOf(event)]);
}

function row(cells: readonly string[]): string {
  return cells
    .map((cell, i) => visibleLine(cell).padEnd(widths[i] ?? 0))
    .join('  ')
    .trimEnd();
}

/** By the name they sign in with where it is known; `jane as root` for who speaks for another. */
function userOf(event: JsonObject): string {
  const { [auditAnnotations.loginName]: loginName } = objectAt(event, 'annotations');
  const names = [loginName ?? textAt(objectAt(event, 'user'), 'username'), textAt(objectAt(event, 'impersonatedUser'), 'username')];
  return names.filter(name => typeof name === 'string' && name !== '').join(' as ');
}

function whatOf(event: JsonObject): string {
  const { resource, subresource, namespace, name, apiGroup } = objectAt(event, 'objectRef');
  if (typeof resource !== 'string') return [textAt(event, 'requestURI'), createdBy(event)].filter(part => part !== '').join(' ');
  const kind = [`${resource}${typeof apiGroup === 'string' ? `.${apiGroup}` : ''}`, name, subresource].filter(
    part => typeof part === 'string',
  );
  return `${typeof namespace === 'string' ? `${namespace}: ` : ''}${kind.join('/')}`;
}

function createdBy(event: JsonObject): string {
  const made = textAt(objectAt(event, 'annotations'), auditAnnotations.created);
  return made === '' ? '' : `(made ${made})`;
}

function objectAt(obj: JsonObject, key: string): JsonObject {
  const value = obj[key];
  return isJsonObject(value) ? value : {};
}

function textAt(obj: JsonObject, key: string): string {
  const value = obj[key];
  return typeof value === 'string' ? value : '';
}

function parsed(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}
