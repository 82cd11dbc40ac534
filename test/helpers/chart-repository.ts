import type { RequestListener } from 'node:http';
import { digestOf } from '../../src/sources/digest.ts';
import { packedChart } from './chart-files.ts';

export interface RepositoryFiles {
  readonly files: Map<string, Buffer>;
  readonly answer: RequestListener;
}

/** The files of a repository with some versions of charts, and a server of them that knows entity tags. */
export function chartRepository(
  charts: Readonly<Record<string, readonly string[]>>,
  options: { authorization?: string; prefix?: string } = {},
): RepositoryFiles {
  const files = new Map<string, Buffer>();
  let index = 'apiVersion: v1\nentries:\n';
  for (const [name, versions] of Object.entries(charts)) {
    index += `  ${name}:\n`;
    for (const version of versions) {
      const bytes = packedChart(name, version);
      const file = `${name}-${version}.tgz`;
      files.set(`/${file}`, bytes);
      index += `  - apiVersion: v2\n    description: |\n      The chart\n      other:\n    digest: ${digestOf(bytes).slice(7)}\n    name: ${name}\n    urls:\n    - ${options.prefix ?? ''}${file}\n    version: ${version}\n`;
    }
  }
  files.set('/index.yaml', Buffer.from(`${index}generated: "2026-01-01T00:00:00Z"\n`));
  const answer: RequestListener = (req, res) => {
    if (options.authorization !== undefined && req.headers.authorization !== options.authorization) return void res.writeHead(401).end();
    const file = files.get((req.url ?? '').split('?', 1)[0]!);
    if (!file) return void res.writeHead(404).end('nothing here');
    const etag = `"${digestOf(file).slice(7, 20)}"`;
    if (req.headers['if-none-match'] === etag) return void res.writeHead(304).end();
    res.writeHead(200, { etag }).end(file);
  };
  return { files, answer };
}
