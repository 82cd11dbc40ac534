/** Builds the page and looks how much of it a browser must load before it shows anything, packed. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildUi } from './build-ui.ts';

interface Chunk {
  file: string;
  isEntry?: boolean;
  css?: string[];
  imports?: string[];
}

const maxBytes = 150_000;
const dir = await buildUi();
const manifest = JSON.parse(readFileSync(path.join(dir, 'manifest.json'), 'utf8')) as Record<string, Chunk>;
const files = new Set<string>();
for (const [name, chunk] of Object.entries(manifest)) if (chunk.isEntry || name === 'style.css') collect(name);
const bytes = [...files].reduce((sum, file) => sum + readFileSync(path.join(dir, `${file}.gz`)).length, 0);
console.log(`the shell of the page is ${(bytes / 1000).toFixed(0)} kB packed, ${maxBytes / 1000} kB at most`);
process.exitCode = bytes <= maxBytes ? 0 : 1;

function collect(name: string): void {
  const chunk = manifest[name];
  if (!chunk || files.has(chunk.file)) return;
  for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
  for (const other of chunk.imports ?? []) collect(other);
}
