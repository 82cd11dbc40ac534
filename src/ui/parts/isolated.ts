/** Scripts that run from right to left, and signs that turn the direction of what follows. */
const turns = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/u;
const ends = /[\u2069]/gu;

/** A name for a sentence, where no element can stand around it: the words after it keep their direction. */
export const isolated = (text: string): string => (turns.test(text) ? `\u2068${text.replaceAll(ends, '')}\u2069` : text);
