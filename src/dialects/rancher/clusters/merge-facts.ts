/** One of several objects that say the same things, such as labels. */
export interface Side {
  readonly facts: Readonly<Record<string, string>>;
  /** The resourceVersion of the object: of two that changed the same thing, the later one is right. */
  readonly version: string;
}

/**
 * What all sides should say, when `base` is what they last agreed on: what one of them has changed, added or taken away since then holds for all. Where
 * several have changed the same thing, the last writer wins.
 */
export function mergeFacts(base: Readonly<Record<string, string>>, sides: readonly Side[]): Record<string, string> {
  const lastFirst = sides.toSorted((a, b) => compareVersions(b.version, a.version));
  const names = new Set([base, ...sides.map(({ facts }) => facts)].flatMap(facts => Object.keys(facts)));
  const merged: [string, string][] = [];
  for (const name of [...names].sort()) {
    const before = valueOf(base, name);
    const changed = lastFirst.find(({ facts }) => valueOf(facts, name) !== before);
    const value = changed ? valueOf(changed.facts, name) : before;
    if (value !== undefined) merged.push([name, value]);
  }
  return Object.fromEntries(merged);
}

const valueOf = (facts: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(facts, name) ? facts[name] : undefined;

/** Versions are decimal numbers of any length. */
function compareVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What to write over one set of facts to make it another: null takes away. Undefined when they are the same. */
export function changeOf(
  present: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): Record<string, string | null> | undefined {
  const removed = Object.keys(present).filter(name => !Object.hasOwn(wanted, name));
  const written = Object.entries(wanted).filter(([name, value]) => valueOf(present, name) !== value);
  if (removed.length + written.length === 0) return undefined;
  return Object.fromEntries([...removed.map((name): [string, null] => [name, null]), ...written]);
}
