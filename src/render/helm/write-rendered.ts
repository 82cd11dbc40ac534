import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RenderedChart } from './render-chart.ts';

/** Writes each rendered file into a folder, in the order of installation. Says which files it wrote, once for each document. */
export function writeRendered({ manifests, hooks, definitions }: RenderedChart, folder: string, release: string | undefined): string[] {
  const written: string[] = [];
  const put = (into: string, name: string, content: string): void => {
    // Names come from the chart and were cleaned when it was read.
    const file = `${into}/${name}`;
    const text = `---\n# Source: ${name}\n${content}\n`;
    mkdirSync(path.dirname(file), { recursive: true });
    if (written.includes(file)) appendFileSync(file, text);
    else writeFileSync(file, text);
    written.push(file);
  };
  const inside = release === undefined ? folder : path.join(folder, release);
  for (const { path: name, data } of definitions) put(folder, name, data.toString());
  for (const { path: name, content } of [...manifests, ...hooks]) put(inside, name, content);
  return written;
}
