import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandError, exitCodes } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';
import type { ShownPair } from '../../core/previews/shown-object.ts';

/** Words of `KUBECTL_EXTERNAL_DIFF` as kubectl takes them: options of letters, digits, dashes and equals signs; others are left out. */
const harmlessOption = /^[a-zA-Z0-9-=]+$/;

/** Has another program compare two folders of files, as `kubectl diff` does. Answers its exit code: 0 no differences, 1 some. */
export async function runExternalDiff(
  command: string,
  pairs: ReadonlyMap<string, ShownPair>,
  { signal, env }: Pick<Terminal, 'signal' | 'env'>,
): Promise<number> {
  const [program = '', ...options] = command.split(' ').filter(word => word !== '');
  using folders = writeFolders(pairs);
  const args = [...options.filter(option => harmlessOption.test(option)), folders.live, folders.merged];
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const child = spawn(program, args, { stdio: 'inherit', env: { ...env }, signal });
  child.once('error', reject);
  child.once('close', code => resolve(code ?? 128));
  try {
    return await promise;
  } catch (cause) {
    signal.throwIfAborted();
    throw new CommandError(`cannot run ${JSON.stringify(program)}`, {
      cause,
      exitCode: exitCodes.usage,
      hint: 'KUBECTL_EXTERNAL_DIFF names the program that compares; without it Drover compares by itself',
    });
  }
}

function writeFolders(pairs: ReadonlyMap<string, ShownPair>): { readonly live: string; readonly merged: string } & Disposable {
  const root = mkdtempSync(join(tmpdir(), 'drover-diff-'));
  const [live, merged] = [join(root, 'LIVE'), join(root, 'MERGED')];
  for (const folder of [live, merged]) mkdirSync(folder, { mode: 0o700 });
  for (const [name, pair] of pairs) {
    if (pair.live !== '') writeFileSync(join(live, name), pair.live, { mode: 0o600 });
    if (pair.merged !== '') writeFileSync(join(merged, name), pair.merged, { mode: 0o600 });
  }
  return { live, merged, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}
