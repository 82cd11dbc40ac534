import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { readYaml } from '../../yaml/read-yaml.ts';

/** A kubeconfig as it is written, unknown fields included. */
export interface KubeconfigFile {
  readonly file: string;
  readonly content: JsonObject;
}

/** An entry of a list of a kubeconfig, and the file it was found in: paths in it are relative to that file. */
export interface FoundEntry {
  readonly file: string;
  readonly value: JsonObject;
}

/** Larger ones are something else. */
const maxBytes = 16 * 1024 * 1024;

/** The files that kubectl would read: those of `KUBECONFIG` as far as they exist, or the one in the home folder. */
export function kubeconfigPaths(env: NodeJS.ProcessEnv): string[] {
  const named = (env['KUBECONFIG'] ?? '').split(delimiter).filter(path => path !== '');
  return named.length > 0 ? [...new Set(named)] : [join(env['HOME'] ?? homedir(), '.kube', 'config')];
}

/** Undefined when there is no such file. */
export function readKubeconfigFile(file: string): KubeconfigFile | undefined {
  let text: string;
  try {
    if (statSync(file).size > maxBytes) throw new Error('it is too large');
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`cannot read kubeconfig "${file}"`, { cause });
  }
  return parseKubeconfig(text, file);
}

/** `file` says where it came from; it need not exist. */
export function parseKubeconfig(text: string, file: string): KubeconfigFile {
  try {
    const content = readYaml(text).value ?? {};
    if (!isJsonObject(content)) throw new Error('it is not a mapping');
    const kind = content['kind'];
    if (kind !== undefined && kind !== null && kind !== 'Config') throw new Error(`its kind is ${JSON.stringify(kind)} and not "Config"`);
    return { file, content };
  } catch (cause) {
    throw new Error(`"${file}" is not a kubeconfig`, { cause });
  }
}

/** The entry of a list (`contexts`, `clusters`, `users`) with a name; the first file that has it counts. */
export function findEntry(files: readonly KubeconfigFile[], list: 'contexts' | 'clusters' | 'users', name: string): FoundEntry {
  const what = list.slice(0, -1);
  for (const { file, content } of files) {
    const found = objectsOf(content[list]).find(entry => entry['name'] === name);
    if (!found) continue;
    const value = found[what] ?? {};
    if (!isJsonObject(value)) throw new Error(`kubeconfig "${file}": ${what} ${JSON.stringify(name)} is not a mapping`);
    return { file, value };
  }
  throw new Error(`kubeconfig ${filesText(files)} has no ${what} ${JSON.stringify(name)}`);
}

/** The context to use when none is named. */
export function currentContext(files: readonly KubeconfigFile[]): string | undefined {
  return files.map(({ content }) => content['current-context']).find((name): name is string => typeof name === 'string' && name !== '');
}

export const filesText = (files: readonly KubeconfigFile[]): string => files.map(({ file }) => `"${file}"`).join(', ');

function objectsOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
