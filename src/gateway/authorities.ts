import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { sendJson } from './answer.ts';

/** The authorities that vouch for the hub, as agents compare them: PEM with exactly one newline at its end. */
export function publishedAuthorities(pem: string): { readonly pem: string; readonly checksum: string } {
  const text = `${pem.trimEnd()}\n`;
  return { pem: text, checksum: createHash('sha256').update(text).digest('hex') };
}

/** `/v3/settings/cacerts`, in the form of Rancher's settings. Open to everybody: agents ask before they can trust. */
export function authoritiesRoute(pem: string) {
  const { pem: value } = publishedAuthorities(pem);
  const setting = {
    id: 'cacerts',
    type: 'setting',
    baseType: 'setting',
    name: 'cacerts',
    value,
    default: '',
    customized: false,
    source: 'default',
  };
  return (_req: unknown, res: ServerResponse): void => sendJson(res, 200, setting);
}
