import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { underDeadline } from '../../client/deadline.ts';
import { httpsTransport } from '../../client/https-transport.ts';
import { readBytes } from '../../client/read-answer.ts';
import { CommandError } from '../exit-codes.ts';

/** A text of manifests, and where it came from. */
export interface ManifestText {
  readonly from: string;
  readonly text: string;
}

export interface ReadTextsOptions {
  readonly isRecursive: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** Of a folder. What is named itself may be called anything. */
const extensions = ['.json', '.yaml', '.yml'];
const mostRedirects = 10;
const maxBytes = 64 * 1024 * 1024;
const timeoutMs = 30_000;

/** Files, the files of folders, what is at URLs, and `-` for standard input: as kubectl understands them, in the order in which they are given. */
export async function readManifestTexts(places: readonly string[], options: ReadTextsOptions): Promise<ManifestText[]> {
  if (places.filter(place => place === '-').length > 1)
    throw new CommandError('standard input can be read only once', { hint: 'say - once' });
  const texts: ManifestText[] = [];
  for (const place of places) {
    if (place === '-') texts.push({ from: 'STDIN', text: readText(0, 'STDIN') });
    else if (/^https?:\/\//i.test(place)) texts.push({ from: place, text: await fetchText(place, options) });
    else texts.push(...filesAt(place, options.isRecursive).map(file => ({ from: file, text: readText(file, file) })));
  }
  return texts;
}

function filesAt(place: string, isRecursive: boolean): string[] {
  const found = statSync(place, { throwIfNoEntry: false });
  if (!found)
    throw new CommandError(`the path ${JSON.stringify(place)} does not exist`, {
      hint: '-f takes files, folders, URLs, and - for standard input',
    });
  if (!found.isDirectory()) return [place];
  const files = filesBelow(place, isRecursive);
  if (files.length === 0)
    throw new CommandError(`error reading [${place}]: recognized file extensions are [${extensions.join(' ')}]`, {
      hint: isRecursive ? 'is it the right folder?' : '-R also looks into the folders in it',
    });
  return files;
}

function filesBelow(dir: string, isRecursive: boolean): string[] {
  const entries = readdirSync(dir, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap(entry => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return isRecursive ? filesBelow(path, true) : [];
    return extensions.some(one => entry.name.endsWith(one)) ? [path] : [];
  });
}

function readText(file: string | number, from: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CommandError(`cannot read ${from}`, { cause, hint: 'look whether it is there and you may read it' });
  }
}

async function fetchText(address: string, { env, signal }: ReadTextsOptions): Promise<string> {
  let url = new URL(address);
  for (let hop = 0; hop <= mostRedirects; hop++) {
    const answer = await fetchOnce(url, env, signal);
    if (answer.location === undefined) return answer.text;
    url = new URL(answer.location, url);
  }
  throw new CommandError(`unable to read URL ${JSON.stringify(address)}: it was sent on more than ${mostRedirects} times`);
}

async function fetchOnce(url: URL, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<{ text: string; location?: string }> {
  const fail = (why: string, cause?: unknown) =>
    new CommandError(`unable to read URL ${JSON.stringify(url.href)}${why}`, {
      cause,
      hint: 'is the address right, and is there a way to it?',
    });
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw fail(': it leads away from the web');
  await using way = httpsTransport({ server: url.origin, proxyEnv: env });
  try {
    return await underDeadline({ signal, timeoutMs }, async deadline => {
      const { status, headers, body } = await way.request({ method: 'GET', path: url.pathname + url.search, signal: deadline });
      const text = (await readBytes(body, maxBytes)).toString('utf8');
      const { location } = headers;
      if (status >= 300 && status < 400 && typeof location === 'string') return { text: '', location };
      if (status !== 200) throw fail(`, server reported ${status}`);
      return { text };
    });
  } catch (cause) {
    if (signal.aborted || cause instanceof CommandError) throw cause;
    throw fail('', cause);
  }
}
