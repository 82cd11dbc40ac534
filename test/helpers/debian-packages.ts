import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** What stories need of the machine besides the rig. */
export const neededPackages = {
  /** A node that runs containers. */
  containers: {
    files: ['/usr/lib/cni/bridge'],
    programs: ['containerd', 'ctr', 'runc', 'iptables', 'conntrack', 'busybox'],
    packages: ['containerd', 'runc', 'containernetworking-plugins', 'iptables', 'iproute2', 'conntrack', 'busybox-static'],
  },
  /** Shells that people complete in, besides bash. */
  shells: { files: [], programs: ['zsh', 'fish'], packages: ['zsh', 'fish'] },
  /** What tests run beside our programs, or are left out for the want of. */
  tools: { files: [], programs: ['git', 'ssh', 'openssl'], packages: ['git', 'openssh-client', 'openssl'] },
  browser: {
    files: ['/usr/bin/chromium-headless-shell'],
    programs: [],
    packages: ['chromium-headless-shell', 'fonts-dejavu-core'],
  },
} as const;
export type Need = keyof typeof neededPackages;

/** Programs and files that are not there. */
export function lacking(need: Need): string[] {
  const { files, programs } = neededPackages[need];
  return [
    ...programs.filter(name => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0),
    ...files.filter(name => !existsSync(name)),
  ];
}

/** Installs what is missing with apt-get, as root. Throws when that is not possible. Others who install something meanwhile are waited for. */
export function installMissing(...needs: readonly Need[]): void {
  const missing = needs.filter(need => lacking(need).length > 0);
  if (missing.length === 0) return;
  const packages = missing.flatMap(need => [...neededPackages[need].packages]);
  const install = () => apt('install', '-y', '--no-install-recommends', ...packages);
  if (install() === undefined) return;
  // The lists of packages may be old, or not there at all.
  const problem = apt('update') ?? install();
  if (problem !== undefined) throw new Error(`cannot install ${packages.join(' ')}: ${problem}`);
}

/** What went wrong. */
function apt(...args: string[]): string | undefined {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status, stderr, error } = spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=600', ...args], { env, encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.slice(-500));
}
