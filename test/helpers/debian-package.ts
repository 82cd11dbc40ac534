import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { cachePath } from '../../scripts/machine-cache.ts';

/**
 * The files of a Debian package, unpacked beside the other programs of the rig: nothing is installed, no service is started, and no lock is waited for.
 * Answers the folder that stands for `/`, or why there is none.
 */
export function debianPackage(name: string): { readonly root: string } | { readonly missing: string } {
  const root = cachePath(path.join('debian', name));
  if (existsSync(root)) return { root };
  const scratch = `${root}.${process.pid}`;
  mkdirSync(path.join(scratch, 'root'), { recursive: true });
  try {
    download(name, scratch);
    const [file] = globSync(`${name}_*.deb`, { cwd: scratch });
    execFileSync('dpkg', ['-x', path.join(scratch, file!), path.join(scratch, 'root')], { stdio: 'pipe' });
    renameSync(path.join(scratch, 'root'), root);
    return { root };
  } catch (error) {
    // Somebody else may have been quicker.
    if (existsSync(root)) return { root };
    if (process.env['CI'] === 'true') throw error;
    return { missing: `skipped: the Debian package ${name} cannot be downloaded here` };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The lists of packages may be old, or not there at all. */
function download(name: string, cwd: string): void {
  try {
    execFileSync('apt-get', ['download', name], { cwd, stdio: 'pipe' });
  } catch {
    execFileSync('apt-get', ['update'], { stdio: 'pipe' });
    execFileSync('apt-get', ['download', name], { cwd, stdio: 'pipe' });
  }
}
