import { printDuration } from '../sprig/durations.ts';
import { int64Type, namedType } from './go-type.ts';
import { GoFunction, GoInt, int64, type GoValue } from './go-value.ts';

const durationType = namedType('time.Duration', int64Type);
const maxNanoseconds = 2n ** 63n - 1n;

/** Go's time.Duration: an integer that prints as `1h30m0s` and has methods. */
export class GoDuration extends GoInt {
  constructor(nanoseconds: bigint) {
    super(nanoseconds, durationType);
  }

  get nanoseconds(): bigint {
    return this.value;
  }

  get seconds(): number {
    return this.in(1_000_000_000n);
  }

  get minutes(): number {
    return this.in(60_000_000_000n);
  }

  get hours(): number {
    return this.in(3_600_000_000_000n);
  }

  private in(unit: bigint): number {
    return Number(this.nanoseconds / unit) + Number(this.nanoseconds % unit) / Number(unit);
  }

  truncate({ nanoseconds: of }: GoDuration): GoDuration {
    return of <= 0n ? this : new GoDuration(this.nanoseconds - (this.nanoseconds % of));
  }

  /** To the nearest multiple; halves go away from zero. */
  round({ nanoseconds: of }: GoDuration): GoDuration {
    if (of <= 0n) return this;
    const isNegative = this.nanoseconds < 0n;
    const size = isNegative ? -this.nanoseconds : this.nanoseconds;
    const rest = size % of;
    const rounded = rest * 2n < of ? size - rest : size + of - rest;
    if (rounded > maxNanoseconds) return new GoDuration(isNegative ? -maxNanoseconds - 1n : maxNanoseconds);
    return new GoDuration(isNegative ? -rounded : rounded);
  }

  method(name: string): GoFunction | undefined {
    const answers: Readonly<Record<string, () => GoValue>> = {
      String: () => this.print(),
      Seconds: () => this.seconds,
      Minutes: () => this.minutes,
      Hours: () => this.hours,
      Milliseconds: () => int64(this.nanoseconds / 1_000_000n),
      Microseconds: () => int64(this.nanoseconds / 1000n),
      Nanoseconds: () => int64(this.nanoseconds),
    };
    const answer = Object.hasOwn(answers, name) ? answers[name] : undefined;
    return answer && new GoFunction([], answer);
  }

  print(): string {
    return printDuration(this.nanoseconds);
  }
}
