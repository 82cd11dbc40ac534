import { randomBytes } from 'node:crypto';

const letters = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const magic = Buffer.from('OrpheanBeholderScryDoubt');
const rounds = 16;

let knownWords: Uint32Array | undefined;

/** The words that Blowfish starts from: the digits of pi after the point, 32 bits each. Made when somebody first asks for them. */
function piWords(): Uint32Array {
  return (knownWords ??= computePiWords());
}

function computePiWords(): Uint32Array {
  const count = rounds + 2 + 4 * 256;
  const bits = BigInt(count * 32 + 64);
  const one = 1n << bits;
  const arctanOfInverse = (x: bigint): bigint => {
    let term = one / x;
    let sum = term;
    for (let n = 3n, sign = -1n; term !== 0n; n += 2n, sign = -sign) {
      term /= x * x;
      sum += (sign * term) / n;
    }
    return sum;
  };
  const pi = 4n * (4n * arctanOfInverse(5n) - arctanOfInverse(239n));
  const fraction = pi - 3n * one;
  return Uint32Array.from({ length: count }, (_, i) => Number((fraction >> (bits - BigInt(32 * (i + 1)))) & 0xffffffffn));
}

/** bcrypt as `htpasswd` and Go write it: `$2a$10$` and 53 letters. */
export function bcrypt(password: Buffer, cost = 10, salt: Buffer = randomBytes(16)): string {
  const key = Buffer.concat([password.subarray(0, 72), Buffer.from([0])]).subarray(0, 72);
  const cipher = new Blowfish();
  cipher.expand(key, salt);
  for (let i = 0; i < 2 ** cost; i++) {
    cipher.expand(key);
    cipher.expand(salt);
  }
  const words = new Uint32Array(6);
  for (let i = 0; i < 6; i++) words[i] = magic.readUInt32BE(i * 4);
  for (let i = 0; i < 6; i += 2) for (let n = 0; n < 64; n++) cipher.encrypt(words, i);
  const hash = Buffer.alloc(24);
  words.forEach((word, i) => hash.writeUInt32BE(word, i * 4));
  return `$2a$${String(cost).padStart(2, '0')}$${encode(salt, 22)}${encode(hash.subarray(0, 23), 31)}`;
}

class Blowfish {
  readonly #keys = piWords().slice(0, rounds + 2);
  readonly #boxes = piWords().slice(rounds + 2);

  expand(key: Buffer, salt?: Buffer): void {
    let at = 0;
    for (let i = 0; i < this.#keys.length; i++) {
      let word = 0;
      for (let k = 0; k < 4; k++) {
        word = ((word << 8) | key[at]!) >>> 0;
        at = (at + 1) % key.length;
      }
      this.#keys[i]! ^= word;
    }
    const block = new Uint32Array(2);
    let turn = 0;
    for (const table of [this.#keys, this.#boxes]) {
      for (let i = 0; i < table.length; i += 2) {
        if (salt) {
          block[0]! ^= salt.readUInt32BE(turn);
          block[1]! ^= salt.readUInt32BE(turn + 4);
          turn = (turn + 8) % 16;
        }
        this.encrypt(block, 0);
        table[i] = block[0]!;
        table[i + 1] = block[1]!;
      }
    }
  }

  encrypt(block: Uint32Array, at: number): void {
    const keys = this.#keys;
    const boxes = this.#boxes;
    let left = block[at]!;
    let right = block[at + 1]!;
    for (let i = 0; i < rounds; i += 2) {
      left ^= keys[i]!;
      right ^=
        ((((boxes[left >>> 24]! + boxes[256 + ((left >>> 16) & 255)]!) ^ boxes[512 + ((left >>> 8) & 255)]!) + boxes[768 + (left & 255)]!) ^
          keys[i + 1]!) >>>
        0;
      left ^=
        (((boxes[right >>> 24]! + boxes[256 + ((right >>> 16) & 255)]!) ^ boxes[512 + ((right >>> 8) & 255)]!) +
          boxes[768 + (right & 255)]!) >>>
        0;
    }
    block[at] = right ^ keys[rounds + 1]!;
    block[at + 1] = left ^ keys[rounds]!;
  }
}

function encode(bytes: Buffer, length: number): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const group = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    for (let shift = 18; shift >= 0; shift -= 6) text += letters[(group >> shift) & 63];
  }
  return text.slice(0, length);
}
