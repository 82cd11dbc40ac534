import { createHash } from 'node:crypto';

const maxLength = 63;
const hashLength = 8;

export interface StagePlace {
  readonly uid: string;
  readonly run: string;
  readonly stage: string;
  readonly index: number;
  readonly attempt: number;
  readonly infrastructure?: string;
}

/** What the run of a stage is called: for people first, and never the same twice. It can be a label. */
export function stageRunName({ uid, run, stage, index, attempt, infrastructure = '' }: StagePlace): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([uid, index, attempt, infrastructure]))
    .digest('hex')
    .slice(0, hashLength);
  const words = [run, slug(stage), slug(infrastructure)].filter(word => word !== '').join('-');
  return `${words.slice(0, maxLength - hashLength - 1).replace(/[^a-z0-9]+$/, '')}-${hash}`;
}

/** Which question of a pipeline it is. */
export const requestPlace = (index: number, attempt: number, about: 'approval' | 'inputs'): string => `stage/${index}/${about}/${attempt}`;

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
