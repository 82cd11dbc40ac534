import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { maxFiles, maxUnpackedBytes } from '../archive.ts';
import { withoutMark } from '../read-tar.ts';
import type { ChartFile } from './chart.ts';
import { IgnoreRules } from './ignore-rules.ts';

/** The files of a chart's folder that .helmignore does not leave out, in the order of their names. Links are followed, as Helm does. */
export function readChartFolder(folder: string): ChartFile[] {
  const rules = new IgnoreRules(readIgnoreFile(folder));
  const files: ChartFile[] = [];
  let remaining = maxUnpackedBytes;
  const visit = (path: string): void => {
    for (const name of readdirSync(join(folder, path)).sort()) {
      const inside = path === '' ? name : `${path}/${name}`;
      const found = statSync(join(folder, inside));
      if (rules.ignores(inside, found.isDirectory())) continue;
      if (found.isDirectory()) {
        visit(inside);
        continue;
      }
      if (!found.isFile()) throw new Error(`cannot load irregular file ${inside} as it has file mode type bits set`);
      remaining -= found.size;
      if (remaining < 0) throw new Error(`error reading ${inside}: chart exceeds maximum decompressed size of ${maxUnpackedBytes} bytes`);
      if (files.length >= maxFiles) throw new Error(`chart has more than ${maxFiles} files`);
      files.push({ name: inside, data: Buffer.from(withoutMark(readFileSync(join(folder, inside)))) });
    }
  };
  visit('');
  return files;
}

function readIgnoreFile(folder: string): string {
  try {
    return readFileSync(join(folder, '.helmignore'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
