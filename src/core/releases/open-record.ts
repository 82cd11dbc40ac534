import type { Member } from '../delivery/member.ts';
import type { HelmRelease, ReleaseHook } from './helm-release.ts';
import type { ReleaseContext } from './release-input.ts';
import type { Progress, ReleaseRecord } from './release-record.ts';
import { updateRecord } from './release-store.ts';

/** The revision that is being worked on: every change is on the member before the next step is taken. */
export class OpenRecord {
  readonly #member: Member;
  readonly #ctx: ReleaseContext;
  #record: ReleaseRecord;

  constructor(member: Member, record: ReleaseRecord, ctx: ReleaseContext) {
    this.#member = member;
    this.#record = record;
    this.#ctx = ctx;
  }

  get record(): ReleaseRecord {
    return this.#record;
  }

  get release(): HelmRelease {
    return this.#record.release;
  }

  get progress(): Progress {
    return this.#record.progress ?? { inputs: '', attempt: 0, ended: [] };
  }

  async change(release: Partial<HelmRelease>, progress: Partial<Record<keyof Progress, unknown>> = {}): Promise<void> {
    // A field that is given as undefined is taken away.
    const next = { ...this.progress, ...progress } as Progress;
    this.#record = await updateRecord(
      this.#member,
      { ...this.#record, release: { ...this.release, ...release }, progress: next },
      this.#ctx,
    );
  }

  async changeHook(index: number, lastRun: ReleaseHook['lastRun'], progress: Partial<Record<keyof Progress, unknown>>): Promise<void> {
    await this.change({ hooks: this.release.hooks.map((hook, i) => (i === index ? { ...hook, lastRun } : hook)) }, progress);
  }
}
