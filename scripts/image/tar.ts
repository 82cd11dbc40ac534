/** An entry of a tar archive. Everything that is not said is the same for all: owner root, time 0. */
export type TarEntry =
  | { readonly path: string; readonly type: 'file'; readonly data: Uint8Array; readonly mode?: number }
  | { readonly path: string; readonly type: 'folder'; readonly mode?: number }
  | { readonly path: string; readonly type: 'link'; readonly target: string };

const blockBytes = 512;

/** Writes a tar archive whose bytes depend on its entries alone, in the order of their paths. */
export function writeTar(entries: readonly TarEntry[]): Buffer {
  const parts: Buffer[] = [];
  for (const entry of [...entries].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const data = entry.type === 'file' ? Buffer.from(entry.data) : Buffer.alloc(0);
    parts.push(header(entry, data.length), data, Buffer.alloc((blockBytes - (data.length % blockBytes)) % blockBytes));
  }
  parts.push(Buffer.alloc(2 * blockBytes));
  return Buffer.concat(parts);
}

const types = { file: '0', folder: '5', link: '2' } as const;

function header(entry: TarEntry, size: number): Buffer {
  const { name, prefix } = splitPath(entry.type === 'folder' ? `${entry.path}/` : entry.path);
  const block = Buffer.alloc(blockBytes);
  const mode = entry.type === 'link' ? 0o777 : (entry.mode ?? (entry.type === 'folder' ? 0o755 : 0o644));
  block.write(name, 0);
  block.write(octal(mode, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(size, 11), 124);
  block.write(octal(0, 11), 136);
  block.write('        ', 148);
  block.write(types[entry.type], 156);
  if (entry.type === 'link') block.write(entry.target, 157);
  block.write('ustar\u000000', 257);
  block.write(prefix, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148);
  return block;
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');

/** Long paths go into two fields, cut at a slash. */
function splitPath(path: string): { name: string; prefix: string } {
  if (Buffer.byteLength(path) <= 100) return { name: path, prefix: '' };
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (name !== '' && Buffer.byteLength(name) <= 100 && Buffer.byteLength(prefix) <= 155) return { name, prefix };
  }
  throw new Error(`path "${path}" is too long for a tar archive`);
}
