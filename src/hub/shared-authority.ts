import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret } from '../api/builtin-kinds.ts';
import { StatusError } from '../api/status.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { ensurePki, type Pki, type PkiOptions } from '../pki/ensure-pki.ts';
import { log } from '../runtime/log.ts';

const place = { namespace: 'kube-system', name: 'drover-hub-authority' } as const;
const files = ['ca.crt', 'ca.key'] as const;

/**
 * The PKI of a folder, whose authority is that of all hubs on the same API: agents and browsers that trust one trust all. The first hub shares the one of
 * its folder; others take it over, in place of one of their own.
 */
export async function ensureSharedPki(hub: KubeClient, dir: string, options: PkiOptions): Promise<Pki> {
  const shared = await hub.get(Secret, place);
  if (shared) takeOver(dir, shared);
  const pki = ensurePki(dir, options);
  const data = { 'ca.crt': base64(pki.authority.certificate), 'ca.key': base64(pki.authority.key) };
  // Made here, or renewed here before it ended.
  if (shared?.data?.['ca.crt'] === data['ca.crt']) return pki;
  const labels = { 'app.kubernetes.io/managed-by': 'drover' };
  const secret: Secret = { apiVersion: 'v1', kind: 'Secret', metadata: { ...place, labels, ...shared?.metadata }, type: 'Opaque', data };
  try {
    if (shared) await hub.update(Secret, secret);
    else await hub.create(Secret, secret);
    return pki;
  } catch (error) {
    if (!(error instanceof StatusError && error.code === 409)) throw error;
    return ensureSharedPki(hub, dir, options);
  }
}

function takeOver(dir: string, { data = {} }: Secret): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const [certificate, key] = files.map(name => Buffer.from(data[name] ?? '', 'base64').toString('utf8'));
  if (!certificate || !key) throw new Error(`Secret "${place.namespace}/${place.name}" has no ${files.join(' and ')}`);
  const present = readIfThere(join(dir, 'ca.key'));
  if (present !== undefined && present !== key) log.warn('the authority of this folder gave way to that of the hub', { peer: dir });
  if (present === key && readIfThere(join(dir, 'ca.crt')) === certificate) return;
  writeFileSync(join(dir, 'ca.key'), key, { mode: 0o600 });
  writeFileSync(join(dir, 'ca.crt'), certificate, { mode: 0o600 });
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
