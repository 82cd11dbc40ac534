import { isJsonObject, parseJson, type Json, type JsonObject } from '../../../util/json.ts';
import { readYaml } from '../../../yaml/read-yaml.ts';
import { providerReasons, RancherError } from './rancher-error.ts';

/** A cluster as a Rancher lists it. */
export interface RancherCluster {
  readonly id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface ClusterPage {
  readonly clusters: readonly RancherCluster[];
  /** Path and query of the next page. */
  readonly next: string | undefined;
}

/** The way to a cluster that a Rancher made. */
export interface GeneratedAccess {
  readonly server: string;
  /** PEM in base64. */
  readonly caBundle: string | undefined;
  readonly token: string;
}

const wrong = (what: string, cause?: unknown) =>
  new RancherError(providerReasons.rancherError, `Rancher error: ${what}`, cause === undefined ? undefined : { cause });

function parseAnswer(text: string): JsonObject {
  let value: Json;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw wrong('the answer is no JSON', cause);
  }
  if (!isJsonObject(value)) throw wrong('the answer is no object');
  return value;
}

/** One page of `/v3/clusters`. A cluster without labels has none; one without an id is not told of. Throws RancherError. */
export function parseClusterPage(text: string): ClusterPage {
  const { data, pagination } = parseAnswer(text);
  if (!Array.isArray(data)) throw wrong('the answer is no list of clusters');
  const next = isJsonObject(pagination) ? pagination['next'] : undefined;
  return { clusters: data.flatMap(clusterOf), next: typeof next === 'string' && next !== '' ? pathOf(next) : undefined };
}

function clusterOf(value: Json): RancherCluster[] {
  if (!isJsonObject(value) || typeof value['id'] !== 'string' || value['id'] === '') return [];
  const { id, name, labels } = value;
  const texts = Object.entries(isJsonObject(labels) ? labels : {}).flatMap(([key, one]) =>
    typeof one === 'string' ? [[key, one] as const] : [],
  );
  return [{ id, name: typeof name === 'string' && name !== '' ? name : id, labels: Object.fromEntries(texts) }];
}

/** Of what a Rancher says only the path is followed: the token goes nowhere but to the address that people gave. */
function pathOf(next: string): string {
  const url = URL.canParse(next, 'https://rancher') ? new URL(next, 'https://rancher') : undefined;
  const at = url?.pathname.lastIndexOf('/v3/clusters') ?? -1;
  if (!url || at < 0) throw wrong('the next page is no page of clusters');
  return `${url.pathname.slice(at)}${url.search}`;
}

/** The value of a setting. */
export function parseSetting(text: string): string {
  const { value } = parseAnswer(text);
  return typeof value === 'string' ? value : '';
}

/** The token of a login. Throws RancherError. */
export function parseLogin(text: string): string {
  const { token } = parseAnswer(text);
  if (typeof token !== 'string' || token === '') throw wrong('the login gave no token');
  return token;
}

/** The first cluster and the first user of a kubeconfig. Throws RancherError. */
export function parseGeneratedKubeconfig(text: string): GeneratedAccess {
  const { config } = parseAnswer(text);
  if (typeof config !== 'string') throw wrong('there is no kubeconfig in the answer');
  let content: Json;
  try {
    content = readYaml(config).value;
  } catch (cause) {
    throw wrong('the kubeconfig cannot be read', cause);
  }
  const cluster = firstOf(content, 'clusters', 'cluster');
  const user = firstOf(content, 'users', 'user');
  const { server, 'certificate-authority-data': ca } = cluster ?? {};
  if (typeof server !== 'string' || !/^https?:\/\//.test(server) || !URL.canParse(server)) throw wrong('the kubeconfig names no server');
  const token = user?.['token'];
  if (typeof token !== 'string' || token === '') throw wrong('the kubeconfig has no token');
  return { server, caBundle: typeof ca === 'string' && ca !== '' ? ca : undefined, token };
}

function firstOf(content: Json, list: string, field: string): JsonObject | undefined {
  const entries = isJsonObject(content) ? content[list] : undefined;
  const first = Array.isArray(entries) ? entries[0] : undefined;
  const value = isJsonObject(first) ? first[field] : undefined;
  return isJsonObject(value) ? value : undefined;
}

/** What an error of Rancher says. */
export function parseErrorMessage(text: string, status: number): string {
  try {
    const { message, code } = parseAnswer(text);
    for (const one of [message, code]) if (typeof one === 'string' && one !== '') return one.slice(0, 500);
  } catch {
    // What is no JSON says nothing that people should read.
  }
  return `it answered ${status}`;
}

/** The name of a token, by which it can be deleted, is what stands before the secret part. Newer servers put "ext/" before it. */
export const tokenIdOf = (token: string): string | undefined => /^((?:ext\/)?[a-z0-9][a-z0-9.-]*):/i.exec(token)?.[1];
