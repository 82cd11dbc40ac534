import { formatFloat } from '../../util/go-float.ts';
import type { GoType } from './go-type.ts';
import { GoError, GoObject, type GoValue } from './go-value.ts';

const complexType: GoType = { name: 'complex128', kind: 'complex128' };

/** A complex number: templates can write them, print them and compare them, and nothing else. */
export class GoComplex extends GoObject {
  readonly goType = complexType;
  readonly real: number;
  readonly imaginary: number;

  constructor(real: number, imaginary: number) {
    super();
    this.real = real;
    this.imaginary = imaginary;
  }

  override get isZero(): boolean {
    return this.real === 0 && this.imaginary === 0;
  }

  override toJson(): GoValue {
    throw new GoError('json: unsupported type: complex128');
  }

  print(): string {
    const imaginary = formatFloat(this.imaginary, 'g', -1);
    return `(${formatFloat(this.real, 'g', -1)}${/^[+-]/.test(imaginary) ? '' : '+'}${imaginary}i)`;
  }
}
