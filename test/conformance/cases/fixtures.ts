import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { repositoryRoot } from '../../helpers/rig.ts';
import { post, type Case } from '../case.ts';
import { minimalObjects } from '../minimal-objects.ts';
import { envelope, objectMeta, replaceField } from '../protobuf.ts';

/**
 * Kubernetes ships one object of every kind with every field filled, in JSON and in protobuf. Most are invalid, so they exercise decoding, defaulting and
 * every check of validation at once; both encodings must end in the same answer.
 */
export const cases: readonly Case[] = fixtureCases();

function fixtureCases(): Case[] {
  const dir = fixtureDir();
  if (dir === undefined) return [];
  const paths = new Map(
    minimalObjects.map(({ kind, object, path: collection }) => [`${String(object['apiVersion'])} ${kind}`, collection]),
  );
  return readdirSync(dir)
    .filter(name => name.endsWith('.json'))
    .flatMap((name): Case[] => {
      const object = JSON.parse(readFileSync(path.join(dir, name), 'utf8')) as { apiVersion: string; kind: string; metadata: object };
      const collection = paths.get(`${object.apiVersion} ${object.kind}`);
      if (collection === undefined) return [];
      const isNamespaced = collection.includes('{{ns}}');
      const objectName = isNamespaced ? 'full' : 'full-fixture';
      const body = { ...object, metadata: { name: objectName } };
      const raw = rawOf(readFileSync(path.join(dir, name.replace(/\.json$/, '.pb'))));
      const binary = envelope(object.apiVersion, object.kind, replaceField(raw, 1, objectMeta({ name: objectName })));
      return [
        {
          name: `${object.kind} of ${object.apiVersion} with every field`,
          steps: [
            post(`${collection}?dryRun=All`, body),
            post(`${collection}?dryRun=All&fieldValidation=Strict`, binary, {
              headers: { 'Content-Type': 'application/vnd.kubernetes.protobuf', Accept: 'application/json' },
            }),
          ],
        },
      ];
    });
}

function fixtureDir(): string | undefined {
  const listed = spawnSync('go', ['list', '-m', '-f', '{{.Dir}}', 'k8s.io/api'], {
    cwd: path.join(repositoryRoot, 'test/rig/kubernetes'),
    encoding: 'utf8',
  });
  if (listed.status !== 0) return undefined;
  const dir = path.join(listed.stdout.trim(), 'testdata/HEAD');
  return existsSync(dir) ? dir : undefined;
}

/** The object inside the envelope: field 2 of Unknown, after four magic bytes. */
function rawOf(bytes: Buffer): Buffer {
  let at = 4;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const field = varint() >> 3;
    const length = varint();
    if (field === 2) return bytes.subarray(at, at + length);
    at += length;
  }
  throw new Error('fixture holds no object');
}
