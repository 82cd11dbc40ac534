import { EntryFields } from '../../client/kubeconfig/kubeconfig-fields.ts';
import { findEntry, type FoundEntry, type KubeconfigFile } from '../../client/kubeconfig/kubeconfig-file.ts';
import type { JsonObject } from '../../util/json.ts';

/** What a context names, as it is written. Nothing in it depends on the folder of its file any more. */
export interface FlatEntries {
  readonly cluster: JsonObject;
  readonly user: JsonObject;
}

/** Certificates that are in files are written down; files that change while they are used stay files. */
export function flatEntries(files: readonly KubeconfigFile[], context: string): FlatEntries {
  const { value } = findEntry(files, 'contexts', context);
  const cluster = findEntry(files, 'clusters', String(value['cluster']));
  const userName = value['user'];
  const user: FoundEntry = typeof userName === 'string' && userName !== '' ? findEntry(files, 'users', userName) : { file: '', value: {} };
  return {
    cluster: withPemInlined(cluster, 'cluster', ['certificate-authority']),
    user: withPathsResolved({ file: user.file, value: withPemInlined(user, 'user', ['client-certificate', 'client-key']) }),
  };
}

function withPemInlined(entry: FoundEntry, what: string, fields: readonly string[]): JsonObject {
  const reader = new EntryFields(entry, what);
  const flat: JsonObject = { ...entry.value };
  for (const field of fields) {
    const pem = reader.pem(field);
    delete flat[field];
    if (pem !== undefined) flat[`${field}-data`] = Buffer.from(pem).toString('base64');
  }
  return flat;
}

function withPathsResolved(entry: FoundEntry): JsonObject {
  const reader = new EntryFields(entry, 'user');
  const tokenFile = reader.path('tokenFile');
  const exec = reader.object('exec');
  const command = exec?.['command'];
  return {
    ...entry.value,
    ...(tokenFile !== '' && { tokenFile }),
    // A name without a folder is looked for in PATH.
    ...(typeof command === 'string' && /[/\\]/.test(command) && { exec: { ...exec, command: reader.resolve(command) } }),
  };
}
