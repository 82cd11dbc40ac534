import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '../..');

export interface Subject {
  readonly name: string;
  readonly sha256: string;
}

/** How the files came to be, as a statement of in-toto with the predicate of SLSA. */
export function provenance(subjects: readonly Subject[], { startedAt, version }: { startedAt: Date; version: string }): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const lock = createHash('sha256')
    .update(readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex');
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjects.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://drover.io/release/v1',
        externalParameters: { version, script: 'scripts/release.ts' },
        internalParameters: { isClean: git('status', '--porcelain') === '' },
        resolvedDependencies: [
          { uri: 'git+drover', digest: { gitCommit: git('rev-parse', 'HEAD') } },
          { uri: 'package-lock.json', digest: { sha256: lock } },
        ],
      },
      runDetails: {
        builder: { id: 'https://drover.io/release/local', version: { node: process.version } },
        metadata: { startedOn: startedAt.toISOString(), finishedOn: new Date().toISOString() },
      },
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}
