import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A tree of files and the folder in it that is built. */
export interface OverlayCase {
  readonly name: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly folder: string;
}

const folder = path.join(import.meta.dirname, 'overlays');

/**
 * The hand-written overlays. A text holds several: `=== name [folder]` begins one, `-- file --` a file of it. A file whose name ends in `:base64` is
 * given in base64.
 */
export function readOverlayCases(): OverlayCase[] {
  return readdirSync(folder)
    .filter(name => name.endsWith('.txt'))
    .sort()
    .flatMap(name => parseCases(path.basename(name, '.txt'), readFileSync(path.join(folder, name), 'utf8')));
}

export function parseCases(prefix: string, text: string): OverlayCase[] {
  return text
    .split(/^=== /m)
    .slice(1)
    .map(part => {
      const end = part.indexOf('\n');
      const [name = '', root = '.'] = part
        .slice(0, end)
        .trim()
        .split(/ \[|\]/);
      return { name: `${prefix}: ${name}`, folder: root, files: parseFiles(part.slice(end + 1)) };
    });
}

function parseFiles(text: string): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  const parts = text.split(/^-- (.+) --\n/m);
  for (let i = 1; i < parts.length; i += 2) {
    const [name = '', encoding] = parts[i]!.split(':');
    files.set(name, Buffer.from(parts[i + 1]!, encoding === 'base64' ? 'base64' : 'utf8'));
  }
  return files;
}
