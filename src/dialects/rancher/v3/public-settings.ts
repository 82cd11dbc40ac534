import type { IncomingMessage } from 'node:http';
import type { Settings } from '../clusters/settings.ts';
import type { NormanAnswer } from './norman-type.ts';

/** What everybody may read before signing in. */
const open = new Set(['cacerts', 'first-login', 'ui-banners', 'ui-issues', 'ui-pl', 'ui-brand', 'ui-default-landing']);

/** The answer to those who read a public setting; nothing else is open, and only the method that the request really has counts. */
export function publicSettings(
  settings: Settings,
  { method }: Pick<IncomingMessage, 'method'>,
  [root, type, id, ...more]: readonly string[],
): NormanAnswer | undefined {
  if (method !== 'GET' || root !== 'v3' || more.length > 0 || id === undefined || !open.has(id)) return undefined;
  if (!['setting', 'settings'].includes(type?.toLowerCase() ?? '')) return undefined;
  return { status: 200, body: { ...settings.effective(id), id, name: id, type: 'setting', baseType: 'setting', links: {}, actions: {} } };
}
