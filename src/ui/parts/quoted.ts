/** A word as shells read it. */
export const quoted = (text: string): string => (/^[\w=.,/:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
