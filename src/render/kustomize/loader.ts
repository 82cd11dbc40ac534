import path from 'node:path';
import type { BuildContext } from './build-context.ts';
import { decodeText } from './data-map.ts';
import { BoundError, KustomizeError } from './kustomize-error.ts';

/** Something that lies elsewhere. It is refused: what is built depends on nothing but the files that are given. */
export class RemoteError extends BoundError {}

const remote = /^(?:git::)?(?:(?:https?|ssh|file|git):\/\/|[\w.~-]+@[\w.-]+[:/]|github\.com[:/])/i;

/** The files a build may read, as a tree whose root is `/`. */
export interface Tree {
  read(full: string): Uint8Array | undefined;
  isFolder(full: string): boolean;
  /** Where links lead to. Throws unless something is there. */
  expect(full: string): string;
}

export class FileTree implements Tree {
  private readonly files = new Map<string, Uint8Array>();
  private readonly folders = new Set<string>(['/']);

  constructor(files: ReadonlyMap<string, Uint8Array>) {
    for (const [name, bytes] of files) {
      const full = path.posix.join('/', name);
      if (name.split('/').includes('..')) throw new KustomizeError(`file "${name}" leads out of its tree`);
      this.files.set(full, bytes);
      for (let folder = path.posix.dirname(full); folder !== '/'; folder = path.posix.dirname(folder)) this.folders.add(folder);
    }
  }

  read(full: string): Uint8Array | undefined {
    return this.files.get(full);
  }

  isFolder(full: string): boolean {
    return this.folders.has(full);
  }

  expect(full: string): string {
    if (this.files.has(full) || this.folders.has(full)) return full;
    let missing = full;
    for (let parent = path.posix.dirname(missing); !this.folders.has(parent); parent = path.posix.dirname(missing)) missing = parent;
    throw new KustomizeError(`evalsymlink failure on '${full}' : lstat ${missing}: no such file or directory`);
  }
}

/** Reads the files of one kustomization, and opens the ones it refers to. */
export class Loader {
  readonly root: string;
  private readonly tree: Tree;
  private readonly context: BuildContext;
  private readonly referrer: Loader | undefined;

  private constructor(context: BuildContext, tree: Tree, root: string, referrer?: Loader) {
    this.context = context;
    this.tree = tree;
    this.root = root;
    this.referrer = referrer;
  }

  static at(context: BuildContext, tree: Tree, folder: string): Loader {
    return new Loader(context, tree, confirmFolder(tree, within(folder.replace(/^\/+/, ''), '/')));
  }

  /** Files must lie in the folder of the kustomization or below. */
  load(name: string): Uint8Array {
    if (/^https?:\/\//i.test(name)) throw refused(name);
    const full = this.tree.expect(within(name, this.root));
    const bytes = this.tree.read(full);
    if (!bytes) throw new KustomizeError(`'${full}' must resolve to a file`);
    if (!isInside(path.posix.dirname(full), this.root)) {
      throw new KustomizeError(`security; file '${full}' is not in or below '${this.root}'`);
    }
    this.context.countFile(full, bytes.length);
    return bytes;
  }

  loadText(name: string): string {
    const text = decodeText(this.load(name));
    if (text === undefined) throw new KustomizeError('MalformedYAMLError: yaml: invalid leading UTF-8 octet');
    return text;
  }

  /** The loader of another kustomization. */
  open(name: string): Loader {
    if (name === '') throw new KustomizeError('new root cannot be empty');
    if (remote.test(name)) throw refused(name);
    if (path.posix.isAbsolute(name)) throw new KustomizeError(`new root '${name}' cannot be absolute`);
    if (name.split('/').some(part => part.includes('..') && part !== '..')) {
      throw new KustomizeError(
        `path "${name}" is ambiguous: resolves to "${path.posix.normalize(name)}" after normalization, which is likely not the intended target; ` +
          'check for YAML indentation errors in your kustomization file',
      );
    }
    const root = confirmFolder(this.tree, within(name, this.root));
    const visited = [this.root, ...this.referrers()];
    const cycle = visited.find(folder => isInside(folder, root));
    if (cycle !== undefined) throw new KustomizeError(`cycle detected: candidate root '${root}' contains visited root '${cycle}'`);
    const { maxDepth } = this.context.bounds;
    if (visited.length > maxDepth) throw new BoundError(`kustomizations are nested more than ${maxDepth} deep`);
    return new Loader(this.context, this.tree, root, this);
  }

  /** The folders of the kustomizations that led here. */
  private referrers(): string[] {
    return this.referrer ? [this.referrer.root, ...this.referrer.referrers()] : [];
  }
}

function refused(name: string): RemoteError {
  return new RemoteError(`remote resource "${name}" is refused: a kustomization may refer only to files that are delivered with it`);
}

const isInside = (folder: string, root: string): boolean => root === '/' || folder === root || folder.startsWith(`${root}/`);

/** The full path of a name that is relative to a folder. */
function within(name: string, folder: string): string {
  if (path.posix.isAbsolute(name)) {
    throw new KustomizeError(`evalsymlink failure on '${name}' : lstat ${name}: no such file or directory`);
  }
  const relative = path.posix.join(folder.slice(1), name);
  if (relative === '..' || relative.startsWith('../'))
    throw new KustomizeError(`security; '${name}' leads out of the files that are given`);
  return path.posix.join('/', relative).replace(/(.)\/$/, '$1');
}

function confirmFolder(tree: Tree, named: string): string {
  let full: string;
  try {
    full = tree.expect(named);
  } catch (cause) {
    throw new KustomizeError(`must build at directory: not a valid directory: ${(cause as Error).message}`, { cause });
  }
  if (!tree.isFolder(full)) throw new KustomizeError(`must build at directory: '${full}': file is not directory`);
  return full;
}
