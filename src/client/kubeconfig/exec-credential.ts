import { spawn } from 'node:child_process';
import { isJsonObject, type JsonObject } from '../../util/json.ts';
import { bearer, type Credential, type CredentialSource } from '../credential.ts';
import { EntryFields } from './kubeconfig-fields.ts';

/** What a plugin is given besides its own settings. */
export interface ExecEnvironment {
  readonly env: NodeJS.ProcessEnv;
  readonly isInteractive: boolean;
  /** Told to plugins that ask for it. */
  readonly cluster: JsonObject;
}

interface Plugin {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly apiVersion: string;
  readonly isInteractive: boolean;
  readonly installHint: string;
  readonly info: JsonObject;
}

const apiVersions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
const timeoutMs = 60_000;
/** A person may have to sign in. */
const interactiveTimeoutMs = 300_000;
const maxOutputBytes = 1024 * 1024;
/** A credential that is about to expire would do so on its way. */
const earlyMs = 10_000;

/** A credential from a program on the user's machine, asked again when it expires or is refused. */
export function execCredential(user: EntryFields, settings: JsonObject, surroundings: ExecEnvironment): CredentialSource {
  const plugin = readPlugin(user, settings, surroundings);
  let present: { readonly credential: Credential; readonly endsAt: number } | undefined;
  let running: Promise<Credential> | undefined;

  return {
    current(signal) {
      if (present && Date.now() < present.endsAt - earlyMs) return present.credential;
      // Requests that come together share one run. It does not end with the first of them.
      running ??= runPlugin(plugin, user)
        .then(answer => (present = answer).credential)
        .finally(() => (running = undefined));
      return untilAborted(running, signal);
    },
    refused(credential) {
      if (present?.credential === credential) present = undefined;
      return true;
    },
  };
}

function readPlugin(user: EntryFields, settings: JsonObject, { env, isInteractive, cluster }: ExecEnvironment): Plugin {
  const fields = user.nested('exec', settings);
  const command = fields.text('command');
  if (command === '') throw fields.fail('has no command');
  const apiVersion = fields.text('apiVersion');
  if (!apiVersions.includes(apiVersion))
    throw fields.fail(`has apiVersion ${JSON.stringify(apiVersion)}; known are ${apiVersions.join(' and ')}`);
  const mode = fields.text('interactiveMode') || (apiVersion === apiVersions[1] ? 'IfAvailable' : '');
  if (!['Never', 'IfAvailable', 'Always'].includes(mode)) throw fields.fail('needs interactiveMode Never, IfAvailable or Always');
  if (mode === 'Always' && !isInteractive) throw fields.fail('wants to ask something and there is nobody to answer');
  const interactive = mode !== 'Never' && isInteractive;
  const spec = { interactive, ...(fields.flag('provideClusterInfo') && { cluster: { ...cluster } }) };
  return {
    // A name without a folder is looked for in PATH.
    command: /[/\\]/.test(command) ? fields.resolve(command) : command,
    args: fields.texts('args'),
    env: { ...env, ...readVariables(fields) },
    apiVersion,
    isInteractive: interactive,
    installHint: fields.text('installHint'),
    info: { kind: 'ExecCredential', apiVersion, spec },
  };
}

function readVariables(fields: EntryFields): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const item of fields.objects('env')) {
    const { name, value } = item;
    if (typeof name !== 'string' || name === '' || typeof value !== 'string') throw fields.fail('has an env entry without name and value');
    variables[name] = value;
  }
  return variables;
}

async function runPlugin(plugin: Plugin, user: EntryFields): Promise<{ credential: Credential; endsAt: number }> {
  const output = await run(plugin).catch((cause: unknown) => {
    const isAbsent = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const hint = isAbsent && plugin.installHint !== '' ? `\n${plugin.installHint}` : '';
    throw user.fail(`gets its credential from "${plugin.command}", which ${isAbsent ? 'is not there' : 'failed'}${hint}`, cause);
  });
  try {
    return readCredential(output, plugin.apiVersion);
  } catch (cause) {
    throw user.fail(`gets its credential from "${plugin.command}", whose answer is of no use`, cause);
  }
}

function run({ command, args, env, info, isInteractive }: Plugin): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const child = spawn(command, args, {
    env: { ...env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
    // What it tells or asks the user goes past us.
    stdio: [isInteractive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
    timeout: isInteractive ? interactiveTimeoutMs : timeoutMs,
    killSignal: 'SIGKILL',
    windowsHide: true,
  });
  const chunks: Buffer[] = [];
  let size = 0;
  child.stdout!.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxOutputBytes) chunks.push(chunk);
    else child.kill('SIGKILL');
  });
  child.once('error', reject);
  child.once('close', (code, signal) => {
    if (size > maxOutputBytes) reject(new Error('it said too much'));
    else if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'));
    else reject(new Error(code === null ? `it was ended by ${signal}` : `it ended with code ${code}`));
  });
  return promise;
}

/** Throws what is wrong with the answer of a plugin. Its content is never shown: it may be a secret. */
export function readCredential(output: string, apiVersion: string): { credential: Credential; endsAt: number } {
  let answer: unknown;
  try {
    answer = JSON.parse(output);
  } catch {
    throw new Error('it is not JSON');
  }
  if (!isJsonObject(answer) || answer['kind'] !== 'ExecCredential') throw new Error('it is not an ExecCredential');
  if (answer['apiVersion'] !== apiVersion) throw new Error(`it is of another version than ${apiVersion}`);
  const { status } = answer;
  if (!isJsonObject(status)) throw new Error('it has no status');
  const { token = '', clientCertificateData = '', clientKeyData = '', expirationTimestamp = '' } = status;
  for (const value of [token, clientCertificateData, clientKeyData, expirationTimestamp]) {
    if (typeof value !== 'string') throw new Error('its status has fields that are not text');
  }
  if ((clientCertificateData === '') !== (clientKeyData === ''))
    throw new Error('it has a certificate without a key, or a key without a certificate');
  if (token === '' && clientCertificateData === '') throw new Error('it has neither a token nor a certificate');
  const endsAt = expirationTimestamp === '' ? Infinity : Date.parse(expirationTimestamp as string);
  if (Number.isNaN(endsAt)) throw new Error('its expirationTimestamp is not a time');
  return {
    credential: {
      ...(token !== '' && bearer(token as string)),
      ...(clientCertificateData !== '' && { certificate: clientCertificateData as string, key: clientKeyData as string }),
    },
    endsAt,
  };
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(signal.reason);
  if (signal.aborted) giveUp();
  signal.addEventListener('abort', giveUp, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', giveUp));
}
