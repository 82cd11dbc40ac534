import type { KindRef } from '../../api/define-kind.ts';
import { inertWarnings } from './inert-warnings.ts';
import type { AdmissionAnswer, AdmissionRequest, AdmissionReviewer } from './admission-review.ts';

/** Which operations on which kind are asked about. */
export interface AskedKind {
  readonly kind: KindRef;
  readonly operations: readonly AdmissionRequest['operation'][];
  /** In CEL, when besides. What need not be asked costs nothing, and works while nobody answers. */
  readonly when?: string;
}

export interface ReviewedKind<World> extends AskedKind {
  readonly review: (request: AdmissionRequest, world: World) => Promise<AdmissionAnswer>;
}

/** What one dialect has to say about what is written. */
export interface Reviews<World> {
  readonly mutations: readonly ReviewedKind<World>[];
  readonly validations: readonly ReviewedKind<World>[];
}

export const everyOperation = ['CREATE', 'UPDATE', 'DELETE'] as const;
export const writes = ['CREATE', 'UPDATE'] as const;

/** Lets reviews answer. `worldOf` is what a review sees of the rest. */
export function reviewerOf<World>(
  { mutations, validations }: Reviews<World>,
  worldOf: (request: AdmissionRequest, signal: AbortSignal) => World,
): AdmissionReviewer {
  const answer =
    (kinds: readonly ReviewedKind<World>[]) =>
    async (request: AdmissionRequest, signal: AbortSignal): Promise<AdmissionAnswer> => {
      const reviewed = kinds.find(({ kind }) => kind.group === request.group && kind.kind === request.kind);
      return reviewed?.operations.includes(request.operation) ? reviewed.review(request, worldOf(request, signal)) : {};
    };
  const validate = answer(validations);
  return {
    mutate: answer(mutations),
    async validate(request, signal) {
      const said = await validate(request, signal);
      const kind = validations.find(one => one.kind.group === request.group && one.kind.kind === request.kind)?.kind;
      if (said.refusal || !kind || request.operation === 'DELETE') return said;
      return { ...said, warnings: [...(said.warnings ?? []), ...inertWarnings(kind, request)] };
    },
  };
}
