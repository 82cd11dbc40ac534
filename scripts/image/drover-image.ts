import { execFileSync } from 'node:child_process';
import { globSync, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { findPage } from '../../src/gateway/page/page-files.ts';
import { repositoryRoot } from '../../test/helpers/rig.ts';
import { foreignSystem } from './foreign-system.ts';
import { ownArchitecture, type Architecture, type ImageOptions } from './oci-archive.ts';
import type { TarEntry } from './tar.ts';

const home = 'opt/drover';
const userId = 65532;

/** One image for hub and agent: Node, what Node links to, and Drover with what it needs to run. */
export function droverImage(name: string, { forAllProcessors = false } = {}): ImageOptions {
  const system = () => ({ amd64: systemLayer('amd64'), arm64: systemLayer('arm64') });
  return {
    name,
    ...(forAllProcessors ? { systems: system(), layers: [droverLayer()] } : { layers: [systemLayer(ownArchitecture), droverLayer()] }),
    config: {
      Entrypoint: ['/usr/local/bin/node', `/${home}/bin/drover.js`],
      Cmd: ['up', '--data', '/data', '--listen', '0.0.0.0:7443'],
      // The image may be read-only: compiled code is kept only where there is a place for it.
      Env: ['PATH=/usr/local/bin:/usr/bin:/bin', 'NODE_ENV=production', 'NODE_DISABLE_COMPILE_CACHE=1', 'HOME=/data'],
      User: `${userId}:${userId}`,
      WorkingDir: `/${home}`,
      Labels: {
        'org.opencontainers.image.title': 'drover',
        'org.opencontainers.image.description': 'Drives herds of Kubernetes clusters: hub and agent.',
        'org.opencontainers.image.licenses': 'Apache-2.0',
      },
    },
  };
}

function systemLayer(architecture: Architecture): TarEntry[] {
  const text = (file: string, content: string): TarEntry => ({ path: file, type: 'file', data: Buffer.from(content) });
  return withFolders([
    ...(architecture === ownArchitecture ? ownSystem() : foreignSystem(architecture)),
    text('etc/passwd', `root:x:0:0:root:/:/sbin/nologin\ndrover:x:${userId}:${userId}:drover:/data:/sbin/nologin\n`),
    text('etc/group', `root:x:0:\ndrover:x:${userId}:\n`),
    text('etc/nsswitch.conf', 'hosts: files dns\n'),
    { path: 'tmp', type: 'folder', mode: 0o1777 },
    { path: 'data', type: 'folder', mode: 0o1777 },
  ]);
}

function ownSystem(): TarEntry[] {
  const node = realpathSync(path.join(repositoryRoot, 'node_modules/node/bin/node'));
  return [{ path: 'usr/local/bin/node', type: 'file', data: readFileSync(node), mode: 0o755 }, ...librariesOf(node)];
}

/** Shared libraries under the very paths at which the loader looks for them; those for names and addresses are loaded later, by name. */
function librariesOf(program: string): TarEntry[] {
  const listed = execFileSync('ldd', [program], { encoding: 'utf8' });
  const files = [...listed.matchAll(/(\/\S+\.so\S*)/g)].map(match => match[1]!);
  const libc = files.find(file => /\/libc\.so/.test(file));
  if (!libc) throw new Error(`cannot tell which libraries "${program}" needs`);
  const lookups = ['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2'].map(name => path.join(path.dirname(libc), name));
  return [...files, ...lookups].map(file => ({ path: file.slice(1), type: 'file', data: readFileSync(realpathSync(file)), mode: 0o755 }));
}

function droverLayer(): TarEntry[] {
  const entries: TarEntry[] = [];
  const add = (folder: string, isWanted: (name: string) => boolean = () => true): void => {
    for (const name of readdirSync(path.join(repositoryRoot, folder)).sort()) {
      const inside = `${folder}/${name}`;
      const found = lstatSync(path.join(repositoryRoot, inside));
      if (found.isSymbolicLink() || !isWanted(inside)) continue;
      if (found.isDirectory()) add(inside, isWanted);
      else
        entries.push({
          path: `${home}/${inside}`,
          type: 'file',
          data: readFileSync(path.join(repositoryRoot, inside)),
          mode: found.mode & 0o111 ? 0o755 : 0o644,
        });
    }
  };
  add('bin');
  add('examples');
  add('src', name => !name.endsWith('.test.ts'));
  for (const folder of productionPackages()) add(folder);
  const page = findPage();
  for (const file of page === undefined ? [] : globSync('**/*.*', { cwd: page }).toSorted())
    entries.push({ path: `${home}/dist/ui/${file}`, type: 'file', data: readFileSync(path.join(page!, file)) });
  for (const name of ['package.json', 'LICENSE']) {
    entries.push({ path: `${home}/${name}`, type: 'file', data: readFileSync(path.join(repositoryRoot, name)) });
  }
  return withFolders(entries);
}

/** Packages that are needed to run, without Node itself, which the image has already. */
export function productionPackages(): string[] {
  interface Locked {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly optional?: boolean }>>;
  }
  const { packages } = JSON.parse(readFileSync(path.join(repositoryRoot, 'package-lock.json'), 'utf8')) as Locked;
  return Object.entries(packages)
    .filter(([folder, one]) => folder !== '' && !one.dev && !one.optional)
    .map(([folder]) => folder)
    .filter(folder => !/\/node(?:-bin-setup|-linux-.*|-darwin-.*|-win-.*)?$/.test(folder));
}

/** The entries with all folders that lead to them. */
export function withFolders(entries: readonly TarEntry[]): TarEntry[] {
  const known = new Map(entries.map(entry => [entry.path, entry]));
  for (const { path: file } of entries) {
    for (let folder = path.posix.dirname(file); folder !== '.' && !known.has(folder); folder = path.posix.dirname(folder)) {
      known.set(folder, { path: folder, type: 'folder' });
    }
  }
  return [...known.values()];
}
