import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { noSuchResource } from '../api/status.ts';
import { parseReview, reviewAnswer, type AdmissionReviewer } from '../core/admission/admission-review.ts';
import { sendJson } from './answer.ts';
import { readJsonObject } from './read-json.ts';

export const admissionPrefix = '/admission/';

/** Two objects of the largest size that an API server keeps, and what is around them. */
const maxReviewBytes = 8 * 1024 * 1024;
const timeoutMs = 10_000;

/**
 * API servers do not say who they are when they ask. Only they, and those who may read their configuration, know this word: it is made from the hub's own key and is
 * therefore the same after a restart.
 */
export function admissionToken(authorityKey: string): string {
  return createHmac('sha256', authorityKey).update('drover admission').digest('hex').slice(0, 40);
}

/** `/admission/<dialect>/<mutate or validate>/<token>`: reviews of what is about to be written. */
export function admissionRoute({ token, reviewers }: { token: string; reviewers: Readonly<Record<string, AdmissionReviewer>> }) {
  return async function review(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const [dialect = '', way = '', given = '', ...more] = (req.url ?? '').split('?', 1)[0]!.slice(admissionPrefix.length).split('/');
    const reviewer = Object.hasOwn(reviewers, dialect) ? reviewers[dialect] : undefined;
    if (!isSame(given, token) || more.length > 0 || !reviewer || (way !== 'mutate' && way !== 'validate')) throw noSuchResource();
    const request = parseReview(await readJsonObject(req, maxReviewBytes));
    const answer = await reviewer[way](request, AbortSignal.timeout(timeoutMs));
    sendJson(res, 200, reviewAnswer(request, answer));
  };
}

function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
