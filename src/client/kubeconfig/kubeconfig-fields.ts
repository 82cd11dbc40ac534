import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isJsonObject, type JsonObject } from '../../util/json.ts';
import type { FoundEntry } from './kubeconfig-file.ts';

/** Reads the fields of one entry and complains with its name. */
export class EntryFields {
  readonly what: string;
  readonly #entry: FoundEntry;

  /** `what` is how messages call the entry: `user "admin"`. */
  constructor(entry: FoundEntry, what: string) {
    this.#entry = entry;
    this.what = what;
  }

  fail(problem: string, cause?: unknown): Error {
    return new Error(`kubeconfig "${this.#entry.file}": ${this.what} ${problem}`, cause === undefined ? undefined : { cause });
  }

  /** '' when absent. */
  text(field: string): string {
    const value = this.#entry.value[field];
    if (value === undefined || value === null) return '';
    if (typeof value !== 'string') throw this.fail(`has a ${field} that is not text; quote it`);
    return value;
  }

  flag(field: string): boolean {
    const value = this.#entry.value[field];
    if (value === undefined || value === null) return false;
    if (typeof value !== 'boolean') throw this.fail(`has a ${field} that is neither true nor false`);
    return value;
  }

  object(field: string): JsonObject | undefined {
    const value = this.#entry.value[field];
    if (value === undefined || value === null) return undefined;
    if (!isJsonObject(value)) throw this.fail(`has a ${field} that is not a mapping`);
    return value;
  }

  objects(field: string): JsonObject[] {
    const value = this.#entry.value[field];
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value) || !value.every(isJsonObject)) throw this.fail(`has ${field} that is not a list of mappings`);
    return value;
  }

  /** A mapping inside the entry, read in the same way. */
  nested(field: string, value: JsonObject): EntryFields {
    return new EntryFields({ file: this.#entry.file, value }, `${field} of ${this.what}`);
  }

  texts(field: string): string[] {
    const value = this.#entry.value[field];
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value) || !value.every(item => typeof item === 'string'))
      throw this.fail(`has ${field} that is not a list of texts`);
    return value;
  }

  /** Paths are relative to the file that names them. '' when absent. */
  path(field: string): string {
    const path = this.text(field);
    return path === '' ? '' : this.resolve(path);
  }

  resolve(path: string): string {
    return resolve(dirname(this.#entry.file), path);
  }

  /** PEM that is written down in base64, or that is in a file. What is written down wins. */
  pem(field: string): string | undefined {
    const inline = this.text(`${field}-data`);
    const path = this.path(field);
    if (inline === '' && path === '') return undefined;
    const pem = inline === '' ? this.#readFile(field, path) : this.#decode(`${field}-data`, inline);
    if (!pem.includes('-----BEGIN ')) throw this.fail(`has a ${inline === '' ? field : `${field}-data`} that holds no PEM`);
    return pem;
  }

  #readFile(field: string, path: string): string {
    try {
      return readFileSync(path, 'utf8');
    } catch (cause) {
      throw this.fail(`names a ${field} that cannot be read`, cause);
    }
  }

  #decode(field: string, base64: string): string {
    const bytes = base64.replace(/[\r\n]/g, '');
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(bytes) || bytes.length % 4 !== 0) throw this.fail(`has a ${field} that is not base64`);
    return Buffer.from(bytes, 'base64').toString('utf8');
  }
}
