/** Something that keys do. */
export interface KeyAction {
  readonly title: string;
  /** `?`, `mod+k`, or one key after the other: `g c`. */
  readonly keys: string;
  /** Where it works: everywhere when absent. Actions of different places may have the same keys. */
  readonly where?: string;
}

/** All that keys do, with the keys they have unless somebody chooses others. */
export const keyActions = {
  palette: { title: 'Go anywhere, do anything', keys: 'mod+k' },
  keys: { title: 'Show the keys', keys: '?' },
  back: { title: 'Back to where one came from', keys: 'Escape' },
  home: { title: 'Go to home', keys: 'g h' },
  clusters: { title: 'Go to clusters', keys: 'g c' },
  explore: { title: 'Go to explore', keys: 'g e' },
  services: { title: 'Go to services', keys: 'g s' },
  sources: { title: 'Go to sources', keys: 'g o' },
  workflows: { title: 'Go to workflows', keys: 'g w' },
  runs: { title: 'Go to runs', keys: 'g r' },
  virtualization: { title: 'Go to virtualization', keys: 'g v' },
  people: { title: 'Go to people', keys: 'g u' },
  audit: { title: 'Go to audit', keys: 'g a' },
  filter: { title: 'Filter the table', keys: '/', where: 'Tables' },
  nextRow: { title: 'Next row', keys: 'j', where: 'Tables' },
  rowBefore: { title: 'Row before', keys: 'k', where: 'Tables' },
  chooseRow: { title: 'Choose the row, where several can be', keys: 'x', where: 'Tables' },
  addCluster: { title: 'Add a cluster', keys: 'a', where: 'Clusters' },
  edit: { title: 'Edit as YAML', keys: 'e', where: 'An object' },
  logs: { title: 'Logs', keys: 'l', where: 'An object' },
  shell: { title: 'Shell', keys: 's', where: 'An object' },
  diff: { title: 'What differs or would change', keys: 'd', where: 'An object' },
} as const satisfies Record<string, KeyAction>;

export type KeyActionId = keyof typeof keyActions;
export const keyActionIds = Object.keys(keyActions) as readonly KeyActionId[];

/** Keys that somebody chose instead of the usual ones; empty where an action has none. */
export type KeyChoices = Readonly<Partial<Record<KeyActionId, string>>>;

export const actionOf = (id: KeyActionId): KeyAction => keyActions[id];

export const keysOf = (id: KeyActionId, choices: KeyChoices): string => choices[id] ?? keyActions[id].keys;

/** The actions whose keys would be taken for those of this one, or would never be reached because of them. */
export function conflictsOf(id: KeyActionId, keys: string, choices: KeyChoices): readonly KeyActionId[] {
  if (keys === '') return [];
  return keyActionIds.filter(other => {
    if (other === id || !meet(actionOf(id).where, actionOf(other).where)) return false;
    const others = keysOf(other, choices);
    return others !== '' && (others === keys || others.startsWith(`${keys} `) || keys.startsWith(`${others} `));
  });
}

/** Tables stand on many screens, so what works in them meets everything. */
const meet = (a: string | undefined, b: string | undefined): boolean =>
  a === undefined || b === undefined || a === b || a === 'Tables' || b === 'Tables';

/** The choices with one more; the usual keys are no choice. */
export function withKeys(choices: KeyChoices, id: KeyActionId, keys: string | undefined): KeyChoices {
  const { [id]: _before, ...others } = choices;
  return keys === undefined || keys === keyActions[id].keys ? others : { ...others, [id]: keys };
}

/** What was stored, without what means nothing here. */
export function parseKeyChoices(text: string | null): KeyChoices {
  try {
    const stored: unknown = JSON.parse(text ?? '{}');
    if (typeof stored !== 'object' || stored === null) return {};
    return Object.fromEntries(
      Object.entries(stored).filter(([id, keys]) => Object.hasOwn(keyActions, id) && typeof keys === 'string' && keys.length < 40),
    );
  } catch {
    return {};
  }
}

const modifiers = new Set(['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'CapsLock', 'Dead']);
/** With these people move about, leave and choose: they keep their meaning. */
const reserved = new Set(['Tab', 'Enter', ' ', 'Backspace', 'ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight']);

interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** A key as actions name it. Undefined for those that mean nothing by themselves, or are not to be had. */
export function nameOfKey({ key, ctrlKey, metaKey, altKey }: Pressed): string | undefined {
  if (altKey || modifiers.has(key) || reserved.has(key)) return undefined;
  return ctrlKey || metaKey ? `mod+${key.toLowerCase()}` : key;
}
