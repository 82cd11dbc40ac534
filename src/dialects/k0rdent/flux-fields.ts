import { SignatureError } from '../../sources/cosign.ts';
import { SourceError } from '../../sources/source-error.ts';

type Fields = Readonly<Record<string, unknown>>;

const isFinal = { isFinal: true } as const;

function isSaid(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== false && value !== '';
}

/** Throws for a field that would change what is read and that is not understood here: passed over, it would mean something else than it says. */
export function refuseFields(kind: string, spec: object, names: readonly string[]): void {
  const found = names.find(name => isSaid((spec as Fields)[name]));
  if (found !== undefined) throw new SourceError(`"${found}" of a ${kind} is not supported`, isFinal);
}

/** Throws for clouds whose machines give the credentials. */
export function refuseProvider(kind: string, spec: object): void {
  const { provider } = spec as Fields;
  if (isSaid(provider) && provider !== 'generic')
    throw new SourceError(`the provider ${JSON.stringify(provider)} of a ${kind} is not supported: only "generic" is`, isFinal);
}

export interface Verification {
  readonly provider?: string;
  readonly secretRef?: { readonly name?: string };
}

/** The Secret with the public keys of those who may sign; undefined when nobody need. Throws for signatures that cannot be checked here. */
export function signersSecret({ verify }: { readonly verify?: Verification | undefined }): string | undefined {
  if (!verify) return undefined;
  const { provider = 'cosign', secretRef } = verify;
  if (provider !== 'cosign')
    throw new SignatureError(`signatures of ${JSON.stringify(provider)} cannot be checked here: those of "cosign" can`, isFinal);
  if (!secretRef?.name)
    throw new SignatureError(
      'signatures without keys cannot be checked here: "verify.secretRef" must name a Secret with public keys',
      isFinal,
    );
  return secretRef.name;
}
