import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { usageError } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';

const isSomebodyThere = () => process.stdin.isTTY === true;

/** Undefined when nobody is there to answer. */
export async function askYes(question: string, { signal }: Pick<Terminal, 'signal'>): Promise<boolean | undefined> {
  const answer = await askText(question, { signal });
  return answer === undefined ? undefined : /^y(es)?$/i.test(answer);
}

/** What somebody types. Undefined when nobody is there to answer. */
export async function askText(question: string, { signal }: Pick<Terminal, 'signal'>): Promise<string | undefined> {
  if (!isSomebodyThere()) return undefined;
  using lines = createInterface({ input: process.stdin, output: process.stderr });
  return (await lines.question(question, { signal })).trim();
}

/** Asks for something that is not shown while it is typed. */
export async function askSecret(question: string, { signal, err }: Pick<Terminal, 'signal' | 'err'>): Promise<string> {
  if (!isSomebodyThere()) throw usageError('there is nobody to ask for the password', 'give it on standard input, with --password-stdin');
  err(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  using lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  const answer = await lines.question('', { signal });
  err('\n');
  return answer;
}

const maxBytes = 64 * 1024;

/** What stands on standard input, without the end of its line. */
export async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    size += (chunk as Buffer).length;
    if (size > maxBytes) throw usageError('standard input is too long for a secret');
    chunks.push(chunk as Buffer);
  }
  const text = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
  if (text === '') throw usageError('standard input is empty', 'for example: drover login URL --username jane --password-stdin < file');
  return text;
}
