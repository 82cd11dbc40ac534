import type { CelType } from './cel-type.ts';
import {
  addSizes,
  fixedSize,
  multiplySizes,
  patternTraversal,
  product,
  traversal,
  unionOfEntries,
  unionOfSizes,
  walk,
  type EntrySize,
  type Size,
} from './size-estimate.ts';

/** A part of an expression as the cost of a call depends on it. */
export interface CostedNode {
  readonly type: CelType;
  readonly size: Size;
  readonly entry: EntrySize | undefined;
  /** Of a list. */
  readonly element?: { readonly type: CelType; readonly size: Size };
  /** Of a number that is written out. */
  readonly integer?: number;
}

export interface CostedCall {
  /** With its namespace, if it has one. */
  readonly name: string;
  readonly target: CostedNode | undefined;
  readonly args: readonly CostedNode[];
  readonly argCosts: readonly number[];
}

export interface CallCost {
  /** Arguments included, the target not. */
  readonly cost: number;
  readonly size?: Size | undefined;
  readonly entry?: EntrySize | undefined;
}

/** The cost of a call at most, and what is known of its result. */
export function callCost(call: CostedCall): CallCost {
  const args = call.argCosts.reduce((total, cost) => total + cost, 0);
  const [left, right] = call.argCosts;
  switch (call.name) {
    case '_&&_':
    case '_||_':
      return { cost: args };
    case '_?_:_': {
      const [, yes, no] = call.args as [CostedNode, CostedNode, CostedNode];
      return {
        cost: left! + Math.max(right!, call.argCosts[2]!),
        size: unionOfSizes(yes.size, no.size),
        entry: unionOfEntries(yes.entry, no.entry),
      };
    }
  }
  const own = (Object.hasOwn(libraryCosts, call.name) ? libraryCosts[call.name]!(call) : undefined) ?? standardCost(call) ?? { cost: 1 };
  return { ...own, cost: own.cost + args };
}

type Cost = (call: CostedCall) => CallCost | undefined;

const fixed =
  (cost: number): Cost =>
  () => ({ cost });
const one = fixed(1);
/** Walks through what it is called on, which is as long as what comes of it. */
const walksTarget: Cost = ({ target }) => target && { cost: walk(target.size), size: target.size };
const walksArgument =
  (times = 1): Cost =>
  ({ args: [first] }) =>
    first && { cost: walk(first.size, times * traversal) };

/** An element is compared with each of a list; texts character by character. */
const comparesElements: Cost = ({ target }) => {
  if (!target) return undefined;
  if (!target.element) return { cost: walk(target.size) };
  const { type, size } = target.element;
  return { cost: product(target.size.max, isText(type) ? 1 + walk(size) : 1) };
};

const matchesPattern: Cost = ({ target, args: [pattern] }) => {
  if (!target || !pattern) return undefined;
  const cost = product(walk(addSizes(target.size, { min: 1, max: 1 })), walk(pattern.size, patternTraversal));
  return { cost };
};

/** Addresses have four or sixteen bytes. */
const address = walk({ min: 8, max: 32 });

const libraryCosts: Readonly<Record<string, Cost>> = {
  check: fixed(350_000),
  ...costsOf(
    ['serviceAccount', 'path', 'group', 'resource', 'subresource', 'namespace', 'name', 'allowed', 'reason', 'error', 'errored'],
    one,
  ),
  ...costsOf(['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'], comparesElements),
  ...costsOf(['url', 'jsonpatch.escapeKey'], ({ args: [first] }) => first && { cost: walk(first.size), size: first.size }),
  ...costsOf(['lowerAscii', 'upperAscii', 'substring', 'trim'], walksTarget),
  replace: replaceCost,
  split: ({ target, args }) =>
    target && { cost: walk(target.size, 2 * traversal), size: { min: 0, max: args[1]?.integer ?? target.size.max } },
  join: joinCost,
  ...costsOf(['find', 'findAll'], call => {
    const found = matchesPattern(call);
    return found && { ...found, size: { min: 0, max: call.target!.size.max } };
  }),
  ...costsOf(['cidr', 'isIP', 'isCIDR', 'quantity', 'isQuantity', 'semver', 'isSemver'], walksArgument()),
  ip: call => (call.target ? { cost: 1 } : walksArgument()(call)),
  'ip.isCanonical': walksArgument(2),
  ...costsOf(
    ['masked', 'prefixLength', 'family', 'isUnspecified', 'isLoopback', 'isLinkLocalMulticast', 'isLinkLocalUnicast', 'isGlobalUnicast'],
    one,
  ),
  containsIP: ({ args: [other] }) => other && { cost: address + (isText(other.type) ? walk(other.size) : 0) },
  containsCIDR: ({ args: [other] }) =>
    other && { cost: address + walk({ min: 4, max: 16 }) + 1 + (isText(other.type) ? walk(other.size) : 0) },
  validate: ({ args: [first] }) => first && { cost: Math.ceil(product(walk(first.size), 128 * patternTraversal)) },
  'format.named': one,
  ...costsOf(['sign', 'asInteger', 'isInteger', 'asApproximateFloat', 'isGreaterThan', 'isLessThan', 'compareTo', 'add', 'sub'], one),
  ...costsOf(['major', 'minor', 'patch', 'getScheme', 'getHostname', 'getHost', 'getPort', 'getEscapedPath', 'getQuery'], one),
  ...costsOf(['sets.contains', 'sets.intersects'], setCost(1)),
  'sets.equivalent': setCost(2),
  slice: ({ target, args: [start, end] }) => target && listCost(1, fixedSize((end?.integer ?? target.size.max) - (start?.integer ?? 0))),
  'lists.range': ({ args: [count] }) => listCost(1, fixedSize(count?.integer ?? Infinity)),
  reverse: ({ target }) => (target?.element ? listCost(1, target.size) : undefined),
  flatten: ({ target, args: [depth] }) => target && listCost(depth ? (depth.integer ?? Infinity) : 1, target.size),
  distinct: ({ target }) => target && listCost(2, multiplySizes(target.size, target.size)),
  sort: ({ target }) => target && sortCost(target),
  '_==_': ({ args: [a, b] }) => (isOpaquePair(a, b) ? { cost: 1 } : undefined),
};

function setCost(factor: number): Cost {
  return ({ args: [a, b] }) => a && b && { cost: walk(multiplySizes(a.size, b.size), factor) + 1 };
}

/** A call that makes a list of this size. */
function listCost(factor: number, size: Size): CallCost {
  return { cost: walk(size, factor) + 1 + 10, size };
}

/** Of a list, or of the keys by which another is sorted. */
export function sortCost({ size, element }: CostedNode): CallCost {
  const isTexts = element !== undefined && (isText(element.type) || isBytes(element.type));
  return listCost(isTexts ? 2 + traversal : 2, multiplySizes(size, size));
}

function costsOf(names: readonly string[], cost: Cost): Record<string, Cost> {
  return Object.fromEntries(names.map(name => [name, cost]));
}

function replaceCost({ target, args: [from, to] }: CostedCall): CallCost | undefined {
  if (!target || !from || !to) return undefined;
  const { size } = target;
  const shrinks = to.size.max <= from.size.min;
  const most = from.size.min === 0 ? [size.max + 1, size.max] : shrinks ? [0, size.max] : [Math.ceil(size.max / from.size.min), 0];
  const grows = from.size.max <= to.size.min;
  const least = from.size.max === 0 ? [size.min + 1, size.min] : grows ? [0, size.min] : [Math.ceil(size.min / from.size.max), 0];
  const result = { min: product(least[0]!, to.size.min) + least[1]!, max: product(most[0]!, to.size.max) + most[1]! };
  return { cost: walk(size, 2 * traversal), size: result };
}

function joinCost({ target, args: [separator] }: CostedCall): CallCost | undefined {
  if (!target) return undefined;
  const items = target.element ? multiplySizes(target.size, target.element.size) : { min: 0, max: 0 };
  const gaps = { min: Math.max(0, target.size.min - 1), max: Math.max(0, target.size.max - 1) };
  const size = separator ? addSizes(items, multiplySizes(separator.size, gaps)) : items;
  return { cost: walk(size), size };
}

/** What the language itself has. Where types leave open which of several functions runs, the dearest counts. */
function standardCost({ name, target, args }: CostedCall): CallCost | undefined {
  const [a, b] = args;
  switch (name) {
    case 'format':
      return target && { cost: walk(target.size) };
    case 'bytes':
      return a && isText(a.type) ? { cost: walk(a.size), size: { min: a.size.min, max: a.size.max * 4 } } : undefined;
    case 'string':
      return a && isBytes(a.type) ? { cost: walk(a.size), size: { min: Math.floor(a.size.min / 4), max: a.size.max } } : undefined;
    case 'strings.quote':
      return a && { cost: walk(a.size), size: { min: a.size.min + 2, max: a.size.max * 2 + 2 } };
    case 'startsWith':
    case 'endsWith':
      return target && a && { cost: walk(a.size) };
    case '@in':
      return b && mayBe(b.type, 'list') ? { cost: walk(b.size, 1) } : undefined;
    case 'matches':
      return matchesPattern({ name, target, args, argCosts: [] });
    case 'contains':
      return target && a && { cost: product(walk(target.size), walk(a.size)) };
    case '_+_':
      return a && b && sumCost(a, b);
    case '_<_':
    case '_>_':
    case '_<=_':
    case '_>=_':
      return a && b && (isTextual(a.type) || isTextual(b.type)) ? comparison(a, b) : undefined;
    case '_==_':
    case '_!=_':
      return a && b && comparison(a, b);
    default:
      return undefined;
  }
}

const comparison = (a: CostedNode, b: CostedNode): CallCost => ({ cost: walk({ min: 0, max: Math.min(a.size.max, b.size.max) }) });

function sumCost(a: CostedNode, b: CostedNode): CallCost | undefined {
  const isList = mayBe(a.type, 'list') && mayBe(b.type, 'list');
  const isTexts = isTextual(a.type) && isTextual(b.type);
  if (!isList && !isTexts) return undefined;
  const size = addSizes(a.size, b.size);
  return { cost: isTexts ? Math.max(1, walk(size)) : 1, size, entry: unionOfEntries(a.entry, b.entry) };
}

const isText = (type: CelType): boolean => type.kind === 'simple' && type.name === 'string';
const isBytes = (type: CelType): boolean => type.kind === 'simple' && type.name === 'bytes';
const isTextual = (type: CelType): boolean => isText(type) || isBytes(type) || type.kind === 'dyn';
const mayBe = (type: CelType, kind: CelType['kind']): boolean => type.kind === kind || type.kind === 'dyn';

/** Values of the Kubernetes libraries are compared in one step. */
function isOpaquePair(a: CostedNode | undefined, b: CostedNode | undefined): boolean {
  return a?.type.kind === 'opaque' && b?.type.kind === 'opaque' && a.type.name === b.type.name;
}
