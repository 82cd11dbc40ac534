/** Prettier over every file, except those it has found in order before on this machine: it is the same file then, wherever it lies. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { check, getFileInfo, resolveConfig, version } from 'prettier';
import { readCached, writeCached } from './machine-cache.ts';

const cacheName = 'well-formatted.json';
const known = new Set(readCached<string[]>(cacheName, []));
const rules = JSON.stringify([version, await resolveConfig('package.json')]);
const inOrder: string[] = [];
let faults = 0;

for (const file of filesHere()) {
  const { ignored, inferredParser } = await getFileInfo(file, { ignorePath: '.prettierignore' });
  if (ignored || inferredParser === null) continue;
  const text = readFileSync(file, 'utf8');
  const digest = createHash('sha256').update(rules).update(inferredParser).update(text).digest('base64url');
  if (known.has(digest) || (await isInOrder(file, text))) inOrder.push(digest);
}
writeCached(cacheName, inOrder);
process.exitCode = faults === 0 ? 0 : 1;

function filesHere(): string[] {
  const entries = globSync('{**/*,.*}', { withFileTypes: true, exclude: ['**/node_modules', '**/.git', '**/.artifacts'] });
  return entries.filter(entry => entry.isFile()).map(({ parentPath, name }) => path.relative('.', path.join(parentPath, name)));
}

async function isInOrder(file: string, text: string): Promise<boolean> {
  try {
    if (await check(text, { ...(await resolveConfig(file)), filepath: file })) return true;
    console.error(`${file}: not formatted; run \`npx prettier --write ${file}\``);
  } catch (error) {
    console.error(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  faults++;
  return false;
}
