import { dirname } from 'node:path';
import type { JsonObject } from '../../util/json.ts';
import { writeFileAtomic } from '../../util/write-file-atomic.ts';
import { writeYaml } from '../../yaml/write-yaml.ts';
import { CommandError } from '../exit-codes.ts';
import { makeFolder } from '../../util/make-folder.ts';

/** To a file that only its owner can read. */
export function writeKubeconfig(file: string, document: JsonObject): void {
  try {
    makeFolder(dirname(file));
    writeFileAtomic(file, writeYaml(document), 0o600);
  } catch (cause) {
    throw new CommandError(`cannot write "${file}"`, { cause, hint: 'name another file with -o FILE' });
  }
}
