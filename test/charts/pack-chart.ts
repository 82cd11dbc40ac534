import { gzipSync } from 'node:zlib';
import { writeTar } from '../../scripts/image/tar.ts';

/** A packed chart called "c" with these files; Chart.yaml is there unless another is given. */
export function packChart(files: Readonly<Record<string, string>>): Buffer {
  const all = { 'Chart.yaml': 'apiVersion: v2\nname: c\nversion: 1.0.0\n', ...files };
  const entries = Object.entries(all).map(([name, text]) => ({ path: `c/${name}`, type: 'file' as const, data: Buffer.from(text) }));
  return gzipSync(writeTar(entries));
}
