import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';

const draftOf = (file: string) => `${file}.${process.pid}.tmp`;

/** Writes a file whole or not at all, also when the power fails. */
export function writeFileAtomic(file: string, text: string | Uint8Array, mode: number): void {
  const temporary = draftOf(file);
  const handle = openSync(temporary, 'w', mode);
  try {
    writeFileSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(temporary, file);
}

/** The same, without keeping everybody waiting for the disk. Two writes of one file must follow each other. */
export async function writeFileAtomically(file: string, text: string, mode: number): Promise<void> {
  const temporary = draftOf(file);
  {
    await using handle = await open(temporary, 'w', mode);
    await handle.writeFile(text);
    await handle.sync();
  }
  await rename(temporary, file);
}
