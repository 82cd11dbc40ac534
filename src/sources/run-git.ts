import { spawn } from 'node:child_process';
import { SourceError } from './source-error.ts';

export interface GitRun {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly input?: string | undefined;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** git ended without success. What it said is for our eyes only. */
export class GitFailure extends Error {
  override name = 'GitFailure';
  readonly said: string;

  constructor(said: string) {
    super('git failed');
    this.said = said;
  }
}

const maxSaidBytes = 64 * 1024;

/** Runs git with exactly these arguments and this environment, in a group of its own that ends as a whole. Answers what it prints. */
export async function runGit(args: readonly string[], { env, cwd, input, maxBytes, signal }: GitRun): Promise<Buffer> {
  signal.throwIfAborted();
  const child = spawn('git', args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const printed: Buffer[] = [];
  let size = 0;
  let said = '';
  const end = (reason: unknown) => {
    reject(reason);
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  };
  const giveUp = () => end(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  child.on('error', error => {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    end(isMissing ? new SourceError('git is not installed where the hub runs', { isFinal: true }) : error);
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) end(new SourceError(`the repository has more than the ${maxBytes} bytes that are allowed`, { isFinal: true }));
    else printed.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    if (said.length < maxSaidBytes) said += chunk.toString();
  });
  child.on('close', code => (code === 0 ? resolve(Buffer.concat(printed)) : reject(new GitFailure(said))));
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
