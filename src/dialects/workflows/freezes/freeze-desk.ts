/** What a freeze may be about. */
export interface FreezeSubject {
  readonly namespace: string;
  readonly workflow: string;
  readonly environment?: string;
  readonly environmentType?: 'Prod' | 'NonProd';
  /** The groups of whoever started the run. */
  readonly groups?: readonly string[];
}

export interface FreezeAnswer {
  /** Whether the run may start, or go on starting clusters. Rollbacks do not ask. */
  readonly isOpen: boolean;
  /** Whether a run that is under way must pause meanwhile. */
  readonly mustPause: boolean;
  /** When it will be open, as far as is known. */
  readonly nextOpen?: Date;
  /** When to ask again though no freeze was changed. */
  readonly wakeAt?: Date;
  /** Why it is closed. */
  readonly message?: string;
}

export interface FreezeDesk {
  readonly synced: Promise<void>;
  freezeFor(subject: FreezeSubject, now: Date): FreezeAnswer;
  /** Hears that a freeze was changed. */
  onChange(listener: () => void): Disposable;
}
