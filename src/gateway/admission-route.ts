import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { noSuchResource } from '../api/status.ts';
import { parseReview, reviewAnswer, type AdmissionReviewer } from '../core/admission/admission-review.ts';
import type { JsonObject } from '../util/json.ts';
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

export interface AdmissionRouteDeps {
  readonly token: string;
  readonly reviewers: Readonly<Record<string, AdmissionReviewer>>;
}

type Review = (body: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

/** `/admission/<dialect>/<mutate or validate>/<token>`: reviews of what is about to be written. */
export function admissionRoute(deps: AdmissionRouteDeps) {
  return async function review(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const answer = reviewAt(deps, (req.url ?? '').split('?', 1)[0]!);
    if (!answer) throw noSuchResource();
    sendJson(res, 200, await answer(await readJsonObject(req, maxReviewBytes), AbortSignal.timeout(timeoutMs)));
  };
}

/** The same reviews for an API server in the same process, by the whole address that it was told. */
export function ownReviews(deps: AdmissionRouteDeps, hubUrl: string): (url: string) => Review | undefined {
  return url => (url.startsWith(hubUrl + admissionPrefix) ? reviewAt(deps, url.slice(hubUrl.length)) : undefined);
}

function reviewAt({ token, reviewers }: AdmissionRouteDeps, path: string): Review | undefined {
  const [dialect = '', way = '', given = '', ...more] = path.slice(admissionPrefix.length).split('/');
  const reviewer = Object.hasOwn(reviewers, dialect) ? reviewers[dialect] : undefined;
  if (!isSame(given, token) || more.length > 0 || !reviewer || (way !== 'mutate' && way !== 'validate')) return undefined;
  return async (body, signal) => {
    const request = parseReview(body);
    return reviewAnswer(request, await reviewer[way](request, signal));
  };
}

function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
