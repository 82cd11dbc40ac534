/** What pods on nodes without a range of their own are given addresses from. */
const commonRange = '10.244.0.0/16';

interface Range {
  readonly first: number;
  readonly size: number;
  next: number;
  readonly taken: Set<number>;
}

/** Addresses of the pods of one cluster: each has one owner at a time, and one that was given back is taken again last. */
export class PodAddresses {
  readonly #ranges = new Map<string, Range>();
  readonly #owned = new Map<string, { range: Range; offset: number }>();

  /** The address of this owner, the same until it is given back. Undefined when the range is used up. */
  take(owner: string, cidr: string | undefined): string | undefined {
    const present = this.#owned.get(owner);
    if (present) return printAddress(present.range.first + present.offset);
    const range = this.#rangeOf(cidr);
    // The first address is the network's, the second the bridge's, the last is for broadcasts.
    for (let tries = 0; tries < range.size - 3; tries++) {
      const offset = range.next;
      range.next = offset + 1 >= range.size - 1 ? 2 : offset + 1;
      if (range.taken.has(offset)) continue;
      this.#own(owner, range, offset);
      return printAddress(range.first + offset);
    }
    return undefined;
  }

  /** Notes an address that somebody has already. */
  keep(owner: string, cidr: string | undefined, address: string): void {
    const range = this.#rangeOf(cidr);
    const offset = parseAddress(address) - range.first;
    if (offset >= 0 && offset < range.size && !this.#owned.has(owner)) this.#own(owner, range, offset);
  }

  give(owner: string): void {
    const owned = this.#owned.get(owner);
    if (!owned) return;
    owned.range.taken.delete(owned.offset);
    this.#owned.delete(owner);
  }

  #own(owner: string, range: Range, offset: number): void {
    range.taken.add(offset);
    this.#owned.set(owner, { range, offset });
    if (offset >= range.next) range.next = offset + 1 >= range.size - 1 ? 2 : offset + 1;
  }

  #rangeOf(cidr: string | undefined): Range {
    const wanted = cidr !== undefined && /^[0-9.]+\/[0-9]+$/.test(cidr) ? cidr : commonRange;
    let range = this.#ranges.get(wanted);
    if (!range) {
      const [address = '', bits = ''] = wanted.split('/');
      range = { first: parseAddress(address), size: 2 ** (32 - Number(bits)), next: 2, taken: new Set() };
      this.#ranges.set(wanted, range);
    }
    return range;
  }
}

const parseAddress = (address: string) => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const printAddress = (value: number) => [24, 16, 8, 0].map(shift => Math.floor(value / 2 ** shift) % 256).join('.');
