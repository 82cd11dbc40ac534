// kubectl and shells start us with whatever Node the machine has. The one we need came with the package.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A checkout has it by the package `node`; a published package by one for each platform. */
function findNode(require) {
  const platform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  for (const name of ['node', `node-${platform}`, `node-bin-${platform}`]) {
    try {
      const node = join(dirname(require.resolve(`${name}/package.json`)), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
      if (existsSync(node)) return node;
    } catch {
      // The next may be there.
    }
  }
}

/** Runs a script with our own Node and answers its exit code. Understood by every Node since 14. */
export function runWithOwnNode(script, args) {
  return new Promise(resolve => {
    const fail = reason => {
      process.stderr.write(
        `error: Drover needs Node 26 or newer, this is ${process.version}: ${reason}\n  run "npm ci" in its folder, install the package without --omit=optional, or install Node 26\n`,
      );
      resolve(1);
    };
    const node = findNode(createRequire(script));
    if (node === undefined) return fail('its own Node is not installed');
    const child = spawn(node, [fileURLToPath(script), ...args], { stdio: 'inherit' });
    // A terminal sends Ctrl-C to both of us; other signals come to us alone.
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
      process.on(name, () => (name === 'SIGINT' && process.stdin.isTTY ? undefined : child.kill(name)));
    child.once('error', error => fail(error.message));
    child.once('close', (code, signal) => resolve(code === null ? 128 + constants.signals[signal] : code));
  });
}
