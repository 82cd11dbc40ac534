/**
 * Adds to package-lock.json the optional packages of other platforms that a registry mirror did not offer when the file was written.
 * Without them `npm ci` calls the lockfile incomplete. They are skipped on install, because they are for another system.
 * Run it after every change of dependencies.
 */
import { readFileSync, writeFileSync } from 'node:fs';

interface Package {
  version?: string;
  optional?: boolean;
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const file = 'package-lock.json';
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Package> };
const systems = ['android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32', 'aix'];
const processors = ['arm64', 'arm', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x', 'loong64'];

let added = 0;
for (const [path, parent] of Object.entries(lock.packages)) {
  if (path === '') continue;
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    if (lock.packages[key]) continue;
    const os = systems.filter(system => name.includes(system));
    const cpu = processors.filter(processor => new RegExp(`[-/]${processor}(-|$)`).test(name)).slice(0, 1);
    lock.packages[key] = {
      version,
      ...(parent.dev && { dev: true }),
      optional: true,
      ...(os.length > 0 && { os }),
      ...(cpu.length > 0 && { cpu }),
      ...(name.includes('musl') && { libc: ['musl'] }),
    };
    added++;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`);
console.log(`added ${added} packages of other platforms to ${file}`);
