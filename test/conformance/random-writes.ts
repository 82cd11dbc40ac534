import type { HttpTarget } from '../helpers/http-target.ts';
export async function runRandomWrites(_: {
  reference: HttpTarget;
  tested: HttpTarget;
  runs: number;
  seed: string | undefined;
}): Promise<number> {
  return 0;
}
