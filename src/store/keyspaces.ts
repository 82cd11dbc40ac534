import { memoryJournal, type Journal, type JournalBatch } from './journal.ts';

/** One of many stores that share a file: a name, and what its owner remembers about it. */
export interface Keyspace {
  readonly id: number;
  readonly name: string;
  readonly facts: string;
}

/** Many small stores in one place. They are told apart by numbers that are never given out twice. */
export interface Keyspaces {
  /** All of them, without their secrets and objects. */
  list(): Promise<Keyspace[]>;
  /** Rejects when the name is taken. */
  create(name: string, facts: string, secrets: string): Promise<Keyspace>;
  secrets(id: number): Promise<string>;
  rewrite(id: number, facts: string, secrets: string): Promise<void>;
  /** Removes the keyspace with everything in it. */
  drop(id: number): Promise<void>;
  /** Which of them hold more than objects of these resources. */
  havingMoreThan(resources: readonly string[]): Promise<number[]>;
  journal(id: number): Journal;
  /** Texts that several keyspaces share, by their digest. */
  readShared(digest: string): Promise<string | undefined>;
  writeShared(digest: string, text: string): Promise<void>;
  close(): Promise<void>;
}

export interface KeyspaceBatch extends JournalBatch {
  readonly keyspace: number;
}

/** Forgets everything with the process: for tests and for clusters nobody needs tomorrow. */
export function memoryKeyspaces(): Keyspaces {
  const keyspaces = new Map<number, Keyspace & { secrets: string }>();
  const shared = new Map<string, string>();
  let lastId = 0;
  return {
    list: async () => [...keyspaces.values()].map(({ id, name, facts }) => ({ id, name, facts })),
    async create(name, facts, secrets) {
      if ([...keyspaces.values()].some(other => other.name === name)) throw new Error(`keyspace "${name}" exists already`);
      const keyspace = { id: ++lastId, name, facts, secrets };
      keyspaces.set(keyspace.id, keyspace);
      return keyspace;
    },
    secrets: async id => keyspaces.get(id)?.secrets ?? '',
    async rewrite(id, facts, secrets) {
      const present = keyspaces.get(id);
      if (present) keyspaces.set(id, { ...present, facts, secrets });
    },
    drop: async id => void keyspaces.delete(id),
    havingMoreThan: async () => [],
    journal: () => memoryJournal(),
    readShared: async digest => shared.get(digest),
    writeShared: async (digest, text) => void shared.set(digest, text),
    close: () => Promise.resolve(),
  };
}
