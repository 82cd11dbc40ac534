import { compareElements, printElement } from './path-element.ts';

/**
 * A set of field paths, in the very shape FieldsV1 has on the wire: a tree of path elements. A child without keys is a member;
 * a child with `.` is a member that has members below it; any other child only leads to members. The root is never a member.
 * Trees are persistent: never changed once built, shared freely, and operations return an operand itself when it is the answer.
 * The keys of every node are in the order of the real server, `.` first.
 */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

type Building = Record<string, FieldSet>;

/** A member with nothing below it, and, as a root, the empty set. */
export const leaf: FieldSet = Object.freeze({});
export const emptySet: FieldSet = leaf;

export function isEmptySet(set: FieldSet): boolean {
  if (set === leaf) return true;
  for (const _ in set) return false;
  return true;
}

const hasSelf = (node: FieldSet) => node['.'] !== undefined || isEmptySet(node);

/** The node with its elements in order: itself if they are. */
export function inOrder(node: Building): FieldSet {
  let last = '';
  for (const element in node) {
    if (last !== '' && compareElements(last, element) > 0) return reordered(node);
    last = element;
  }
  return node;
}

function reordered(node: FieldSet): FieldSet {
  const out: Building = {};
  for (const element of Object.keys(node).sort(compareElements)) out[element] = node[element] as FieldSet;
  return out;
}

/** The node with or without its own membership; undefined when nothing is left. */
function assemble(isMember: boolean, children: Building | undefined): FieldSet | undefined {
  if (children === undefined) return isMember ? leaf : undefined;
  if (!isMember) return children;
  return { '.': leaf, ...children };
}

export function withSelf(node: FieldSet | undefined): FieldSet {
  if (node === undefined || node === leaf) return leaf;
  return hasSelf(node) ? node : { '.': leaf, ...node };
}

export function setOfPaths(paths: readonly (readonly string[])[]): FieldSet {
  const root: Building = {};
  for (const path of paths) {
    let node = root;
    path.forEach((element, i) => {
      const isLast = i === path.length - 1;
      const next: Building = { ...node[element] };
      if (isLast) {
        if (!isEmptySet(next)) next['.'] = leaf;
      } else if (node[element] !== undefined && isEmptySet(next)) next['.'] = leaf;
      node[element] = isLast && isEmptySet(next) ? leaf : next;
      node = next;
    });
  }
  return orderedTree(root);
}

/** Puts a tree from outside in order, all the way down. */
export function orderedTree(node: FieldSet): FieldSet {
  if (isEmptySet(node)) return leaf;
  const out: Building = {};
  for (const element in node) out[element] = orderedTree(node[element] as FieldSet);
  return inOrder(out);
}

export function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path) {
    node = node[element];
    if (node === undefined) return false;
  }
  return path.length > 0 && hasSelf(node);
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptySet(b)) return a;
  if (isEmptySet(a)) return b;
  return unionNodes(a, b);
}

function unionNodes(a: FieldSet, b: FieldSet): FieldSet {
  let out: Building | undefined;
  for (const element in b) {
    const right = b[element] as FieldSet;
    const left = a[element];
    const both = left === undefined || left === right ? right : unionChildren(left, right);
    if (both === left) continue;
    out ??= { ...a };
    out[element] = both;
  }
  return out === undefined ? a : inOrder(out);
}

function unionChildren(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(a)) return withSelf(b);
  if (isEmptySet(b)) return withSelf(a);
  return unionNodes(a, b);
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  return intersectChildren(a, b) ?? emptySet;
}

function intersectNodes(a: FieldSet, b: FieldSet): FieldSet | undefined {
  if (a === b) return a;
  return assemble(hasSelf(a) && hasSelf(b), intersectChildren(a, b));
}

function intersectChildren(a: FieldSet, b: FieldSet): Building | undefined {
  let out: Building | undefined;
  for (const element in a) {
    const right = b[element];
    if (right === undefined || element === '.') continue;
    const both = intersectNodes(a[element] as FieldSet, right);
    if (both === undefined) continue;
    out ??= {};
    out[element] = both;
  }
  return out;
}

/** Members of `a` that are not members of `b`, each path on its own. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, false, true) ?? emptySet;
}

/** As `difference`, but a member of `b` takes everything below it away too. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, true, true) ?? emptySet;
}

function subtract(a: FieldSet, b: FieldSet, isRecursive: boolean, isRoot: boolean): FieldSet | undefined {
  if (isRoot ? isEmptySet(b) : a === b) return isRoot ? a : undefined;
  if (!isRoot && isRecursive && hasSelf(b)) return undefined;
  const wasMember = !isRoot && hasSelf(a);
  const isMember = wasMember && !hasSelf(b);
  let out: Building | undefined;
  let isChanged = wasMember !== isMember;
  for (const element in a) {
    if (element === '.') continue;
    const left = a[element] as FieldSet;
    const right = b[element];
    const rest = right === undefined ? left : subtract(left, right, isRecursive, false);
    if (rest !== left) isChanged = true;
    if (rest === undefined) continue;
    out ??= {};
    out[element] = rest;
  }
  return isChanged ? assemble(isMember, out) : a;
}

export function isSubset(a: FieldSet, b: FieldSet): boolean {
  return a === b || isEmptySet(difference(a, b));
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  let size = 0;
  for (const element in a) {
    const right = b[element];
    if (right === undefined || !equalSets(a[element] as FieldSet, right)) return false;
    size++;
  }
  for (const _ in b) size--;
  return size === 0;
}

/** All members, printed as messages print them: those of one level first, then what lies below each. */
export function printPaths(set: FieldSet): string[] {
  const out: string[] = [];
  collect(set, '');
  return out;

  function collect(node: FieldSet, prefix: string): void {
    const elements = Object.keys(node).filter(element => element !== '.');
    for (const element of elements) if (hasSelf(node[element] as FieldSet)) out.push(prefix + printElement(element));
    for (const element of elements) collect(node[element] as FieldSet, prefix + printElement(element));
  }
}

export function hasMember(set: FieldSet, element: string): boolean {
  const node = set[element];
  return node !== undefined && hasSelf(node);
}

/** What lies below one element; undefined when nothing does. */
export function below(set: FieldSet, element: string): FieldSet | undefined {
  const node = set[element];
  return node === undefined || isEmptySet(node) ? undefined : node;
}
