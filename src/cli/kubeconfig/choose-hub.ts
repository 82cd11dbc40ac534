import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { underDeadline } from '../../client/deadline.ts';
import { contextTransport, readContext, type KubeconfigContext } from '../../client/kubeconfig/kubeconfig.ts';
import { currentContext, readKubeconfigFile, type KubeconfigFile } from '../../client/kubeconfig/kubeconfig-file.ts';
import { readBytes, readStatusError } from '../../client/read-answer.ts';
import { errorText } from '../../util/error-text.ts';
import { CommandError } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';
import { withOwnLogin } from './own-login.ts';

export interface HubChoice {
  /** A kubeconfig file. */
  readonly hub?: string | undefined;
  readonly context?: string | undefined;
}

interface Candidate {
  readonly files: readonly string[];
  /** Said to be a hub. The others are asked whether they are. */
  readonly isCertain: boolean;
  /** By the caller, for us. */
  readonly isNamed?: boolean;
}

const probeMs = 5_000;
const nextStep = 'start a hub with "drover up", sign in at one with "drover login URL", or name its kubeconfig with --hub FILE';

export interface ChosenHub {
  readonly files: readonly KubeconfigFile[];
  readonly context: KubeconfigContext;
}

/** The hub that the caller means: named by option, by environment, or found where hubs leave their kubeconfig. */
export async function chooseHub({ hub, context }: HubChoice, terminal: Terminal): Promise<ChosenHub> {
  const { env, isErrorTty: isInteractive } = terminal;
  const others: string[] = [];
  for (const candidate of hubCandidates(hub, env)) {
    const files = usable(() => candidate.files.map(readKubeconfigFile).filter(one => one !== undefined));
    const name = context ?? currentContext(files);
    if (candidate.isCertain && files.length === 0 && candidate.isNamed)
      throw new CommandError(`there is no kubeconfig "${candidate.files[0]}"`, { hint: nextStep });
    if (files.length === 0 || (name === undefined && !candidate.isCertain)) continue;
    const chosen = { files, context: usable(() => readContext(files, { context: name, env, isInteractive })) };
    const own = usable(() => withOwnLogin(chosen, env));
    if (own) return own;
    if (candidate.isCertain || (await isHub(chosen.context, terminal))) return chosen;
    others.push(`context "${name}" of "${candidate.files.join(delimiter)}" is another cluster, which has no kinds of drover.io`);
  }
  throw new CommandError(['no hub was found', ...others].join(': '), { hint: nextStep });
}

/** Adds the next step to what is wrong with a kubeconfig. */
function usable<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new CommandError('the hub is not known', { cause, hint: 'mend the kubeconfig, or name another with --hub FILE' });
  }
}

/** Where to look, in order. */
export function hubCandidates(hub: string | undefined, env: Terminal['env']): Candidate[] {
  if (hub !== undefined) return [{ files: [resolve(hub)], isCertain: true, isNamed: true }];
  const { DROVER_KUBECONFIG: named, KUBECONFIG: listed = '', HOME: home = homedir() } = env;
  if (named) return [{ files: [resolve(named)], isCertain: true, isNamed: true }];
  const own = join(home, '.drover', 'kubeconfig');
  const files = listed
    .split(delimiter)
    .filter(file => file !== '')
    .map(file => resolve(file));
  return [
    ...(files.length > 0 ? [{ files, isCertain: files.length === 1 && files[0] === own }] : []),
    { files: [own], isCertain: true },
    { files: [join(home, '.kube', 'config')], isCertain: false },
  ];
}

/** Asks a server whether it has our kinds. One that does not answer may well be the hub that is meant: then nothing else is taken for it. */
async function isHub(context: KubeconfigContext, { signal }: Terminal): Promise<boolean> {
  await using transport = contextTransport(context, { connectTimeoutMs: probeMs });
  try {
    return await underDeadline({ signal, timeoutMs: probeMs }, async deadline => {
      const res = await transport.request({
        method: 'GET',
        path: '/apis/drover.io',
        headers: { accept: 'application/json' },
        signal: deadline,
      });
      if (res.status !== 200 && res.status !== 404) throw await readStatusError(res);
      await readBytes(res.body);
      return res.status === 200;
    });
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new CommandError(`cannot tell whether context "${context.name}" is a hub: ${errorText(cause)}`, { hint: nextStep });
  }
}
