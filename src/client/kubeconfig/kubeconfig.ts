import { createSecureContext } from 'node:tls';
import type { JsonObject } from '../../util/json.ts';
import { basic, bearer, tokenFile, type Credential, type CredentialSource } from '../credential.ts';
import { httpsTransport, type HttpsTransportOptions } from '../https-transport.ts';
import type { Headers, Transport } from '../transport.ts';
import { execCredential, type ExecEnvironment } from './exec-credential.ts';
import { EntryFields } from './kubeconfig-fields.ts';
import {
  currentContext,
  filesText,
  findEntry,
  kubeconfigPaths,
  readKubeconfigFile,
  type FoundEntry,
  type KubeconfigFile,
} from './kubeconfig-file.ts';

/** Where a context of a kubeconfig leads, and as whom. */
export interface KubeconfigContext {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly userName: string;
  /** The credential comes from a program or a library of the user's machine and can be had nowhere else. */
  readonly usesPlugin: boolean;
  readonly connection: HttpsTransportOptions;
}

export interface ContextChoice {
  /** Default: the current one. */
  readonly context?: string | undefined;
  /** Proxies are looked up here, and plugins inherit it. */
  readonly env: NodeJS.ProcessEnv;
  /** Whether plugins may ask the user something. Default: no. */
  readonly isInteractive?: boolean;
}

/** The files a user means: the one that is named, which must exist, or those that kubectl would read. */
export function readKubeconfigs(file: string | undefined, env: NodeJS.ProcessEnv): KubeconfigFile[] {
  const paths = file === undefined ? kubeconfigPaths(env) : [file];
  const files = paths.map(readKubeconfigFile).filter(found => found !== undefined);
  if (files.length === 0) throw new Error(`there is no kubeconfig ${paths.map(path => `"${path}"`).join(', ')}`);
  return files;
}

/** Reads a context as kubectl does. Throws in plain words; nothing has been asked of any server yet. */
export function readContext(files: readonly KubeconfigFile[], choice: ContextChoice): KubeconfigContext {
  const name = choice.context ?? currentContext(files);
  if (name === undefined) throw new Error(`kubeconfig ${filesText(files)} has no current context`);
  const context = new EntryFields(findEntry(files, 'contexts', name), `context ${JSON.stringify(name)}`);
  const clusterName = context.text('cluster');
  if (clusterName === '') throw context.fail('names no cluster');
  const userName = context.text('user');
  const cluster = new EntryFields(findEntry(files, 'clusters', clusterName), `cluster ${JSON.stringify(clusterName)}`);
  const userEntry: FoundEntry = userName === '' ? { file: '', value: {} } : findEntry(files, 'users', userName);
  const user = new EntryFields(userEntry, `user ${JSON.stringify(userName)}`);
  const { address, info } = readCluster(cluster);
  return {
    name,
    namespace: context.text('namespace') || undefined,
    userName,
    usesPlugin: user.object('exec') !== undefined || user.object('auth-provider') !== undefined,
    connection: {
      ...address,
      proxyEnv: choice.env,
      credentials: readCredentials(user, { env: choice.env, isInteractive: choice.isInteractive ?? false, cluster: info }),
      headers: impersonationHeaders(user),
    },
  };
}

export const contextTransport = (context: KubeconfigContext, bounds: Partial<HttpsTransportOptions> = {}): Transport =>
  httpsTransport({ ...context.connection, ...bounds });

/** The address, and the same for plugins that ask for it. */
function readCluster(cluster: EntryFields): { address: HttpsTransportOptions; info: JsonObject } {
  const ca = cluster.pem('certificate-authority');
  const insecureSkipTlsVerify = cluster.flag('insecure-skip-tls-verify');
  if (ca !== undefined && insecureSkipTlsVerify) {
    throw cluster.fail('has a certificate-authority and insecure-skip-tls-verify; only one of them can be meant');
  }
  const tlsServerName = cluster.text('tls-server-name') || undefined;
  const proxyUrl = cluster.text('proxy-url') || undefined;
  if (proxyUrl !== undefined && !/^https?:\/\//.test(proxyUrl)) throw cluster.fail('has a proxy-url that is not an HTTP proxy');
  const server = readServer(cluster, ca !== undefined || insecureSkipTlsVerify);
  return {
    address: { server, ca, insecureSkipTlsVerify, tlsServerName, proxyUrl },
    info: {
      server,
      ...(ca !== undefined && { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
      ...(insecureSkipTlsVerify && { 'insecure-skip-tls-verify': true }),
      ...(tlsServerName !== undefined && { 'tls-server-name': tlsServerName }),
      ...(proxyUrl !== undefined && { 'proxy-url': proxyUrl }),
    },
  };
}

function readServer(cluster: EntryFields, hasTls: boolean): string {
  const text = cluster.text('server');
  if (text === '') throw cluster.fail('has no server');
  const server = text.includes('://') ? text : `${hasTls ? 'https' : 'http'}://${text}`;
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol))
    throw cluster.fail(`has a server that is no URL: ${JSON.stringify(text)}`);
  return server;
}

function readCredentials(user: EntryFields, surroundings: ExecEnvironment): CredentialSource {
  const exec = user.object('exec');
  const provider = user.object('auth-provider');
  if (provider) throw user.fail(`uses auth-provider ${JSON.stringify(provider['name'])}, which is not supported; use an exec plugin`);
  const certificate = readCertificate(user);
  if (exec) {
    if (certificate) throw user.fail('has an exec plugin and a client certificate; only one of them can be meant');
    return execCredential(user, exec, surroundings);
  }
  const tokenPath = user.path('tokenFile');
  const token = user.text('token');
  if (tokenPath !== '') return withCertificate(tokenFile(tokenPath, { fallback: token || undefined }), certificate);
  const username = user.text('username');
  const authorization = token !== '' ? bearer(token) : username !== '' ? basic(username, user.text('password')) : {};
  return { current: () => ({ ...certificate, ...authorization }) };
}

function readCertificate(user: EntryFields): Credential | undefined {
  const certificate = user.pem('client-certificate');
  const key = user.pem('client-key');
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined) {
    throw user.fail(
      `has a client-${certificate === undefined ? 'key' : 'certificate'} without a client-${certificate === undefined ? 'certificate' : 'key'}`,
    );
  }
  try {
    createSecureContext({ cert: certificate, key });
  } catch (cause) {
    throw user.fail('has a client certificate and key that cannot be used', cause);
  }
  return { certificate, key };
}

function withCertificate(source: CredentialSource, certificate: Credential | undefined): CredentialSource {
  if (!certificate) return source;
  return { ...source, current: async signal => ({ ...certificate, ...(await source.current(signal)) }) };
}

/** Whom the user wants to be seen as. */
function impersonationHeaders(user: EntryFields): Headers {
  const name = user.text('as');
  const groups = user.texts('as-groups');
  const uid = user.text('as-uid');
  const extra = user.object('as-user-extra') ?? {};
  if (name === '' && (groups.length > 0 || uid !== '' || Object.keys(extra).length > 0)) {
    throw user.fail('impersonates groups, a uid or extra without a user');
  }
  return {
    ...(name !== '' && { 'impersonate-user': name }),
    ...(uid !== '' && { 'impersonate-uid': uid }),
    ...(groups.length > 0 && { 'impersonate-group': groups }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [`impersonate-extra-${encodeURIComponent(key)}`, texts(user, values)]),
    ),
  };
}

function texts(user: EntryFields, value: unknown): string[] {
  if (!Array.isArray(value) || !value.every(item => typeof item === 'string'))
    throw user.fail('has as-user-extra with something else than lists of texts');
  return value;
}
